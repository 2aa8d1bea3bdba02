package unroll

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Unswitch is the pass "unswitch".
var Unswitch = &passes.Pass{
	Name: "unswitch",
	Doc: `decide loop-invariant branches of kernels before the loop

If a branch in a loop takes the same side on every trip, the branch moves before the loop, and each side gets a copy of
the loop. The price is code. A branch moves only if that pays. Loops with derivatives or barriers stay, unless all
invocations take the same side. copies bounds the loops that one loop becomes, and maxsize their instructions.`,
	Class: passes.Terms,
	Options: []passes.Option{
		{Name: "copies", Default: "4", Doc: "loops that one loop may become"},
		{Name: "maxsize", Default: "4096", Doc: "instructions that these loops may have"},
	},
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if u.Kernel != nil && !c.Settled(0) {
			w := &unswitcher{c: c, u: u, tried: map[decision]bool{}}
			for w.step() {
			}
		}
		return nil
	},
}

// HasInvariantBranches reports whether a loop of the kernel f has a branch with a loop-invariant condition.
func HasInvariantBranches(f *ir.Func) bool {
	for n, here := range sites(f) {
		p := &preloader{u: &passes.Unit{Kernel: f}, loop: n, here: here}
		if len(p.decided()) > 0 {
			return true
		}
	}
	return false
}

// decision is a loop-invariant condition of branches in a loop.
type decision struct {
	loop *ir.Instr
	cond *ir.Value
}

// unswitcher moves branches of a kernel out of loops.
type unswitcher struct {
	c     *passes.Ctx
	u     *passes.Unit
	tried map[decision]bool
}

// step moves the first branch that pays, in inner loops first, and reports whether there was one.
func (w *unswitcher) step() bool {
	for n, here := range sites(w.u.Kernel) {
		p := &preloader{w.c, w.u, 0, n, here}
		if !w.c.Spend(len(here.in.Sub[0].Code)) {
			return false
		}
		for k, x := range p.decided() {
			d := decision{here.in, x.branch.Src[0][0].V}
			if !w.tried[d] && !w.c.Stopped() && w.admits(p, x) {
				if w.pays(p, k) && w.c.ShouldRewrite(x.branch, "unswitched", "moved before the loop") {
					here.unswitch(w.u.Kernel, x)
					return true
				}
			}
			w.tried[d] = true
		}
	}
	return false
}

// admits reports whether the branch x may move before its loop. Otherwise it remarks why not.
func (w *unswitcher) admits(p *preloader, x decided) bool {
	in := p.here.in
	size, _, _ := measure(in, w.u.Kernel.Dialect)
	copies := 2 * copiesOf(w.u.Kernel, in)
	switch {
	case copies > w.c.Int("copies") || copies*size > w.c.Int("maxsize"):
		return w.decline(x, "too-large", "the loop would have too many copies")
	case x.leaves():
		return w.decline(x, "exit", "a side certainly leaves the loop")
	case !w.together(x.branch.Src[0][0].V) && hasConvergent(in, w.u.Kernel.Dialect):
		return w.decline(x, "convergent", "the loop needs neighbouring invocations, which may take the other side")
	}
	return true
}

// decline remarks why a branch stays, and returns false.
func (w *unswitcher) decline(x decided, code asm.Code, why string) bool {
	w.c.Remarkf(x.branch.Pos, code, "this branch stays in the loop: %s", why)
	return false
}

// pays reports whether the kernel costs less if the k-th branch of the loop of p moves.
func (w *unswitcher) pays(p *preloader, k int) bool {
	if w.c.Measure == nil {
		return true
	}
	before, unfit := w.c.Measure(w.u)
	t := w.c.Trial(w.u)
	q := &preloader{w.c, t, 0, p.loop, sites(t.Kernel)[p.loop]}
	x := q.decided()[k]
	q.here.unswitch(t.Kernel, x)
	after, err := w.c.Measure(t)
	if err != nil || unfit == nil && !after.Less(before) {
		return w.decline(x, "cost", "moving it is not cheaper")
	}
	return true
}

// copiesOf returns the number of loops that the original of the loop in has become: each branch around it with
// loops on both sides doubles them.
func copiesOf(f *ir.Func, in *ir.Instr) (n int) {
	var find func(r *ir.Region, n int) int
	find = func(r *ir.Region, n int) int {
		for _, x := range r.Code {
			within := n
			switch {
			case x == in:
				return n
			case x.Op == ir.OpLoop:
				within = 1
			case loopsOnBothSides(x):
				within = 2 * n
			}
			for _, sub := range x.Sub {
				if k := find(sub, within); k > 0 {
					return k
				}
			}
		}
		return 0
	}
	return find(f.Body, 1)
}

