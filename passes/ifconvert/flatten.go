package ifconvert

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Flatten is the pass "flatten".
var Flatten = &passes.Pass{
	Name: "flatten",
	Doc: `compute both sides of branches, and choose between their results

A cmp chooses each result of a branch on numbers, and each value of a predicated write. Overflow and NaN can decide
differently than the comparison did, so it needs numerics real. Branches on booleans, branches with loops or breaks,
code that feeds a position and models without cmp stay.`,
	Class: passes.Real,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		for _, f := range u.Funcs() {
			_ = FlattenFunc(f, c.ShouldRewrite) // best effort
		}
		return nil
	},
}

// FlattenFunc flattens all possible branches and predicated writes of f that step agrees to. The error describes the
// first one that stays, nil if none does. Regions are visited from the inside out, so a branch whose inner
// branches are flattened is straight-line code.
//
// A branch has no effects except texkill, so computing both sides is harmless: no operation traps, and
// nothing is stored. The price is the cost of both sides.
func FlattenFunc(f *ir.Func, step passes.Grant) (err error) {
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

// errLeft reports that step refused.
var errLeft = errors.New("it stays unchanged")

// flattener writes the new code of a region.
type flattener struct {
	f    *ir.Func
	step passes.Grant
	live []bool // values, by ID, that something depends on
	out  []*ir.Instr
	same map[*ir.Value]ir.Lane // results that need no selection
}

// instr moves in to the new code, flattened if possible. On an error it stays unchanged.
func (x *flattener) instr(in *ir.Instr) error {
	var err error
	switch {
	case (in.Op == ir.OpIf || in.IsPredicated()) && !x.f.Dialect.Supports(ir.OpCmp):
		err = fmt.Errorf("the model has no select")
	case in.Op == ir.OpIf:
		err = x.branch(in)
	case in.IsPredicated():
		err = x.predicated(in)
	case in.Op == ir.OpLoop || in.Op == ir.OpBreak:
		x.out = append(x.out, in)
		return fmt.Errorf("a loop needs flow control")
	default:
		x.out = append(x.out, in)
	}
	if err != nil {
		x.out = append(x.out, in)
	}
	return err
}

// choice represents a condition in each lane: it holds if value is at least 0, or with not, if it is not.
// Comparisons must have the form x >= 0, because cmp tests that (MSDN, "cmp - ps"). A NaN selects cmp's third
// operand.
type choice struct {
	value ir.Operand
	not   bool
}

// between returns the operands of a cmp that yields yes where c holds.
func (c choice) between(yes, no ir.Lane) (p, q ir.Lane) {
	if c.not {
		return no, yes
	}
	return yes, no
}

// decidingCompare returns the comparison that decides l, a condition of flow control or a predicate. It has to be a setp
// of the program; conditions that the host sets stay flow control.
func decidingCompare(l ir.Lane) (cond ir.Cond, a, b ir.Lane, err error) {
	setp := l.V.Def
	if setp == nil || setp.Op != ir.OpSetp || setp.IsPredicated() {
		return 0, a, b, fmt.Errorf("the host sets the condition")
	}
	cond, a, b = setp.Cond, setp.Src[0][l.V.Lane], setp.Src[1][l.V.Lane]
	if l.Mod&ir.Not != 0 {
		cond = opposite[cond]
	}
	return cond, a, b, nil
}

// opposite is the complement of each comparison, NaN aside.
var opposite = [...]ir.Cond{ir.CondGT: ir.CondLE, ir.CondLE: ir.CondGT, ir.CondGE: ir.CondLT, ir.CondLT: ir.CondGE,
	ir.CondEQ: ir.CondNE, ir.CondNE: ir.CondEQ}

// decide computes the choice for a cond b, lane by lane: a >= b is a-b >= 0; a < b is its complement; a == b
// is -|a-b| >= 0.
func (x *flattener) decide(at *ir.Instr, cond ir.Cond, a, b ir.Operand) choice {
	if cond == ir.CondGT || cond == ir.CondLE { // a > b unless b >= a
		a, b = b, a
	}
	negate := func(o *ir.Operand) { o.EachLane(func(_ int, l *ir.Lane) { l.Mod = l.Mod.ComposeWith(ir.Neg) }) }
	negate(&b)
	value := a
	// A difference with 0 is one of its operands.
	switch {
	case allZero(&a):
		value = b
	case !allZero(&b):
		value = x.compute(at, ir.OpAdd, a, b)
	}
	if cond == ir.CondEQ || cond == ir.CondNE { // -|a-b| >= 0
		value = x.compute(at, ir.OpAbs, value)
		negate(&value)
	}
	return choice{value, cond == ir.CondGT || cond == ir.CondLT || cond == ir.CondNE}
}

// allZero reports whether all lanes of o are 0 or -0.
func allZero(o *ir.Operand) bool {
	all := true
	o.EachLane(func(_ int, l *ir.Lane) { all = all && l.V.Kind == ir.Literal && l.V.Bits&^(1<<31) == 0 })
	return all
}

// compute adds an instruction for the lanes of its sources.
func (x *flattener) compute(at *ir.Instr, op ir.Op, src ...ir.Operand) (result ir.Operand) {
	in := &ir.Instr{Op: op, Orig: -1, Pos: at.Pos, Also: at.Also, Src: src}
	x.out = append(x.out, in)
	src[0].EachLane(func(i int, _ *ir.Lane) { result[i].V = x.f.Define(in, i, ir.Reg{}) })
	return result
}

// branch computes both sides of in, an if. The checks come first, because an error must leave everything
// unchanged:
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
			// Operations of flow, memory and predicates depend on the side taken.
			if bound || inner.IsPredicated() || inner.Precise && inner.Op == ir.OpKill {
				return fmt.Errorf("%v is inside", inner.Op)
			}
		}
	}
	for k, v := range in.Results {
		if x.f.Dialect.FileRole(v.Home.File) == ir.RoleSpecial {
			return fmt.Errorf("it writes %s", x.f.Dialect.RegName(v.Home))
		}
		yes, no := in.Sub[0].Results[k], in.Sub[1].Results[k]
		if x.unwritten(yes) || x.unwritten(no) || x.live[v.ID] && (undefined(yes) || undefined(no)) {
			return fmt.Errorf("a side leaves %s unwritten", x.f.Dialect.RegName(v.Home))
		}
	}
	cond, a, b := in.Cond, in.Src[0][0], ir.Lane{}
	// A known condition leaves one side.
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
		if cond, a, b, err = decidingCompare(a); err != nil {
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

// both is the code of rewrites that select between both sides.
const both = "both-sides"

// spare makes kill, on one side of branch in, kill nothing if the other side is taken: it replaces its
// operands by zeros, which are not below 0. The selection is computed right before kill.
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

// choose selects the results of in, an if: one instruction for each register, so that components of one
// register are selected together. A value that is equal on both sides needs no selection. Neither does a
// value that exists on one side only: nothing reads it, or control does not come from the other side.
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

// unwritten reports whether v may be the old contents of an output register, or the contents that a loop left
// there. No other value may replace that, unlike undefined values of other registers.
func (x *flattener) unwritten(v *ir.Value) bool {
	switch in := v.Def; {
	case x.f.Dialect.FileRole(v.Home.File) != ir.RoleOutput:
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

// undefined reports whether v is the contents of an unwritten register. A program may read it, and gets the
// same value at every read, so no other value may replace it.
func undefined(v *ir.Value) bool { return v.Kind == ir.Undef && v.Home != ir.Reg{} }

// become makes readers of v read w.
func (x *flattener) become(v, w *ir.Value) {
	if x.same == nil {
		x.same = map[*ir.Value]ir.Lane{}
	}
	x.same[v] = ir.Lane{V: w}
}

// predicated computes in always, and selects between its result and the pass-through value. Components under
// one comparison are selected together.
func (x *flattener) predicated(in *ir.Instr) error {
	if in.Precise || in.Op.Has(ir.Special) || in.Op.Has(ir.Effect) || in.Op.Has(ir.Memory) || len(in.Sub) > 0 {
		return fmt.Errorf("it is predicated")
	}
	for i, v := range in.Out {
		if v != nil {
			if _, _, _, err := decidingCompare(in.Pred[i]); err != nil {
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
	// in gets new results, and the selection takes the old ones, so that readers need not change.
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
			continue // it was selected together with another
		}
		cond, _, _, _ := decidingCompare(pred[i])
		var a, b ir.Operand
		for k, l := range pred {
			if out[k] != nil && l.V.Def == pred[i].V.Def && l.Mod == pred[i].Mod {
				_, a[k], b[k], _ = decidingCompare(l)
			}
		}
		c := x.decide(in, cond, a, b)
		cmp := &ir.Instr{Op: ir.OpCmp, Orig: -1, Pos: in.Pos, Also: in.Also, Src: []ir.Operand{c.value, {}, {}}}
		a.EachLane(func(k int, _ *ir.Lane) {
			cmp.Out[k], out[k].Def, out[k].Lane = out[k], cmp, uint8(k)
			cmp.Src[1][k], cmp.Src[2][k] = c.between(ir.Lane{V: in.Out[k]}, ir.Lane{V: keep[k]})
		})
		x.out = append(x.out, cmp)
	}
	return nil
}
