package fetches

import (
	"maps"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/passes"
)

// windows are the group sizes that window=auto tries for kernels; 0 is unlimited. They are multiples of the
// fetches of a clause.
var windows = []int{0, 64, 32, 24, 16, 8}

// maxParts bounds how many blocks are decided separately. If there are more, all get the same limits, which
// bounds the number of priced programs.
const maxParts = 16

// maxCuts bounds, for the same reason, how many runs of a block are decided.
const maxCuts = 32

// maxLosses bounds how many runs of a block in a row may fail to join earlier ones. An obstacle for one run,
// such as a missing register, mostly affects its neighbours too.
const maxLosses = 4

// chooser searches for the limits with the least cost, or with equal cost and fewer runs of fetches. It is
// hill climbing: block after block, each with the result for the earlier ones. It prices at most maxParts
// programs times the attempts per block.
type chooser struct {
	c    *passes.Ctx
	u    *passes.Unit
	now  []limits // by block
	cost passes.Cost
	// of the limits in now
	runs   int
	better bool // than the unchanged code
	// for the copies that are priced
	trial passes.Cloner
}

// part is a set of blocks that are decided together.
type part struct {
	blocks  []int
	fetches int // of the largest group
}

// bestLimits returns limits for every block of u. base holds the other limits. It tries windows for a kernel. For a
// program of Direct3D 9 it tries whole blocks, and if that is no better, runs that join one after the other.
func bestLimits(c *passes.Ctx, u *passes.Unit, base limits) []limits {
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
		} else if !x.tryLimits(p, base) && len(p.blocks) == 1 {
			x.joinRuns(p, base)
		}
	}
	if !x.better {
		c.Remarkf(asm.Pos{}, "cost", "no fetches are grouped: no version that was tried is cheaper")
	}
	return x.now
}

// divide lists the blocks that would change under l, and limits that keep all blocks unchanged. Other blocks
// need no decision.
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

// tryLimits changes the limits of p, and reports whether that is better: cheaper, or equal with fewer runs. If so,
// it keeps the new limits.
func (x *chooser) tryLimits(p part, l limits) bool {
	list := slices.Clone(x.now)
	for _, i := range p.blocks {
		list[i] = l
	}
	t := x.trial.Clone(x.u)
	runs := 0
	for i, b := range blocksOf(t) {
		b.rearrange(list[i], passes.Always)
		runs += len(b.starts())
	}
	if x.u.Kernel == nil && runs >= x.runs {
		return false // only fewer runs can help, and pricing takes time
	}
	cost, err := x.c.Measure(t)
	if err != nil || !cost.Less(x.cost) && (cost != x.cost || runs >= x.runs) {
		return false
	}
	x.now, x.cost, x.runs, x.better = list, cost, runs, true
	return true
}

// windows tries windows for p. A later one counts only if it is better than the earlier ones.
func (x *chooser) windows(p part, l limits) {
	for _, l.window = range windows {
		if l.window < p.fetches { // otherwise it has no effect
			x.tryLimits(p, l)
		}
	}
}

// joinRuns tries to let the runs of fetches in p, a block, join the earlier ones, one by one. At first each run
// is cut from the earlier ones, which is the unchanged code; each attempt removes one cut.
func (x *chooser) joinRuns(p part, l limits) {
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
		if losses++; x.tryLimits(p, l) {
			losses = 0
			continue
		}
		l.cuts = cuts
		if losses == maxLosses {
			return
		}
	}
}
