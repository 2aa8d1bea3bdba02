package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// trials makes up the inputs of the first executions: the given cases, draws from the seed, and,
// where bits are asked for, invocations whose inputs are infinities, NaNs, denormals and other
// special words.
func (c *checker) trials() (list []trial) {
	pair := c.before.Vertex != nil && c.before.Pixel != nil
	for _, d := range c.Cases {
		if pair {
			list = append(list, drawTrial{c: d, known: c.Constants})
		}
	}
	n, size := 1, 64
	if c.Effort == Full {
		n, size = 12, 1024
	}
	for k := range n {
		drawn := c.drawn(uint64(k), size)
		if k == 0 {
			c.base = drawn[0]
		}
		list = append(list, drawn...)
	}
	if c.exactly() {
		list = append(list, &batchTrial{seed: c.Seed, n: 2 * size, special: true, fixed: pair, known: c.Constants, further: c.framework.size()})
	}
	return list
}

// drawn is the k-th draw made up and, of a pair, some invocations of the vertex program for what
// feeds fixed function, which a picture does not show to the bit. There are fewer of them where they
// only confirm what is proved.
func (c *checker) drawn(k uint64, size int) []trial {
	seed := symbolic.Mix(c.Seed + k)
	if c.before.Vertex == nil || c.before.Pixel == nil {
		return []trial{&batchTrial{seed: seed, n: size, known: c.Constants, further: c.framework.size()}}
	}
	patience := draws.Much
	if (c.Brief || c.Effort == Quick) && c.accepted() {
		patience, size = draws.Little, size/4
	}
	t := drawTrial{known: c.Constants}
	sides, err := c.once()
	if err == nil {
		var d draws.Drawn
		d, err = draws.Compiled(sides[0].vertex, sides[0].pixel, c.before.Vertex, c.before.Pixel, c.host(), seed, patience, c.runs())
		t.c, t.image, t.drew = d.Case, d.Image, sides[0]
	}
	if err != nil {
		t.c = interp.DefaultCase(c.before.Vertex, c.before.Pixel)
	}
	if err == nil && sides[0].vertex == sides[1].vertex && len(c.Uploads) == 0 && c.framework == nil {
		return []trial{t} // what feeds fixed function is the same
	}
	return []trial{t, &batchTrial{seed: seed, n: size, fixed: true, known: c.Constants, further: c.framework.size()}}
}

// moreDraws is how many more draws are made where rung 3 found a difference that the first
// do not show.
const moreDraws = 8

func (c *checker) more() (list []trial) {
	if c.field.outcome != different {
		return nil
	}
	for k := range uint64(moreDraws) {
		drawn := c.drawn(1<<32+k, 256)
		list = append(list, drawn...)
		if t, ok := drawn[0].(drawTrial); ok {
			list = append(list, t.stretched())
		}
	}
	return list
}

// stretched is t with colours and texture coordinates of either sign. Random ones are from 0 on, and many at
// most 1, as in use: there a size, a clamped number and a fraction are the number itself, and interpolate as it does.
// Positions, directions and weights stay, so that what was in view mostly is.
func (t drawTrial) stretched() drawTrial {
	d := *t.c
	d.Attrs = slices.Clone(d.Attrs)
	for i := range d.Attrs {
		if a := &d.Attrs[i]; a.Usage == d3d9.UsageTexCoord || a.Usage == d3d9.UsageColor {
			a.Data = slices.Clone(a.Data)
			for k, x := range a.Data {
				a.Data[k] = 4*x - 2
			}
		}
	}
	return drawTrial{c: &d, known: t.known}
}
