package verify

import (
	"math"

	"github.com/shaderlift/shaderlift/verify/internal/outputs"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// replay recompiles both versions, sharing nothing, and executes them again. It returns the counterexample if
// the same words recur, or nil.
func (c *checker) replay(t trial, n interp.Numerics, x *outputs.Contrast) *Counterexample {
	sides, err := c.compile(c.before, c.after)
	if err != nil {
		return nil
	}
	var s [2]*outputs.Sample
	for i := range s {
		if s[i], err = t.execute(sides[i], n, 0); err != nil {
			return nil
		}
	}
	cex := c.again(x, s)
	if cex != nil {
		where, text := t.describe(sides[0], x.First.Index)
		if cex.Input = text; x.Shape == "" {
			cex.Where = where
		}
		if f := t.caseFile(&sides, x.First.Index); f != nil {
			cex.Case = caseText(cex, n, f.Format())
		}
		if x.Shape == "" {
			cex.diverges(t, &sides, n, x.First.Index, c.exactly())
		}
	}
	return cex
}

// again returns the difference in x as a counterexample, if new samples show it too.
func (c *ladder) again(x *outputs.Contrast, s [2]*outputs.Sample) *Counterexample {
	y := outputs.Compare(s[0], s[1], outputs.SameBits)
	switch p := &x.First; {
	case y.Shape != x.Shape:
		return nil
	case x.Shape != "":
		return &Counterexample{Where: "every point", Whole: x.Shape}
	case !s[0].HasValue(p.Output, p.Index, p.Before) || !s[1].HasValue(p.Output, p.Index, p.After):
		return nil
	default:
		return &Counterexample{Output: p.Output, Before: math.Float32frombits(p.Before), After: math.Float32frombits(p.After), Bits: [2]uint32{p.Before, p.After}}
	}
}
