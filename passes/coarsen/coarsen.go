package coarsen

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir/tile"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/dce"
)

// Pass implements thread coarsening.
var Pass = &passes.Pass{
	Name: "coarsen",
	Doc: `one invocation of a kernel does the work of several

The invocation at (x, y) of the result does what those at (X*x+i, Y*y+j) of the kernel do,
for all i below x=X and j below y=Y: the host launches a domain that is so many times
smaller. What equal coordinates decide is computed once, and fetched once. Outputs o0 on of
the invocations follow each other, i first, so that there must not be more than eight;
addresses of stores follow from the positions. The report says what the host has to do.
The domain has to be divisible, or a kernel compares its position with the size itself. Else
width=W and height=H say how large it is, for which alone the result is: what would be beyond
does the work of the last invocation before once more, so that nothing is fetched or stored
that was not before. A kernel that reads memory which it stores to cannot do anything twice,
and is declined then; so are sides with tables.

x-table=R takes the coordinate across from resource R of one dimension, which the kernel
fetches at its position across, as a list of pairs of rows has it; y-table=S the one down
from S. Tables of the result hold the coordinates where tiles begin, and the domain is X*Y
times shorter across: invocation x of the result does what those at X*Y*x + Y*j + i would
of a list in which tiles are spelt out.

outputs=N packs outputs: where the host keeps one number an element, the first components of
N neighbours across become the components of one output, and rows are N times shorter.

What an invocation computes as the first one of its tile does, and a number more, which follows
from where it is, becomes a sum with that. Conversions of addresses are shared so, where it is
known that what is converted is whole: not where an unknown constant is a factor of it.

Loops whose number of trips no coordinate decides run in lockstep. Others, what is in
branches that coordinates decide, and code that stores or reads memory that the kernel
writes, once for each invocation or for those that agree.

It declines where an invocation depends on more than its position: on the numbers of
groups, interpolated inputs, barriers, local memory or atomic operations, gradients or
levels of detail; where invocations may be discarded, or keep arrays; and where there are
more than eight outputs.

It is not part of the levels, since the host has to know, and is verified against all
invocations of the kernel that one of the result stands for.`,
	Class: passes.Terms,
	Options: []passes.Option{
		{Name: "x", Default: "1", Doc: "invocations across that become one"},
		{Name: "y", Default: "1", Doc: "invocations down that become one"},
		{Name: "x-table", Default: "none", Words: []string{"none"}, Number: true,
			Doc: "resource that holds the coordinate across: its number, or none"},
		{Name: "y-table", Default: "none", Words: []string{"none"}, Number: true,
			Doc: "resource that holds the coordinate down: its number, or none"},
		{Name: "width", Default: "0", Doc: "the domain across, if x does not divide it"},
		{Name: "height", Default: "0", Doc: "the domain down, if y does not divide it"},
		{Name: "outputs", Default: "1", Doc: "neighbours across whose first components share an output: 1, 2 or 4"},
	},
	Run: coarsenKernel,
}

// tileOf returns the tile that the options describe.
func tileOf(c *passes.Ctx) (tile.Tile, error) {
	t := tile.Tile{X: c.Int("x"), Y: c.Int("y"), XTable: tableOf(c, "x-table"), YTable: tableOf(c, "y-table"),
		Width: c.Int("width"), Height: c.Int("height")}
	if n := c.Int("outputs"); n != 1 {
		t.Outputs = n
	}
	return t, t.Check()
}

// tableOf returns one plus the resource number that an option names, or 0 for none.
func tableOf(c *passes.Ctx, option string) int {
	if c.Option(option) == "none" {
		return 0
	}
	return c.Int(option) + 1
}

// coarsenKernel checks that there is a tile (of) and that the kernel can be copied (refused). It then
// computes the divergence of all values (analyzeDivergence). Only after that does it change the
// kernel.
func coarsenKernel(c *passes.Ctx, u *passes.Unit) error {
	decline := func(code asm.Code, format string, args ...any) error {
		c.Remarkf(asm.Pos{}, code, "the kernel is not coarsened: "+format, args...)
		return nil
	}
	t, err := tileOf(c)
	f := u.Kernel
	switch {
	case f == nil || f.Dialect.Launch() == nil:
		return nil
	case err != nil:
		return decline("tile", "%v", err)
	case !t.Coarse():
		return nil
	case u.Tile.Coarse() || u.Tile.Texels != 0:
		return decline("tile", "it was already coarsened or packed by %v", u.Tile)
	}
	k := &copier{c: c, f: f, t: t}
	if r := k.refused(); r != nil {
		c.Remarkf(r.pos, r.code, "the kernel is not coarsened: %s", r.why)
		return nil
	}
	k.analyzeDivergence()
	if lone := k.serialized(); lone != nil {
		c.Remarkf(lone.Pos, "apart", "this runs for each invocation of the tile, one after the other")
	}
	if !c.ShouldRewrite(nil, "coarsened", fmt.Sprintf("coarsened by %v", t)) {
		return nil
	}
	k.rewrite()
	// Held records the effect of another pass on the kernel's stores, so it is kept.
	t.Held = u.Tile.Held
	u.Tile = t
	dce.Sweep(f)
	if !k.shares {
		c.Remarkf(asm.Pos{}, "shares-nothing", "the invocations of a tile share no fetches%s", k.tableHint())
	}
	return nil
}
