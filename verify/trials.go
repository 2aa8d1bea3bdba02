package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// trials generates the inputs of the first executions: the given cases, and draws from the seed. If bits are
// compared, it adds invocations whose inputs are infinities, NaNs, denormals and other special words.
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
		list = append(list, &batchTrial{seed: c.Seed, n: 2 * size, special: true, fixed: pair, known: c.Constants, further: c.framework.ExtraRegisters()})
	}
	return list
}

// drawn generates the k-th random draw. For a pair it adds invocations of the vertex program that compare
// fixed-function outputs, which a picture does not show to the bit. It uses fewer if they only confirm a
// proof.
func (c *checker) drawn(k uint64, size int) []trial {
	seed := symbolic.Mix(c.Seed + k)
	if c.before.Vertex == nil || c.before.Pixel == nil {
		return []trial{&batchTrial{seed: seed, n: size, known: c.Constants, further: c.framework.ExtraRegisters()}}
	}
	patience := draws.Much
	if c.Shared != nil || (c.Brief || c.Effort == Quick) && c.accepted() {
		patience, size = draws.Little, size/4
	}
	t := drawTrial{known: c.Constants}
	sides, err := c.compileOnce()
	if err == nil {
		var d draws.Drawn
		d, err = draws.Compiled(sides[0].vertex, sides[0].pixel, c.before.Vertex, c.before.Pixel, c.framework.Host(&c.hosts[0]), seed, patience, c.runsBudget())
		t.c, t.image, t.drew = d.Case, d.Image, sides[0]
	}
	if err != nil {
		t.c = c.defaultDraw()
	}
	if err == nil && sides[0].vertex == sides[1].vertex && len(c.Uploads) == 0 && c.framework == nil {
		return []trial{t} // fixed-function outputs are the same
	}
	return []trial{t, &batchTrial{seed: seed, n: size, fixed: true, known: c.Constants, further: c.framework.ExtraRegisters()}}
}

// defaultDraw returns the draw of the pair that is used if no random one can be generated. It depends on
// before alone.
func (c *checker) defaultDraw() *interp.Case {
	s := c.Shared
	if s == nil {
		return interp.DefaultCase(c.before.Vertex, c.before.Pixel)
	}
	if s.drawn != c.before {
		s.drawn, s.draw = c.before, interp.DefaultCase(c.before.Vertex, c.before.Pixel)
	}
	return s.draw
}

// moreDraws is the number of further draws if the first do not show a difference that rung 3 found.
const moreDraws = 8

func (c *checker) moreTrials() (list []trial) {
	if c.field.Outcome != proof.Different {
		return nil
	}
	for k := range uint64(moreDraws) >> c.Shared.searches() {
		if c.runsBudget().Err() != nil {
			break // the budget allows no execution
		}
		drawn := c.drawn(1<<32+k, 256)
		list = append(list, drawn...)
		if t, ok := drawn[0].(drawTrial); ok {
			list = append(list, t.stretched())
		}
	}
	return list
}

// stretched returns t with colours and texture coordinates of either sign. Random ones start at 0, and many
// are at most 1, as in practice. In that range, an absolute value, a clamped number and a fraction equal the
// number itself, and interpolate as it does. Positions, directions and weights stay, so that most of the
// picture stays in view.
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
