package verify

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/verify/interp"
)

// replay recompiles both versions, sharing nothing, and executes them again. It returns the counterexample if
// the same words recur, or nil.
func (c *checker) replay(t trial, n interp.Numerics, x *contrast) *Counterexample {
	sides, err := c.compile(c.before, c.after)
	if err != nil {
		return nil
	}
	var s [2]*sample
	for i := range s {
		if s[i], err = t.execute(sides[i], n, 0); err != nil {
			return nil
		}
	}
	cex := c.again(x, s)
	if cex != nil {
		where, text := t.describe(sides[0], x.first.index)
		if cex.Input = text; x.shape == "" {
			cex.Where = where
		}
		if f := t.caseFile(&sides, x.first.index); f != nil {
			cex.Case = caseText(cex, n, f.Format())
		}
		if x.shape == "" {
			cex.diverges(t, &sides, n, x.first.index, c.exactly())
		}
	}
	return cex
}

// again returns the difference in x as a counterexample, if new samples show it too.
func (c *ladder) again(x *contrast, s [2]*sample) *Counterexample {
	y := compare(s[0], s[1], sameBits)
	switch p := &x.first; {
	case y.shape != x.shape:
		return nil
	case x.shape != "":
		return &Counterexample{Where: "every point", Whole: x.shape}
	case !s[0].hasValue(p.output, p.index, p.before) || !s[1].hasValue(p.output, p.index, p.after):
		return nil
	default:
		return &Counterexample{Output: p.output, Before: math.Float32frombits(p.before), After: math.Float32frombits(p.after), Bits: [2]uint32{p.before, p.after}}
	}
}

// hasValue reports whether an output equals bits at point i.
func (s *sample) hasValue(output string, i int, bits uint32) bool {
	if output == coverage && i < s.n {
		return math.Float32bits(truth(s.shows(i))) == bits
	}
	for k := range s.chans {
		if ch := &s.chans[k]; ch.name == output && i < s.n {
			return ch.bitsAt(i) == bits
		}
	}
	return slices.ContainsFunc(s.parts, func(part *sample) bool { return part.hasValue(output, i, bits) })
}
