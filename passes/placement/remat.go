package placement

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// Remat is rematerialization for fetches.
var Remat = &passes.Pass{
	Name: "remat",
	Doc: `recompute single coordinates in the register that holds the others

The taps of a filter share rows and columns, so their coordinates need moves and wait in registers. The pass computes
a changed coordinate again, in the register that holds the others (Briggs, Cooper and Torczon, "Rematerialization",
PLDI 1992). It tries three orders of the fetches of a block, and keeps one only if it saves slots.`,
	Class: passes.Terms,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if c.Measure == nil {
			return nil
		}
		var err error
		x := &search{c: c, u: u}
		for i, f := range u.Funcs() {
			for k := 0; k < min(len(blocksOf(f.Body)), maxBlocks); k++ { // removing dead branches removes blocks
				if p := newPlan(f, blocksOf(f.Body)[k]); p == nil || !p.shares() {
					continue
				}
				if x.cost == (passes.Cost{}) {
					if x.cost, err = c.Measure(u); err != nil {
						x.cost = passes.Unfit
					}
				}
				x.block(i, k)
				f = u.Funcs()[i]
			}
		}
		return nil
	},
}

// search looks for a cheaper plan for the fetches of blocks.
type search struct {
	c    *passes.Ctx
	u    *passes.Unit
	cost passes.Cost
}

// block rewrites block k of program i, if that pays. It prices the possible orders, those with fewest
// computations first, and stops at the first that pays.
func (x *search) block(i, k int) {
	type trial struct {
		*plan
		unit *passes.Unit
	}
	var trials []trial
	for o := range orders {
		t := x.u.Clone()
		f := t.Funcs()[i]
		p := newPlan(f, blocksOf(f.Body)[k])
		p.order = o
		p.rewrite()
		cleanup.Sweep(f)
		trials = append(trials, trial{p, t})
	}
	slices.SortStableFunc(trials, func(a, b trial) int { return a.computed - b.computed })
	for _, t := range trials {
		if cost, err := x.c.Measure(t.unit); err == nil && cost.Less(x.cost) {
			if x.c.ShouldRewrite(t.taps[0].in, "rematerialized", "coordinates computed again") {
				*x.u, x.cost = *t.unit, cost
			}
			return
		}
	}
}

// maxBlocks bounds how many blocks of a program are tried.
const maxBlocks = 16

// block is a maximal run of instructions of a region without a boundary.
type block struct {
	region   *ir.Region
	from, to int
}

func (b block) code() []*ir.Instr { return b.region.Code[b.from:b.to] }

// blocksOf lists the blocks of r and of its nested regions.
func blocksOf(r *ir.Region) (list []block) {
	from := 0
	for i, in := range r.Code {
		if !in.Op.Has(ir.Structured) && !in.Op.Has(ir.Effect) {
			continue
		}
		list = append(list, block{r, from, i})
		for _, sub := range in.Sub {
			list = append(list, blocksOf(sub)...)
		}
		from = i + 1
	}
	return append(list, block{r, from, len(r.Code)})
}
