package ifconvert

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Pass is the pass "if-convert".
var Pass = &passes.Pass{
	Name: "if-convert",
	Doc: `compute both sides of branches of kernels and select, where that costs less

A branch takes clauses of its own, and what it computes waits for that before it. So both
sides are computed, in line, and each result is selected by the condition, bit by bit the
one of the side that would have been taken: nothing traps, and what a side fetches or reads
from memory does no harm where it is not wanted. Branches within branches come first, each
is tried with all others, then with half of them, down to itself, and only what the cost model
likes is kept; without one nothing is done.

It declines branches that hold loops, breaks, effects or stores, predicated code, address
registers, and differences between neighbours or fetches that choose a level by them, and
languages that cannot select by any bit of a word. Direct3D 9 programs have flatten.`,
	Class: passes.Terms,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if c.Measure == nil {
			return nil
		}
		for k, f := range u.Funcs() {
			if f.Dialect.Has(ir.OpSel) && !c.Settled(k) {
				x := &converter{c: c, u: u, which: k}
				x.run()
			}
		}
		return nil
	},
}

// maxTried bounds the branches of a program that are tried in vain, and maxPriced the instructions
// that are priced in all, over and over.
const (
	maxTried  = 64
	maxPriced = 1 << 17
)

// converter goes through the branches of function which of a unit.
type converter struct {
	c      *passes.Ctx
	u      *passes.Unit
	which  int
	before *passes.Cost // of the unit, nil until it is asked for
}

// run goes through the branches, those within others first. All that are left are converted
// together, for one price; where that does not pay, half as many, down to one, and from there on
// twice as many each time it does. So branches go, too, that pay only if others do.
func (x *converter) run() {
	list, size, priced := branches(x.u.Funcs()[x.which]), 0, 0
	x.u.Funcs()[x.which].Walk(func(*ir.Instr) { size++ })
	for k, together, tried := 0, len(list), 0; tried < maxTried && priced < maxPriced && !x.c.Stopped() && x.c.Spend(len(list)); {
		if k = x.skip(x.u, list, k); k == len(list) {
			return
		}
		priced += size
		switch {
		case x.pays(k, together):
			list, k = x.convert(x.u, list, k, together)
			together *= 2
		case together > 1:
			together /= 2
		default:
			x.c.Remarkf(list[k].in.Pos, "cost", "this branch stays: to compute both sides costs no less")
			tried++
			k++
		}
	}
}

// pays reports whether it does to convert n branches from the k-th on.
func (x *converter) pays(k, n int) bool {
	if x.before == nil {
		before, err := x.c.Measure(x.u)
		if err != nil {
			before = passes.Unfit
		}
		x.before = &before
	}
	t := x.c.Trial(x.u)
	x.convert(t, branches(t.Funcs()[x.which]), k, n)
	after, err := x.c.Measure(t)
	if err != nil || !after.Less(*x.before) {
		return false
	}
	x.before = &after
	return true
}

// convert replaces n branches of a list, of u or a trial of it, from the k-th on, less those that
// have to stay or are refused. It returns those that are left, and where to go on.
func (x *converter) convert(u *passes.Unit, list []branch, k, n int) ([]branch, int) {
	for f := u.Funcs()[x.which]; n > 0; n-- {
		if k = x.skip(u, list, k); k == len(list) {
			break
		}
		if b := list[k]; u == x.u && !x.c.Step(b.in, "both-sides", "both sides computed") {
			x.before = nil
			k++
		} else {
			b.flatten(f)
			list = slices.Delete(list, k, k+1)
		}
	}
	return list, k
}

// skip is the first branch from k on that may go. Of those of u itself before it, it remarks why.
func (x *converter) skip(u *passes.Unit, list []branch, k int) int {
	for ; k < len(list); k++ {
		code, why := list[k].stays(u.Funcs()[x.which].Dialect)
		if why == "" {
			break
		}
		if u == x.u {
			x.c.Remarkf(list[k].in.Pos, code, "this branch stays: %s", why)
		}
	}
	return k
}

// branch is one, and the code that it is part of.
type branch struct {
	in    *ir.Instr
	owner *ir.Region
}

// branches lists those of f, those within others first.
func branches(f *ir.Func) (list []branch) {
	f.EachRegion(func(r *ir.Region) {
		for _, in := range r.Code {
			if in.Op == ir.OpIf {
				list = append(list, branch{in, r})
			}
		}
	})
	return list
}

// stays says why both sides cannot be computed.
func (b branch) stays(d ir.Dialect) (code asm.Code, why string) {
	if b.in.Cond != ir.CondNone {
		return "control-flow", "it compares by itself"
	}
	for _, side := range b.in.Sub {
		for _, in := range side.Code {
			switch op := in.Op; {
			case op.Has(ir.Structured):
				return "control-flow", op.String() + " is inside"
			case op.Has(ir.Effect):
				return "memory", op.String() + " is inside"
			case op.Has(ir.Special) || in.IsPredicated():
				return "control-flow", "an address or a predicate is inside"
			case op.Has(ir.Convergent) && !(op.Has(ir.IsFetch) && in.Res.Unnorm):
				return "convergent", "a difference between neighbours is inside" // which chooses a level, too
			}
		}
	}
	for k, v := range b.in.Results {
		role := d.Role(v.Home.File)
		if b.in.Sub[0].Results[k] != b.in.Sub[1].Results[k] && role != ir.RoleTemp {
			return "control-flow", "it decides what is in " + d.RegName(v.Home)
		}
	}
	return "", ""
}

// flatten replaces b by both sides and selections, one for the components of a register.
func (b branch) flatten(f *ir.Func) {
	cond := b.in.Src[0][0]
	yes, no := b.in.Sub[0], b.in.Sub[1]
	if cond.Mod&ir.Not != 0 {
		yes, no, cond.Mod = no, yes, 0
	}
	same := map[*ir.Value]ir.Lane{}
	byReg := map[ir.Reg]*ir.Instr{}
	code := append(b.in.Sub[0].Code, b.in.Sub[1].Code...)
	for k, v := range b.in.Results {
		if yes.Results[k] == no.Results[k] {
			same[v] = ir.Lane{V: yes.Results[k]}
			continue
		}
		home, lane := v.Home, v.Home.Comp&3
		home.Comp = 0
		sel := byReg[home]
		if sel == nil {
			sel = &ir.Instr{Op: ir.OpSel, Orig: -1, Pos: b.in.Pos, Src: make([]ir.Operand, 3)}
			byReg[home] = sel
			code = append(code, sel)
		}
		sel.Out[lane], v.Def, v.Lane = v, sel, lane
		sel.Src[0][lane], sel.Src[1][lane], sel.Src[2][lane] = cond, ir.Lane{V: yes.Results[k]}, ir.Lane{V: no.Results[k]}
	}
	at := slices.Index(b.owner.Code, b.in)
	b.owner.Code = slices.Replace(b.owner.Code, at, at+1, code...)
	f.Replace(same)
}
