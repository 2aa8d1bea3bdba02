package verify

import (
	"fmt"

	"github.com/shaderlift/shaderlift/verify/rounding"
)

// Bound is rung 4: how far either side can be from real arithmetic, over a box of inputs,
// and so from the other one if both are the same over the reals. It is not part of [Check],
// which is asked about versions that are not kept.
func Bound(before, after Pair, o Options) (*rounding.Bounds, error) {
	hw := rounding.ByName(o.Arithmetic)
	if hw == nil {
		return nil, fmt.Errorf("there is no arithmetic %q", o.Arithmetic)
	}
	c := &checker{ladder: ladder{Options: o}, before: before, after: after}
	if err := c.lift(); err != nil {
		return nil, err
	}
	return rounding.New(hw, o.Box).Compare(c.sides[0].rounded(), c.sides[1].rounded())
}

// rounded is a side as the analysis of roundings takes it.
func (o *observation) rounded() *rounding.Pair {
	var p rounding.Pair
	for _, s := range []struct {
		from *program
		to   **rounding.Program
	}{{o.vertex, &p.Vertex}, {o.pixel, &p.Pixel}} {
		if s.from != nil {
			*s.to = &rounding.Program{Func: s.from.fn, Source: s.from.src, Shared: s.from.shared}
		}
	}
	return &p
}
