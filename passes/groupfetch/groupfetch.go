package groupfetch

import (
	"slices"
	"strconv"

	"github.com/shaderlift/shaderlift/passes"
)

// Pass is the grouping of fetches.
var Pass = &passes.Pass{
	Name: "group-fetches",
	Doc: `bring fetches together, those of one resource next to each other

In straight-line code, fetches move up to the first of their group, and what computes
their coordinates moves before them. In a group fetches of one resource follow each
other, and resources that are read at the same coordinates; those of one resource whose
coordinates are the same but for literals go along rows, one row after the other; else
what came first is first. Of an unrolled matrix product that is all of B, then all of
A. Runs from one resource meet lines of the cache that the one before has brought; a
full clause waits once for all its fetches, and a phase of an older pixel shader has
all its texture reads at its start. The price is registers: what is fetched early waits.

window=all gathers what a block has, window=N no more than N fetches in a group.
window=auto asks the cost model, block by block, and keeps what costs less, or no more in
fewer runs of fetches: of a kernel it tries whole blocks and groups of 64, 32, 24, 16 and
8; of a Direct3D 9 program whole blocks, and else lets one run after another join those
before. Without a cost model it is all. gprs=N lets a group grow only as long as what it
has fetched and what computes its coordinates takes N registers at most.

Fetches are reads of textures and buffers and, in kernels, those of global memory and
views. Nothing moves across a branch, a loop, a break, a discarded invocation, a fence or
a store. A fetch goes to the first group that comes after all that it needs: other
fetches, and reads of memory, conditional writes and address registers, which do not
move. A conditional fetch stays where it is.`,
	Class: passes.Terms,
	Options: []passes.Option{
		{Name: "window", Default: "auto", Words: []string{"auto", "all"}, Number: true, Least: 1,
			Doc: "fetches to a group: a number, all or auto"},
		{Name: "gprs", Default: "0", Doc: "registers that a group may hold, 0 for any number"},
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
	gprs   int  // number of registers, 0 for any
	keep   bool // leave the block unchanged
	// cuts are the positions of fetches that join no earlier fetch.
	cuts map[int]bool
}

// choose returns limits for the groups of every block, by option or by price.
func choose(c *passes.Ctx, u *passes.Unit, blocks int) []limits {
	all := limits{gprs: c.Int("gprs")}
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
