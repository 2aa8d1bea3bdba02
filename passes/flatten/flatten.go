package flatten

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Pass is the pass "flatten".
var Pass = &passes.Pass{
	Name: "flatten",
	Doc: `compute both sides of branches, and choose between their results

What a branch on numbers results in is chosen by cmp, register by register, after both
sides were computed; so is what a predicated write writes. A texkill inside gets
operands that kill nothing where the branch is not taken. Differences that overflow and
NaN may decide otherwise than the comparison did, so that it needs numerics real.

It declines branches on booleans of the host, those that contain loops or leave one, what
feeds a position or may leave unwritten what is read, and models without cmp.`,
	Class: passes.Real,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		for _, f := range u.Funcs() {
			_ = Func(f, c.Step) // as far as that goes
		}
		return nil
	},
}

// Func flattens all branches and predicated writes of f that can be and that step
// agrees to. The error says what is wrong with one of those that stay, nil if none do.
// Regions are visited from the inside out, so that a branch whose inner branches are
// gone is straight code.
//
// What a branch computes has no effects but texkill, so computing both sides is
// harmless: no operation traps, and nothing is stored. The price is that of both sides.
func Func(f *ir.Func, step passes.Grant) (err error) {
	live := f.Needs(true).Live
	f.EachRegion(func(r *ir.Region) {
		x := &flattener{f: f, step: step, live: live}
		for _, in := range r.Code {
			if e := x.instr(in); e != nil && err == nil {
				err = fmt.Errorf("%v: %w", in.Op, e)
			}
		}
		r.Code = x.out
		f.Replace(x.same)
	})
	return err
}

// errLeft is for what step does not agree to.
var errLeft = errors.New("it is left as it is")

// flattener writes the new code of a region.
type flattener struct {
	f    *ir.Func
	step passes.Grant
	live []bool // values, by ID, that something depends on
	out  []*ir.Instr
	same map[*ir.Value]ir.Lane // results that need no choice
}

// instr moves in to the new code, flattened if it can be. On an error it stays as it
// is.
func (x *flattener) instr(in *ir.Instr) error {
	var err error
	switch {
	case (in.Op == ir.OpIf || in.IsPredicated()) && !x.f.Dialect.Has(ir.OpCmp):
		err = fmt.Errorf("the model cannot choose")
	case in.Op == ir.OpIf:
		err = x.branch(in)
	case in.IsPredicated():
		err = x.predicated(in)
	case in.Op == ir.OpLoop || in.Op == ir.OpBreak:
		x.out = append(x.out, in)
		return fmt.Errorf("a loop takes flow control")
	default:
		x.out = append(x.out, in)
	}
	if err != nil {
		x.out = append(x.out, in)
	}
	return err
}

// choice tells in each lane whether a condition holds: value is at least 0, or else it
// is not, if not is set the other way. Comparisons have to be of the form x >= 0, as
// cmp asks that (MSDN, "cmp - ps"). A NaN takes cmp's third operand.
type choice struct {
	value ir.Operand
	not   bool
}

// between are operands of a cmp that yields yes where c holds.
func (c choice) between(yes, no ir.Lane) (p, q ir.Lane) {
	if c.not {
		return no, yes
	}
	return yes, no
}

// test is the comparison that decides about l, a condition of flow control or a
// predicate. It has to be a setp of the program; what the host sets stays flow
// control.
func test(l ir.Lane) (cond ir.Cond, a, b ir.Lane, err error) {
	setp := l.V.Def
	if setp == nil || setp.Op != ir.OpSetp || setp.IsPredicated() {
		return 0, a, b, fmt.Errorf("the host decides")
	}
	cond, a, b = setp.Cond, setp.Src[0][l.V.Lane], setp.Src[1][l.V.Lane]
	if l.Mod&ir.Not != 0 {
		cond = opposite[cond]
	}
	return cond, a, b, nil
}

// opposite is the comparison that holds where the other does not, NaN aside.
var opposite = [...]ir.Cond{ir.CondGT: ir.CondLE, ir.CondLE: ir.CondGT, ir.CondGE: ir.CondLT, ir.CondLT: ir.CondGE, ir.CondEQ: ir.CondNE, ir.CondNE: ir.CondEQ}

// decide computes the choice that is a cond b, lane by lane: a >= b is a-b >= 0; a < b
// is not that; a == b is -|a-b| >= 0.
func (x *flattener) decide(at *ir.Instr, cond ir.Cond, a, b ir.Operand) choice {
	if cond == ir.CondGT || cond == ir.CondLE { // a > b unless b >= a
		a, b = b, a
	}
	negate := func(o *ir.Operand) { o.Each(func(_ int, l *ir.Lane) { l.Mod = l.Mod.Then(ir.Neg) }) }
	negate(&b)
	value := a
	// A difference with 0 is one of its operands.
	switch {
	case zero(&a):
		value = b
	case !zero(&b):
		value = x.compute(at, ir.OpAdd, a, b)
	}
	if cond == ir.CondEQ || cond == ir.CondNE { // -|a-b| >= 0
		value = x.compute(at, ir.OpAbs, value)
		negate(&value)
	}
	return choice{value, cond == ir.CondGT || cond == ir.CondLT || cond == ir.CondNE}
}

