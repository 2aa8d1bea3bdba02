package verify

import (
	"bytes"
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/verify/internal/outputs"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// replay recompiles both versions, sharing nothing, and executes them again. It returns the counterexample if
// the same words recur, or nil.
func (c *checker) replay(t trial.Trial, n interp.Numerics, x *outputs.Contrast) *Counterexample {
	sides, err := c.compile(c.before, c.after)
	if err != nil {
		return nil
	}
	var s [2]*outputs.Sample
	for i := range s {
		if s[i], err = t.Execute(sides[i], n, 0); err != nil {
			return nil
		}
	}
	cex := c.again(x, s)
	if cex != nil {
		where, text := t.Describe(sides[0], x.First.Index)
		if cex.Input = text; x.Shape == "" {
			cex.Where = where
		}
		if f := t.CaseFile(&sides, x.First.Index); f != nil {
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

// caseText prefixes a case with comments that describe the counterexample.
func caseText(cex *Counterexample, n interp.Numerics, c []byte) []byte {
	var b bytes.Buffer
	if cex.Whole != "" {
		fmt.Fprintf(&b, "# %s: %s\n", cex.Where, cex.Whole)
	} else {
		fmt.Fprintf(&b, "# %s: %s is %v (0x%08x) before and %v (0x%08x) after\n", cex.Where, cex.Output, cex.Before, cex.Bits[0], cex.After, cex.Bits[1])
	}
	if n != (interp.Numerics{}) {
		fmt.Fprintf(&b, "# found with %+v, which run does not execute with\n", n)
	}
	b.Write(c)
	return b.Bytes()
}

// diverges records in cex where executions of a trial diverge.
func (cex *Counterexample) diverges(t trial.Trial, sides *[2]*trial.Version, n interp.Numerics, at int, exactly bool) {
	var traces [2]*interp.Trace
	for i := range traces {
		traces[i] = &interp.Trace{At: at}
		if _, err := t.Traced(traces[i]).Execute(sides[i], n, 0); err != nil || len(traces[i].Steps) == 0 {
			return
		}
	}
	cex.First = trial.Divergence(traces, exactly)
}
