package fetches

import (
	"slices"
	"strconv"

	"github.com/shaderlift/shaderlift/passes"
)

// Group is the grouping of fetches.
var Group = &passes.Pass{
	Name: "group-fetches",
	Doc: `bring fetches together, those of one resource next to each other

In straight-line code, fetches and the code of their coordinates move up to the first fetch of their group. A group is
sorted by resource and by rows of coordinates, so that fetches hit the same cache lines. The price is registers.

window=N limits a group to N fetches, and window=all does not limit it. window=auto asks the cost model for each
block. Nothing moves across a branch, loop, break, discard, fence or store.`,
	Class: passes.Terms,
	Options: []passes.Option{
		{Name: "window", Default: "auto", Words: []string{"auto", "all"}, Number: true, Least: 1,
			Doc: "fetches to a group: a number, all or auto"},
	},
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		explain(c, u)
		blocks := blocksOf(u)
		for i, l := range choose(c, u, len(blocks)) {
			if blocks[i].rearrange(l, c.ShouldRewrite) == stopped && c.Stopped() {
				break
			}
		}
		return nil
	},
}

// limits bound the groups of a block. The zero value gathers as much as possible.
type limits struct {
	window int  // number of fetches, 0 for any
	keep   bool // leave the block unchanged
	// cuts are the positions of fetches that join no earlier fetch.
	cuts map[int]bool
}

// choose returns limits for the groups of every block, by option or by price.
func choose(c *passes.Ctx, u *passes.Unit, blocks int) []limits {
	var all limits
	if n, err := strconv.Atoi(c.Option("window")); err == nil {
		all.window = n
	} else if c.Option("window") == "auto" && c.Measure != nil {
		return bestLimits(c, u, all)
	}
	return slices.Repeat([]limits{all}, blocks)
}

// explain records remarks on fetches that have to stay apart, with the reason: a predicate, a coordinate that
// depends on another fetch, or a boundary between blocks.
func explain(c *passes.Ctx, u *passes.Unit) {
	apart := false // an earlier block has fetches, and a boundary follows it
	for _, b := range blocksOf(u) {
		fetches := false
		for _, in := range b.code {
			if b.fetches(in) && in.IsPredicated() {
				c.Remarkf(in.Pos, "conditional", "this fetch does not move: it depends on a predicate")
			}
			fetches = fetches || b.fetches(in)
		}
		for i, g := range b.gather(limits{}).groups {
			if i > 0 {
				in := b.code[g.at]
				c.Remarkf(in.Pos, "dependent", "this fetch begins a group: its address depends on the previous group")
			}
		}
		if fetches && apart && b.before != nil {
			c.Remarkf(b.before.Pos, "boundary", "fetches do not move across this statement")
		}
		apart = fetches || apart && b.before != nil
	}
}
