package vectorize

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// SelectLanes is the pass.
var SelectLanes = &passes.Pass{
	Name: "select-lanes",
	Doc: `bring lanes of several registers together by selects on literals

If the lanes of an operand are computed in several registers, one select on a literal replaces the moves. The literal
is 1 in the lanes from one register and -1 in the others. Every operand of the same lanes shares the select. The pass
tries operands one by one, alone and together with vectorize, and keeps what costs less.`,
	Class: passes.Bits,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if c.Measure == nil {
			return nil
		}
		for k, f := range u.Funcs() {
			if f.Dialect.Supports(ir.OpCmp) && !c.Settled(k) {
				choose(c, u, k)
			}
		}
		return nil
	},
}

// maxLosses bounds how many operands in a row may not pay: each is priced, once or twice. It is fitted to the
// corpora.
const maxLosses = 32

// maxCandidates bounds the number of candidates: each is a walk over the program.
const maxCandidates = 256

// choose makes the profitable selects in function k of u.
func choose(c *passes.Ctx, u *passes.Unit, k int) {
	list := candidates(c, u.Funcs()[k])
	if len(list) == 0 || !c.Spend(len(list)) {
		return
	}
	cost, unfit := c.Measure(u)
	if unfit != nil {
		cost = passes.Unfit
	}
	// try makes a select in a copy of u, and keeps it if that pays, alone or together with the joins that it
	// permits. A select takes a slot, so alone it has to replace two moves. The joins are priced only if the
	// instructions that they save can make up for the select.
	try := func(x candidate) bool {
		t := c.TrialOf(u, k)
		f := t.Funcs()[k]
		code := listed(f)
		if !x.apply(f, code) {
			return false
		}
		alone := cost == passes.Unfit || *slotsIn(&cost, u, k)-slotsOf(u.Funcs()[k]) >= 2
		var now passes.Cost
		var err error
		if alone {
			now, err = c.Measure(t)
		}
		if !alone || err == nil && !now.Less(cost) {
			slots := slotsOf(f)
			Join(f, passes.Always)
			saved := slots - slotsOf(f)
			if *slotsIn(&now, u, k) -= saved; saved <= 0 || alone && !now.Less(cost) {
				return false
			}
			now, err = c.Measure(t)
		}
		if err != nil || !now.Less(cost) || !c.ShouldRewrite(code[x.at], "selected", "read from a select between registers") {
			return false
		}
		c.Adopt(u, t)
		cost = now
		return true
	}
	for n, losses := 0, 0; n < len(list) && losses < maxLosses && !c.Stopped() && c.Spend(1); {
		if try(list[n]) {
			losses, list = 0, candidates(c, u.Funcs()[k]) // without this one
		} else {
			losses, n = losses+1, n+1
		}
	}
}

// slotsOf returns the slots of the instructions of f without moves. Moves are the rest of a price.
func slotsOf(f *ir.Func) (n int) {
	f.Walk(func(in *ir.Instr) {
		if in.Op != ir.OpMov {
			n += f.Dialect.Slots(in)
		}
	})
	return n
}

// slotsIn returns the part of a cost for the slots of program k of u.
func slotsIn(cost *passes.Cost, u *passes.Unit, k int) *int {
	if u.Funcs()[k] == u.Vertex {
		return &cost[1]
	}
	return &cost[0]
}

// candidate is an operand that a select may compute: source s of instruction at. one is the set of lanes from
// the first register.
type candidate struct {
	at, s int
	one   uint8
}

