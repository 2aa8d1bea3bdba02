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

It computes both sides in line and selects each result by the condition. It tries all branches together, then inner
ones, then smaller groups of branches that do the same, and keeps what the cost model prefers. Branches with loops,
breaks, stores, predicates or derivatives stay. Direct3D 9 programs have flatten.`,
	Class: passes.Terms,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if c.Measure == nil {
			return nil
		}
		for k, f := range u.Funcs() {
			if f.Dialect.Supports(ir.OpSel) && !c.Settled(k) {
				x := &converter{c: c, u: u, which: k, f: f, size: f.Len(), tried: map[*ir.Instr]bool{}}
				x.run()
			}
		}
		return nil
	},
}

// maxPriced bounds the total number of instructions that are priced. A program of n instructions with
// branches of k kinds is priced about k log b times, where b is the number of branches of a kind.
const maxPriced = 1 << 17

// converter tries the branches of function f, which is function which of unit u.
type converter struct {
	c      *passes.Ctx
	u      *passes.Unit
	which  int
	f      *ir.Func
	before *passes.Cost // of the unit, nil until the first use
	size   int          // of f, in instructions
	priced int          // instructions priced so far
	tried  map[*ir.Instr]bool
}

// run first tries all candidate branches together, including the enclosing ones that then become candidates.
// This converts branches that pay only together with others. Then it tries them kind by kind, since equal
// branches usually cost the same.
func (x *converter) run() {
	for list := x.untriedBranches(); len(list) > 0; list = x.untriedBranches() {
		if x.conversionPays(list, true) {
			for ; len(list) > 0; list = x.untriedBranches() {
				x.convert(list)
			}
			break
		}
		if kinds := kindsOf(list); len(kinds) == 1 || !x.together(list) {
			for _, kind := range kinds {
				x.convertKind(kind)
			}
		}
	}
	for _, b := range branches(x.f) {
		if code, why := b.stays(x.f.Dialect); why != "" {
			x.c.Remarkf(b.in.Pos, code, "this branch stays: %s", why)
		}
	}
}

// untriedBranches returns the candidate branches that have not been tried, inner ones first.
func (x *converter) untriedBranches() (list []*ir.Instr) {
	for _, b := range branches(x.f) {
		if x.c.Spend(1) && !x.tried[b.in] && b.isConvertible(x.f.Dialect) {
			list = append(list, b.in)
		}
	}
	return list
}

// kindsOf groups branches by the instructions of their sides, in the order of the first of a kind.
func kindsOf(list []*ir.Instr) (kinds [][]*ir.Instr) {
	at := map[string]int{}
	var key []byte
	for _, in := range list {
		key = key[:0]
		for _, side := range in.Sub {
			for _, in := range side.Code {
				key = append(key, byte(in.Op), in.Mask())
			}
			key = append(key, byte(ir.OpIf)) // an op that no convertible side contains
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

// convertKind converts the profitable branches of a kind: all of them, or half as many, down to one. After each
// success it doubles the number. If a single one does not pay, it tries no other.
func (x *converter) convertKind(kind []*ir.Instr) {
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

// together converts the branches of list if that pays, and reports whether it did.
func (x *converter) together(list []*ir.Instr) bool {
	if !x.conversionPays(list, false) {
		return false
	}
	x.convert(list)
	return true
}

// conversionPays reports whether converting the branches of list pays. With around, it also converts enclosing branches
// that become candidates.
func (x *converter) conversionPays(list []*ir.Instr, around bool) bool {
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
			if !stay[b.in] && b.isConvertible(f.Dialect) {
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

// setOf returns a list as a set.
func setOf(list []*ir.Instr) map[*ir.Instr]bool {
	set := map[*ir.Instr]bool{}
	for _, in := range list {
		set[in] = true
	}
	return set
}

// convert converts branches, except refused ones.
func (x *converter) convert(list []*ir.Instr) {
	chosen := setOf(list)
	for _, b := range branches(x.f) {
		if !chosen[b.in] {
			continue
		}
		if x.tried[b.in] = true; x.c.ShouldRewrite(b.in, "both-sides", "both sides computed") {
			b.flatten(x.f)
		} else {
			x.before = nil
		}
	}
}

// stays records that a branch stays because of its cost.
func (x *converter) stays(in *ir.Instr) {
	x.tried[in] = true
	x.c.Remarkf(in.Pos, "cost", "this branch stays: computing both sides is not cheaper")
}

// branch is a branch and the region that contains it.
type branch struct {
	in    *ir.Instr
	owner *ir.Region
}

// branches lists the branches of f, inner ones first.
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

// stays returns the reason why both sides cannot be computed, or "".
func (b branch) stays(d ir.Dialect) (code asm.Code, why string) {
	if b.in.Cond != ir.CondNone {
		return "control-flow", "it has its own comparison"
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
				return "convergent", "a difference between neighbours, or a fetch that needs it, is inside" // also for fetches that choose a level
			}
		}
	}
	for k, v := range b.in.Results {
		role := d.FileRole(v.Home.File)
		if b.in.Sub[0].Results[k] != b.in.Sub[1].Results[k] && role != ir.RoleTemp {
			return "control-flow", "it decides the value of " + d.RegName(v.Home)
		}
	}
	return "", ""
}

// Select replaces the branches of f that pick and step agree to by both sides and selections, inner ones first, and
// returns their number. Branches that the pass cannot convert stay.
func Select(f *ir.Func, pick func(*ir.Instr) bool, step passes.Grant) (n int) {
	for _, b := range branches(f) {
		if b.isConvertible(f.Dialect) && pick(b.in) && step(b.in, "both-sides", "both sides computed") {
			b.flatten(f)
			n++
		}
	}
	return n
}

// isConvertible reports whether both sides can be computed.
func (b branch) isConvertible(d ir.Dialect) bool {
	_, why := b.stays(d)
	return why == ""
}

// flatten replaces b by both sides and selections, one selection for the components of a register. Copies of
// a program, as coarsen makes them, have several results with one home; each gets a separate selection. The
// sides become part of the enclosing code. Neither side sees definitions of the other, so SSA needs no
// renaming.
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
			byReg[home] = append(byReg[home], &ir.Instr{Op: ir.OpSel, Orig: -1, Pos: b.in.Pos, Also: b.in.Also,
				Src: make([]ir.Operand, 3)})
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
