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
likes is kept; without one nothing is done. each=true takes out of a few that pay together those
that cost less if they stay: what they would share with the others afterwards no cost tells yet.

It declines branches that hold loops, breaks, effects or stores, predicated code, address
registers, and differences between neighbours or fetches that choose a level by them, and
languages that cannot select by any bit of a word. Direct3D 9 programs have flatten.`,
	Class: passes.Terms,
	Options: []passes.Option{
		{Name: "each", Default: "false", Doc: "of a few branches that pay together leave those that alone do not"},
	},
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

// maxTried bounds the branches of a program that are tried in vain, and maxPriced the
// instructions that are priced in all, over and over: a program of n instructions and b
// branches is priced about log b times if nothing pays.
const (
	maxTried  = 64
	maxPriced = 1 << 17
)

// few branches that pay together may be tried with one of them left, each in turn.
const few = 16

// converter goes through the branches of function which of a unit.
type converter struct {
	c      *passes.Ctx
	u      *passes.Unit
	which  int
	before *passes.Cost // of the unit, nil until it is asked for
	size   int          // of the function, in instructions
	priced int          // how many have been
}

// run goes through the branches, those within others first. All that are left are converted
// together, for one price; where that does not pay, half as many, down to one, and from there on
// twice as many each time it does. So branches go, too, that pay only if others do.
func (x *converter) run() {
	list := branches(x.u.Funcs()[x.which])
	x.u.Funcs()[x.which].Walk(func(*ir.Instr) { x.size++ })
	for k, together, tried := 0, len(list), 0; tried < maxTried && x.priced < maxPriced && !x.c.Stopped() && x.c.Spend(len(list)); {
		if k = x.skip(x.u, list, k); k == len(list) {
			return
		}
		switch {
		case x.pays(k, together, nil):
			list, k = x.convert(x.u, list, k, together, x.left(k, min(together, len(list)-k)))
			together *= 2
		case together > 1:
			together /= 2
		default:
			x.stays(list[k])
			tried++
			k++
		}
	}
}

// pays reports whether it does to convert n branches from the k-th on, but for some of them.
func (x *converter) pays(k, n int, but []int) bool {
	if x.before == nil {
		before, err := x.c.Measure(x.u)
		if err != nil {
			before = passes.Unfit
		}
		x.before = &before
	}
	x.priced += x.size
	t := x.c.Trial(x.u)
	x.convert(t, branches(t.Funcs()[x.which]), k, n, but)
	after, err := x.c.Measure(t)
	if err != nil || !after.Less(*x.before) {
		return false
	}
	x.before = &after
	return true
}

// left are those of n branches from the k-th on, by their places among these, that had better stay
// where the others go.
func (x *converter) left(k, n int) (but []int) {
	if n < 2 || n > few || !x.c.Bool("each") {
		return nil
	}
	for i := n - 1; i >= 0 && x.priced < maxPriced && !x.c.Stopped(); i-- {
		if more := append(but[:len(but):len(but)], i); x.pays(k, n, more) {
			but = more
		}
	}
	return but
}

// convert replaces n branches of a list, of u or a trial of it, from the k-th on, less those that
// have to stay or are refused, or are at the places in but. It returns those that are left, and
// where to go on.
func (x *converter) convert(u *passes.Unit, list []branch, k, n int, but []int) ([]branch, int) {
	f := u.Funcs()[x.which]
	for i := range n {
		if k = x.skip(u, list, k); k == len(list) {
			break
		}
		switch b := list[k]; {
		case slices.Contains(but, i):
			if k++; u == x.u {
				x.stays(b)
			}
		case u == x.u && !x.c.Step(b.in, "both-sides", "both sides computed"):
			x.before = nil
			k++
		default:
			b.flatten(f)
			list = slices.Delete(list, k, k+1)
		}
	}
	return list, k
}

// stays says that a branch does for what it costs.
func (x *converter) stays(b branch) {
	x.c.Remarkf(b.in.Pos, "cost", "this branch stays: to compute both sides costs no less")
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
			// Coordinates that count texels choose no level.
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

// flatten replaces b by both sides and selections, one for the components of a
// register. Copies of a program, as coarsen makes them, have results that had the same
// place, each of which gets a selection of its own. The sides become part of the code around; definitions of one are not
// visible to the other, and SSA needs no renaming.
func (b branch) flatten(f *ir.Func) {
	cond := b.in.Src[0][0]
	yes, no := b.in.Sub[0], b.in.Sub[1]
	if cond.Mod&ir.Not != 0 {
		yes, no, cond.Mod = no, yes, 0
	}
	same := map[*ir.Value]ir.Lane{}
	byReg := map[ir.Reg][]*ir.Instr{}
	code := append(b.in.Sub[0].Code, b.in.Sub[1].Code...)
	for k, v := range b.in.Results {
		if yes.Results[k] == no.Results[k] {
			same[v] = ir.Lane{V: yes.Results[k]}
			continue
		}
		home, lane := v.Home, v.Home.Comp&3
		home.Comp = 0
		n := slices.IndexFunc(byReg[home], func(sel *ir.Instr) bool { return sel.Out[lane] == nil })
		if n < 0 {
			n = len(byReg[home])
			byReg[home] = append(byReg[home], &ir.Instr{Op: ir.OpSel, Orig: -1, Pos: b.in.Pos, Also: b.in.Also, Src: make([]ir.Operand, 3)})
			code = append(code, byReg[home][n])
		}
		sel := byReg[home][n]
		sel.Out[lane], v.Def, v.Lane = v, sel, lane
		sel.Src[0][lane], sel.Src[1][lane], sel.Src[2][lane] = cond, ir.Lane{V: yes.Results[k]}, ir.Lane{V: no.Results[k]}
	}
	at := slices.Index(b.owner.Code, b.in)
	b.owner.Code = slices.Replace(b.owner.Code, at, at+1, code...)
	f.Replace(same)
}