// candidates lists the operands of f whose lanes come from several registers and cannot share one. Equal
// operands appear once.
func candidates(c *passes.Ctx, f *ir.Func) (list []candidate) {
	seen, w := map[ir.Operand]bool{}, selectWebs{}
	code := listed(f)
	for at, in := range code {
		if in.Op.Has(ir.Structured) {
			continue
		}
		for s := range in.Src {
			o := &in.Src[s]
			one := apart(o)
			if one == 0 {
				continue
			}
			w.joinPlaces(o)
			if !seen[*o] && c.Allows(passes.Bits, in) {
				seen[*o] = true
				list = append(list, candidate{at, s, one})
			}
		}
	}
	fixed := map[*ir.Value]bool{} // block arguments, which have fixed registers
	for to, list := range f.Handed() {
		fixed[to] = true
		for _, v := range list {
			fixed[v] = true
		}
	}
	list = slices.DeleteFunc(list, func(x candidate) bool {
		o := &code[x.at].Src[x.s]
		return !w.crowded(o) && !slices.ContainsFunc(o[:], func(l ir.Lane) bool { return fixed[l.V] })
	})
	return list[:min(len(list), maxCandidates)]
}

// apart returns the lanes of o that are from the same register as the first. It returns 0 if all are, or if
// the register of a lane is unknown.
func apart(o *ir.Operand) (one uint8) {
	var first place
	several := false
	for i, l := range o {
		if l.V == nil {
			continue
		}
		switch p := placeOf(l.V); {
		case p == place{}:
			return 0
		case one == 0 || p == first:
			first, one = p, one|1<<i
		default:
			several = true
		}
	}
	if !several {
		return 0
	}
	return one
}

// apply makes the select in f, whose instructions are code, and reports whether one statement can express it.
// The select follows the last of its operands, so that it serves all equal operands.
func (x candidate) apply(f *ir.Func, code []*ir.Instr) bool {
	in := code[x.at]
	o := in.Src[x.s]
	sel := &ir.Instr{Op: ir.OpCmp, Orig: -1, Pos: in.Pos, Also: in.Also, Src: make([]ir.Operand, 3)}
	var made ir.Operand
	for i, l := range o {
		if l.V == nil {
			continue
		}
		cond, from := float32(1), 1
		if x.one>>i&1 == 0 {
			cond, from = -1, 2
		}
		sel.Src[0][i] = ir.Lane{V: f.Const(math.Float32bits(cond))}
		sel.Src[from][i], sel.Src[3-from][i] = l, x.beside(&o, i)
		made[i] = ir.Lane{V: f.Define(sel, i, ir.Reg{})}
	}
	if !f.Dialect.Encodable(sel) || !insert(f, sel, lastOf(&o, code)) {
		return false
	}
	for _, reader := range code {
		for s := range reader.Src {
			if reader.Src[s] == o && !reader.Precise {
				reader.Src[s] = made
			}
		}
	}
	return true
}

// beside returns the lane that the select reads, unselected, in lane i: a lane of its other operand. It
// prefers the same component, which swizzles read best.
func (x candidate) beside(o *ir.Operand, i int) (l ir.Lane) {
	one := x.one >> i & 1
	for j, m := range o {
		if m.V == nil || x.one>>j&1 == one {
			continue
		}
		if d := m.V.Def; d != nil && d.Out[i] != nil {
			return ir.Lane{V: d.Out[i], Mod: m.Mod}
		}
		if l.V == nil {
			l = m
		}
	}
	return l
}

// lastOf returns the last instruction of code that computes a lane of o, or nil.
func lastOf(o *ir.Operand, code []*ir.Instr) (last *ir.Instr) {
	for _, in := range code {
		for _, l := range o {
			if l.V != nil && l.V.Def == in {
				last = in
			}
		}
	}
	return last
}

// insert puts sel after instruction last of f, or at the start if last is nil.
func insert(f *ir.Func, sel, last *ir.Instr) (done bool) {
	if last == nil {
		f.Body.Code = slices.Insert(f.Body.Code, 0, sel)
		return true
	}
	f.EachRegion(func(r *ir.Region) {
		if at := slices.Index(r.Code, last); at >= 0 {
			r.Code, done = slices.Insert(r.Code, at+1, sel), true
		}
	})
	return done
}

// listed returns the instructions of f in program order.
func listed(f *ir.Func) (code []*ir.Instr) {
	f.Walk(func(in *ir.Instr) { code = append(code, in) })
	return code
}