// loopsOnBothSides reports whether both sides of a branch have loops.
func loopsOnBothSides(in *ir.Instr) bool {
	return in.Op == ir.OpIf && !slices.ContainsFunc(in.Sub, func(side *ir.Region) bool {
		loops := 0
		side.Walk(func(x *ir.Instr) {
			if x.Op == ir.OpLoop {
				loops++
			}
		})
		return loops == 0
	})
}

// together reports whether all invocations of a group compute the same v.
func (w *unswitcher) together(v *ir.Value) bool {
	u := alike{launch: w.u.Kernel.Dialect.Launch(), seen: map[*ir.Value]bool{}}
	return u.value(v)
}

// hasConvergent reports whether a loop reads neighbouring invocations or waits for them.
func hasConvergent(in *ir.Instr, d ir.Dialect) (found bool) {
	launch := d.Launch()
	in.Sub[0].Walk(func(x *ir.Instr) {
		free := x.Op.Has(ir.IsFetch) && x.Res.Unnorm || x.Op == ir.OpFence && launch != nil && !launch.Waits(x)
		found = found || x.Op.Has(ir.Convergent) && !free
	})
	return found
}

// decided is a branch with a loop-invariant condition. The condition is computed by the instructions at slice
// of the loop's body, if it is computed there.
type decided struct {
	branch *ir.Instr
	slice  sequence
}

// decided lists the branches of the loop with loop-invariant conditions, one for each condition. Branches in
// inner loops are not among them.
func (p *preloader) decided() (list []decided) {
	code, inside, invariant := p.here.in.Sub[0].Code, p.here.values(), p.invariant(false)
	var seen []*ir.Value
	var visit func(r *ir.Region)
	visit = func(r *ir.Region) {
		for _, in := range r.Code {
			if in.Op != ir.OpIf {
				continue
			}
			if v := in.Src[0][0].V; in.Cond == ir.CondNone && !slices.Contains(seen, v) {
				seen = append(seen, v)
				k := slices.IndexFunc(invariant, func(i int) bool { return code[i] == v.Def })
				switch {
				case !inside[v]:
					list = append(list, decided{branch: in})
				case k >= 0:
					list = append(list, decided{in, p.here.needs(invariant, k)})
				}
			}
			for _, side := range in.Sub {
				visit(side)
			}
		}
	}
	visit(p.here.in.Sub[0])
	return list
}

// leaves reports whether a side ends with a break that is always taken.
func (x decided) leaves() bool {
	return slices.ContainsFunc(x.branch.Sub, func(side *ir.Region) bool {
		return slices.ContainsFunc(side.Code, func(in *ir.Instr) bool { return in.Op == ir.OpBreak && len(in.Src) == 0 })
	})
}

// unswitch replaces the loop by a branch with a copy of the loop on each side.
func (s site) unswitch(f *ir.Func, x decided) {
	s.hoistList(x.slice, passes.Always)
	cond, in := x.branch.Src[0][0], s.in
	other := ir.NewCopier(f).Instr(in)
	if !f.Dialect.KeepsOrig() {
		other.Sub[0].Walk(func(in *ir.Instr) { in.Orig = -1 })
		other.Orig = -1
	}
	branch := &ir.Instr{Op: ir.OpIf, Src: []ir.Operand{ir.Splat(cond)}, Orig: -1, Pos: x.branch.Pos, Also: x.branch.Also,
		Sub: []*ir.Region{{Code: []*ir.Instr{in}}, {Code: []*ir.Instr{other}, Results: slices.Clone(other.Results)}}}
	same := map[*ir.Value]ir.Lane{}
	for _, v := range in.Results {
		r := f.NewValue(ir.Result, v.Home)
		r.Def = branch
		branch.Results = append(branch.Results, r)
		same[v] = ir.Lane{V: r}
	}
	s.owner.Code[slices.Index(s.owner.Code, in)] = branch
	f.Replace(same)
	branch.Sub[0].Results = slices.Clone(in.Results)
	clear(same)
	for side, loop := range []*ir.Instr{in, other} {
		loop.Sub[0].TakeSides(func(in *ir.Instr) int {
			switch {
			case in.Cond != ir.CondNone || in.Src[0][0].V != cond.V:
				return -1
			case in.Src[0][0].Mod == cond.Mod:
				return side
			}
			return 1 - side
		}, same)
	}
	f.Replace(same)
}
