package verify

import (
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// trials generates the inputs of the first executions: the given cases, and draws from the seed. If bits are
// compared, it adds invocations whose inputs are infinities, NaNs, denormals and other special words.
func (c *checker) trials() (list []trial.Trial) {
	pair := c.before.Vertex != nil && c.before.Pixel != nil
	for _, d := range c.Cases {
		if pair {
			list = append(list, trial.Draw{Case: d, Known: c.Constants})
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
		list = append(list, &trial.Batch{Seed: c.Seed, N: 2 * size, Special: true, Fixed: pair, Known: c.Constants, Further: c.framework.ExtraRegisters()})
	}
	return list
}

// drawn generates the k-th random draw. For a pair it adds invocations of the vertex program that compare
// fixed-function outputs, which a picture does not show to the bit. It uses fewer if they only confirm a
// proof.
func (c *checker) drawn(k uint64, size int) []trial.Trial {
	seed := symbolic.Mix(c.Seed + k)
	if c.before.Vertex == nil || c.before.Pixel == nil {
		return []trial.Trial{&trial.Batch{Seed: seed, N: size, Known: c.Constants, Further: c.framework.ExtraRegisters()}}
	}
	patience := draws.Much
	if c.Shared != nil || (c.Brief || c.Effort == Quick) && c.accepted() {
		patience, size = draws.Little, size/4
	}
	t := trial.Draw{Known: c.Constants}
	sides, err := c.compileOnce()
	if err == nil {
		var d draws.Drawn
		d, err = draws.Compiled(sides[0].Vertex, sides[0].Pixel, c.before.Vertex, c.before.Pixel, c.framework.Host(&c.hosts[0]), seed, patience, c.runsBudget())
		t.Case, t.Image, t.Drew = d.Case, d.Image, sides[0]
	}
	if err != nil {
		t.Case = c.defaultDraw()
	}
	if err == nil && sides[0].Vertex == sides[1].Vertex && len(c.Uploads) == 0 && c.framework == nil {
		return []trial.Trial{t} // fixed-function outputs are the same
	}
	return []trial.Trial{t, &trial.Batch{Seed: seed, N: size, Fixed: true, Known: c.Constants, Further: c.framework.ExtraRegisters()}}
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

func (c *checker) moreTrials() (list []trial.Trial) {
	if c.field.Outcome != proof.Different {
		return nil
	}
	for k := range uint64(moreDraws) >> c.Shared.searches() {
		if c.runsBudget().Err() != nil {
			break // the budget allows no execution
		}
		drawn := c.drawn(1<<32+k, 256)
		list = append(list, drawn...)
		if t, ok := drawn[0].(trial.Draw); ok {
			list = append(list, t.Stretched())
		}
	}
	return list
}
