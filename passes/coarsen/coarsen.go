package coarsen

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// Pass implements thread coarsening.
var Pass = &passes.Pass{
	Name: "coarsen",
	Doc: `one invocation of a kernel does the work of several

Invocation (x, y) of the result does the work of (X*x+i, Y*y+j) for i below x=X and j below y=Y. The host launches a
smaller domain, as the report says. Outputs follow each other, i first. If X or Y does not divide the domain, width=W
and height=H state its size.

x-table=R and y-table=S take the coordinates from one-dimensional resources, as for a list of pairs of rows. The
tables then hold the coordinates of the tiles. outputs=N packs the first components of N neighbours into one output.
stored=1 stores all outputs to g[], in the order of the domain, for tiles with more than eight outputs.

group=N and adjacent=N are for kernels with barriers and local memory. Groups of T shrink to T/N, and their number
stays. Invocation t of a group does the work of t+i*T/N, or of N*t+i. The work of a phase between two barriers is done
in turn.

It declines if an invocation depends on more than its position, such as atomic operations, gradients or discards, and
if there are more than eight outputs. No level runs it, because the host has to know.`,
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
		{Name: "group", Default: "1", Doc: "invocations of a group, spread over it, that become one"},
		{Name: "adjacent", Default: "1", Doc: "neighbours in a group that become one"},
		{Name: "outputs", Default: "1", Doc: "neighbours across whose first components share an output: 1, 2 or 4"},
		{Name: "stored", Default: "0", Doc: "1 stores the outputs to g[]"},
	},
	Run: coarsenKernel,
}

// tileOf returns the tile that the options describe.
func tileOf(c *passes.Ctx) (ir.Tile, error) {
	t := ir.Tile{X: c.Int("x"), Y: c.Int("y"), XTable: tableOf(c, "x-table"), YTable: tableOf(c, "y-table"),
		Width: c.Int("width"), Height: c.Int("height")}
	n := c.Int("stored")
	if t.Stored = n == 1; n > 1 {
		return t, fmt.Errorf("unknown value stored=%d (leave it out or give stored=1)", n)
	}
	if n := c.Int("outputs"); n != 1 {
		t.Outputs = n
	}
	for i, option := range [...]string{"group", "adjacent"} {
		if n := c.Int(option); n != 1 {
			if t.Coarse() {
				return t, fmt.Errorf("%s is the only setting of a tile within a group", option)
			}
			t.X, t.Group = n, ir.Spread+ir.Grouping(i)
		}
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
	f := u.Launched()
	if f == nil {
		return nil
	}
	decline := func(code asm.Code, format string, args ...any) error {
		c.Remarkf(asm.Pos{}, code, "the kernel is not coarsened: "+format, args...)
		return nil
	}
	t, err := tileOf(c)
	switch {
	case err != nil:
		return decline("tile", "%v", err)
	case !t.Coarse():
		return nil
	case u.Tile.Coarse() || u.Tile.Texels != 0:
		return decline("tile", "it was already coarsened or packed by %v", u.Tile)
	}
	k := &copier{c: c, f: f, t: t, size: int(f.Threads[0])}
	if r := k.refused(); r != nil {
		c.Refuse(r, "the kernel is not coarsened")
		return nil
	}
	if !c.ShouldRewrite(nil, "coarsened", fmt.Sprintf("coarsened by %v", t)) {
		return nil
	}
	if t.Stored {
		k.storeOutputs()
	}
	if t.Group != 0 {
		k.findOwn()
	}
	k.analyzeDivergence()
	if lone := k.serialized(); lone != nil {
		c.Remarkf(lone.Pos, "apart", "this runs for each invocation of the tile, one after the other")
	}
	k.rewrite()
	// These record the effects of other passes on the kernel's memory, so they are kept.
	t.Held, t.Restrict, t.Images = u.Tile.Held, u.Tile.Restrict, u.Tile.Images
	u.Tile = t
	cleanup.Sweep(f)
	if !k.shares && t.Group == 0 {
		c.Remarkf(asm.Pos{}, "shares-nothing", "the invocations of a tile share no fetches%s", k.tableHint())
	}
	return nil
}
