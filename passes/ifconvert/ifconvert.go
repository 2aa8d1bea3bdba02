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
from memory does no harm where it is not wanted. All branches are tried together, with those
around them; then those within others, together; then those whose sides do the same, all of
a kind, half as many, down to one. Only what the cost model likes is kept, and without one
nothing is done. each=true takes out of a few that pay together those that cost less if they
stay: what they would share with the others afterwards no cost tells yet.

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
				x := &converter{c: c, u: u, which: k, f: f, size: f.Len(), tried: map[*ir.Instr]bool{}}
				x.run()
			}
		}
		return nil
	},
}

// maxPriced bounds the instructions that are priced in all, over and over: a program of n instructions
// and branches of k kinds is priced about k log b times, b being how many there are of a kind.
const maxPriced = 1 << 17

// few branches that pay together may be tried with one of them left, each in turn.
const few = 16

// converter goes through the branches of function f, which is that of a unit by its place there.
type converter struct {
	c      *passes.Ctx
	u      *passes.Unit
	which  int
	f      *ir.Func
	before *passes.Cost // of the unit, nil until it is asked for
	size   int          // of f, in instructions
	priced int          // how many have been
	tried  map[*ir.Instr]bool
}

// run tries the branches that may go, with those around them that may then, all of them together at
// first, so that those go, too, that pay only if others do; then those of a kind, as what is alike
// pays alike.
func (x *converter) run() {
	for list := x.list(); len(list) > 0; list = x.list() {
		if !x.c.Bool("each") && x.pays(list, true) {
			for ; len(list) > 0; list = x.list() {
				x.convert(list)
			}
			break
		}
		if kinds := kindsOf(list); len(kinds) == 1 || !x.together(list) {
			for _, kind := range kinds {
				x.some(kind)
			}
		}
	}
	for _, b := range branches(x.f) {
		if code, why := b.stays(x.f.Dialect); why != "" {
			x.c.Remarkf(b.in.Pos, code, "this branch stays: %s", why)
		}
	}
}

// list are the branches that may go and have not been tried, those within others first.
func (x *converter) list() (list []*ir.Instr) {
	for _, b := range branches(x.f) {
		if x.c.Spend(1) && !x.tried[b.in] && b.may(x.f.Dialect) {
			list = append(list, b.in)
		}
	}
	return list
}

// kindsOf sorts branches by what their sides do, in the order of the first of a kind.
func kindsOf(list []*ir.Instr) (kinds [][]*ir.Instr) {
	at := map[string]int{}
	var key []byte
	for _, in := range list {
		key = key[:0]
		for _, side := range in.Sub {
			for _, in := range side.Code {
				key = append(key, byte(in.Op), in.Mask())
			}
			key = append(key, byte(ir.OpIf)) // which is in none that may go
		}
		n, known := at[string(key)]
		if !known {
			n = len(kinds)
			at[string(key)], kinds = n, append(kinds, nil)
		}
		kinds[n] = append(kinds[n], in)
	}
	return kinds
}

// some converts the branches of a kind that pay: all of them, or half as many, down to one, and
// from there on twice as many each time it does. Where one alone does not pay, no other is tried.
func (x *converter) some(kind []*ir.Instr) {
	for n := len(kind); len(kind) > 0; {
		n = min(n, len(kind))
		switch {
		case x.together(kind[:n]):
			kind, n = kind[n:], 2*n
		case n > 1:
			n /= 2
		default:
			for _, in := range kind {
				x.stays(in)
			}
			return
		}
	}
}

// together converts branches if that pays, but for those of them that had better stay, and reports
// whether it did.
func (x *converter) together(list []*ir.Instr) bool {
	if !x.pays(list, false) {
		return false
	}
	chosen := x.chosen(list)
	x.convert(chosen)
	for _, in := range list {
		if !x.tried[in] {
			x.stays(in)
		}
	}
	return true
}

// pays reports whether it does to convert branches, and those around them that may go then if
// around asks for that.
func (x *converter) pays(list []*ir.Instr, around bool) bool {
	if x.priced += x.size; x.priced > maxPriced || x.c.Stopped() {
		return false
	}
	if x.before == nil {
		before, err := x.c.Measure(x.u)
		if err != nil {
			before = passes.Unfit
		}
		x.before = &before
	}
	t := x.c.Trial(x.u)
	f := t.Funcs()[x.which]
	same, chosen, stay := branches(f), setOf(list), map[*ir.Instr]bool{}
	for i, b := range branches(x.f) {
		if stay[same[i].in] = x.tried[b.in]; chosen[b.in] {
			same[i].flatten(f)
		}
	}
	for more := around; more; {
		more = false
		for _, b := range branches(f) {
			if !stay[b.in] && b.may(f.Dialect) {
				b.flatten(f)
				more = true
			}
		}
	}
	after, err := x.c.Measure(t)
	if err != nil || !after.Less(*x.before) {
		return false
	}
	x.before = &after
	return true
}

// setOf is a list as a set.
func setOf(list []*ir.Instr) map[*ir.Instr]bool {
	set := map[*ir.Instr]bool{}
	for _, in := range list {
		set[in] = true
	}
	return set
}

// convert converts branches, except those for which that is refused.
func (x *converter) convert(list []*ir.Instr) {
	chosen := setOf(list)
	for _, b := range branches(x.f) {
		if !chosen[b.in] {
			continue
		}
		if x.tried[b.in] = true; x.c.Step(b.in, "both-sides", "both sides computed") {
			b.flatten(x.f)
		} else {
			x.before = nil
		}
	}
}

// chosen are those of the branches of a list, which pays, without those that had better stay where
// the others go.
func (x *converter) chosen(list []*ir.Instr) []*ir.Instr {
	if len(list) < 2 || len(list) > few || !x.c.Bool("each") {
		return list
	}
	for i := len(list) - 1; i >= 0 && len(list) > 1; i-- {
		if less := slices.Delete(slices.Clone(list), i, i+1); x.pays(less, false) {
			list = less
		}
	}
	return list
}

// stays says that a branch does for what it costs.
func (x *converter) stays(in *ir.Instr) {
	x.tried[in] = true
	x.c.Remarkf(in.Pos, "cost", "this branch stays: to compute both sides costs no less")
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

// may reports whether both sides can be computed.
func (b branch) may(d ir.Dialect) bool {
	_, why := b.stays(d)
	return why == ""
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
