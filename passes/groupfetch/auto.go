package groupfetch

import (
	"maps"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// windows are what window=auto tries for kernels; 0 is without bound. They are
// multiples of the fetches of a clause.
var windows = []int{0, 64, 32, 24, 16, 8}

// maxParts bounds how many blocks are decided about one by one. Of more, all get the same
// limits, so that the number of programs to be priced has a bound.
const maxParts = 16

// maxCuts bounds, for the same reason, how many runs of a block are decided about.
const maxCuts = 32

// maxLosses bounds how many runs of a block in a row may fail to join those before: what
// keeps one from it, such as a register too few, mostly keeps its neighbours from it too.
const maxLosses = 4

// chooser looks for the limits that cost least, or as little in fewer runs of fetches.
// It is hill climbing: block after block, each with what was found for those before.
// The number of programs that are priced is bounded by maxParts times what is tried of
// each.
type chooser struct {
	c    *passes.Ctx
	u    *passes.Unit
	now  []limits // by block
	cost passes.Cost
	// of those in now
	runs   int
	better bool // than the code as it is
	// makes the copies that are priced
	trial passes.Cloner
}

// part is blocks that are decided about together.
type part struct {
	blocks  []int
	fetches int // of the largest group
}

// best finds limits for every block of u. What else bounds groups is in base. A kernel
// is tried with windows; a program of Direct3D 9 with whole blocks, and if that is no
// better with runs that join one after the other.
func best(c *passes.Ctx, u *passes.Unit, base limits) []limits {
	parts, keep := divide(u, base)
	x := &chooser{c: c, u: u, now: keep}
	if len(parts) == 0 {
		return keep
	}
	var err error
	if x.cost, err = c.Measure(u); err != nil {
		x.cost = passes.Unfit
	}
	for _, b := range blocksOf(u) {
		x.runs += len(b.starts())
	}
	for _, p := range parts {
		if u.Kernel != nil {
			x.windows(p, base)
		} else if !x.try(p, base) && len(p.blocks) == 1 {
			x.join(p, base)
		}
	}
	if !x.better {
		c.Remarkf(asm.Pos{}, "cost", "no fetches are grouped: nothing tried costs less")
	}
	return x.now
}

// divide says which blocks would change, and keeps them all for now. Blocks that stay
// as they are under l need no decision.
func divide(u *passes.Unit, l limits) (parts []part, keep []limits) {
	whole := part{}
	for i, b := range blocksOf(u) {
		keep = append(keep, limits{keep: true})
		g := b.gather(l)
		if slices.Equal(g.gathered(), b.code) {
			continue
		}
		n := 0
		for _, g := range g.groups {
			n = max(n, len(g.fetches))
		}
		parts = append(parts, part{[]int{i}, n})
		whole.blocks, whole.fetches = append(whole.blocks, i), max(whole.fetches, n)
	}
	if len(parts) > maxParts {
		parts = []part{whole}
	}
	return parts, keep
}

// try gives p other limits, and reports whether that is better: cheaper, or as cheap in
// fewer runs. What is better stays.
func (x *chooser) try(p part, l limits) bool {
	list := slices.Clone(x.now)
	for _, i := range p.blocks {
		list[i] = l
	}
	t := x.trial.Clone(x.u)
	runs := 0
	for i, b := range blocksOf(t) {
		b.rearrange(list[i], agreed)
		runs += len(b.starts())
	}
	if x.u.Kernel == nil && runs >= x.runs {
		return false // nothing but runs is what it is for, and prices take their time
	}
	cost, err := x.c.Measure(t)
	if err != nil || !cost.Less(x.cost) && (cost != x.cost || runs >= x.runs) {
		return false
	}
	x.now, x.cost, x.runs, x.better = list, cost, runs, true
	return true
}

// windows tries windows for p. A later one counts only if it is better than those
// before.
func (x *chooser) windows(p part, l limits) {
	for _, l.window = range windows {
		if l.window < p.fetches { // else it has no effect
			x.try(p, l)
		}
	}
}

// join lets the runs of fetches in p, a block, join those before, one by one. At first
// each run is cut from those before it, which is the code as it is; each try takes away
// one cut.
func (x *chooser) join(p part, l limits) {
	starts := blocksOf(x.u)[p.blocks[0]].starts()
	l.cuts = map[int]bool{}
	for _, i := range starts {
		l.cuts[i] = true
	}
	losses := 0
	for _, i := range starts[1:min(len(starts), maxCuts)] {
		cuts := l.cuts
		l.cuts = maps.Clone(cuts)
		delete(l.cuts, i)
		if losses++; x.try(p, l) {
			losses = 0
			continue
		}
		l.cuts = cuts
		if losses == maxLosses {
			return
		}
	}
}

// agreed lets tentative steps happen.
func agreed(*ir.Instr, asm.Code, string) bool { return true }