// zero reports whether all lanes of o are 0 or -0.
func zero(o *ir.Operand) bool {
	all := true
	o.Each(func(_ int, l *ir.Lane) { all = all && l.V.Kind == ir.Literal && l.V.Bits&^(1<<31) == 0 })
	return all
}

// compute adds an instruction for the lanes of its sources.
func (x *flattener) compute(at *ir.Instr, op ir.Op, src ...ir.Operand) (result ir.Operand) {
	in := &ir.Instr{Op: op, Orig: -1, Pos: at.Pos, Also: at.Also, Src: src}
	x.out = append(x.out, in)
	src[0].Each(func(i int, _ *ir.Lane) { result[i].V = x.f.Define(in, i, ir.Reg{}) })
	return result
}

// branch computes both sides of in, an if. The checks come first, as nothing may have
// changed when it fails:
//
//	if_gt r0.x, c0.x               add r3.x, c0.x, -r0.x
//	  mul r1, r1, c1               mul r2, r1, c1
//	else                     ->    add r4, r1, c2
//	  add r1, r1, c2               cmp r1, r3.x, r4, r2
//	endif
func (x *flattener) branch(in *ir.Instr) error {
	if in.Precise {
		return fmt.Errorf("it feeds a position")
	}
	for _, side := range in.Sub {
		for _, inner := range side.Code {
			bound := inner.Op.Has(ir.Structured) || inner.Op.Has(ir.Memory) || inner.Op.Has(ir.Special) && inner.Op != ir.OpSetp
			// Operations of flow, memory and predicates depend on which side is taken.
			if bound || inner.IsPredicated() || inner.Precise && inner.Op == ir.OpKill {
				return fmt.Errorf("%v is inside", inner.Op)
			}
		}
	}
	for k, v := range in.Results {
		if x.f.Dialect.Role(v.Home.File) == ir.RoleSpecial {
			return fmt.Errorf("it writes %s", x.f.Dialect.RegName(v.Home))
		}
		yes, no := in.Sub[0].Results[k], in.Sub[1].Results[k]
		if x.unwritten(yes) || x.unwritten(no) || x.live[v.ID] && (undefined(yes) || undefined(no)) {
			return fmt.Errorf("a side leaves %s unwritten", x.f.Dialect.RegName(v.Home))
		}
	}
	cond, a, b := in.Cond, in.Src[0][0], ir.Lane{}
	// A condition that is known leaves one side.
	if cond == ir.CondNone && a.V.Kind == ir.Literal {
		if !x.step(in, "side-taken", "the side taken") {
			return errLeft
		}
		side := in.Sub[1]
		if (a.V.Bits != 0) != (a.Mod&ir.Not != 0) {
			side = in.Sub[0]
		}
		x.out = append(x.out, side.Code...)
		for k, v := range in.Results {
			x.become(v, side.Results[k])
		}
		return nil
	}
	if cond == ir.CondNone {
		var err error
		if cond, a, b, err = test(a); err != nil {
			return err
		}
	} else {
		b = in.Src[1][0]
	}
	if !x.step(in, both, "both sides computed") {
		return errLeft
	}
	if setp := in.Src[0][0].V.Def; setp != nil && in.Cond == ir.CondNone {
		in.TakeIn(setp, both)
	}
	c := x.decide(in, cond, ir.Operand{a}, ir.Operand{b})
	for side, sub := range in.Sub {
		for _, inner := range sub.Code {
			if inner.Op == ir.OpKill {
				x.spare(in, inner, c, side == 0)
			}
			x.out = append(x.out, inner)
		}
	}
	x.choose(in, c)
	return nil
}

// both is the kind of rewrites that choose between what both sides compute.
const both = "both-sides"

// spare has kill, of one side of branch in, kill nothing where the other one is taken:
// zeros, which are not below 0. It is computed right before it.
func (x *flattener) spare(in, kill *ir.Instr, c choice, then bool) {
	cmp := &ir.Instr{Op: ir.OpCmp, Orig: -1, Pos: kill.Pos, Src: make([]ir.Operand, 3)}
	kill.TakeIn(in, both)
	zero := ir.Lane{V: x.f.Const(0)}
	for i, l := range kill.Src[0] {
		if l.V == nil {
			continue
		}
		yes, no := l, zero
		if !then {
			yes, no = zero, l
		}
		cmp.Src[0][i] = c.value[0]
		cmp.Src[1][i], cmp.Src[2][i] = c.between(yes, no)
		kill.Src[0][i] = ir.Lane{V: x.f.Define(cmp, i, ir.Reg{})}
	}
	kill.Orig = -1
	x.out = append(x.out, cmp)
}

// choose makes the results of in, an if, of those of its sides: one instruction for
// each register, so that components which share their register are chosen at once. What
// is the same on both sides needs no choice, nor does what is on one side alone: nothing reads
// it, or control does not come from the other.
func (x *flattener) choose(in *ir.Instr, c choice) {
	byReg := map[ir.Reg]*ir.Instr{}
	for k, v := range in.Results {
		yes, no := in.Sub[0].Results[k], in.Sub[1].Results[k]
		switch {
		case yes == no || no.Kind == ir.Undef:
			x.become(v, yes)
			continue
		case yes.Kind == ir.Undef:
			x.become(v, no)
			continue
		}
		home := v.Home
		home.Comp = 0
		cmp := byReg[home]
		if cmp == nil {
			cmp = &ir.Instr{Op: ir.OpCmp, Orig: -1, Pos: in.Pos, Also: in.Also, Src: make([]ir.Operand, 3)}
			byReg[home] = cmp
			x.out = append(x.out, cmp)
		}
		i := v.Home.Comp & 3
		cmp.Out[i], v.Def, v.Lane = v, cmp, i
		cmp.Src[0][i] = c.value[0]
		cmp.Src[1][i], cmp.Src[2][i] = c.between(ir.Lane{V: yes}, ir.Lane{V: no})
	}
}

// unwritten reports whether v may be what an output holds that nothing has written, or what a
// loop has left there: no value of the program takes its place, as of other registers any may.
func (x *flattener) unwritten(v *ir.Value) bool {
	switch in := v.Def; {
	case x.f.Dialect.Role(v.Home.File) != ir.RoleOutput:
		return false
	case in == nil || in.Op == ir.OpLoop:
		return true
	case in.Op == ir.OpIf:
		k := slices.Index(in.Results, v)
		return x.unwritten(in.Sub[0].Results[k]) || x.unwritten(in.Sub[1].Results[k])
	default:
		return in.IsPredicated() && x.unwritten(in.Keep[v.Lane])
	}
}

// undefined reports whether v is what a register holds that nothing has written, which a program may
// read and is the same wherever it does: no other value takes its place.
func undefined(v *ir.Value) bool { return v.Kind == ir.Undef && v.Home != ir.Reg{} }

// become has readers of v read w.
func (x *flattener) become(v, w *ir.Value) {
	if x.same == nil {
		x.same = map[*ir.Value]ir.Lane{}
	}
	x.same[v] = ir.Lane{V: w}
}

// predicated computes in always, and chooses between that and what was there.
// Components under one comparison are chosen together.
func (x *flattener) predicated(in *ir.Instr) error {
	if in.Precise || in.Op.Has(ir.Special) || in.Op.Has(ir.Effect) || in.Op.Has(ir.Memory) || len(in.Sub) > 0 {
		return fmt.Errorf("it is predicated")
	}
	for i, v := range in.Out {
		if v != nil {
			if _, _, _, err := test(in.Pred[i]); err != nil {
				return err
			}
			if x.unwritten(in.Keep[i]) {
				return fmt.Errorf("it may leave %s unwritten", x.f.Dialect.RegName(v.Home))
			}
		}
	}
	if !x.step(in, "always", "computed always") {
		return errLeft
	}
	// in gets new results, and the old ones become those of the choice, so that readers
	// need not change.
	out, pred, keep := in.Out, in.Pred, in.Keep
	in.Out, in.Pred, in.Keep, in.Orig = [4]*ir.Value{}, ir.Operand{}, [4]*ir.Value{}, -1
	for i, v := range out {
		if v != nil {
			x.f.Define(in, i, v.Home)
		}
	}
	x.out = append(x.out, in)
	for i, v := range out {
		if v == nil || v.Def != in {
			continue // it was decided together with another
		}
		cond, _, _, _ := test(pred[i])
		var a, b ir.Operand
		for k, l := range pred {
			if out[k] != nil && l.V.Def == pred[i].V.Def && l.Mod == pred[i].Mod {
				_, a[k], b[k], _ = test(l)
			}
		}
		c := x.decide(in, cond, a, b)
		cmp := &ir.Instr{Op: ir.OpCmp, Orig: -1, Pos: in.Pos, Also: in.Also, Src: []ir.Operand{c.value, {}, {}}}
		a.Each(func(k int, _ *ir.Lane) {
			cmp.Out[k], out[k].Def, out[k].Lane = out[k], cmp, uint8(k)
			cmp.Src[1][k], cmp.Src[2][k] = c.between(ir.Lane{V: in.Out[k]}, ir.Lane{V: keep[k]})
		})
		x.out = append(x.out, cmp)
	}
	return nil
}
