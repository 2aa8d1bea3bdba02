package shaderlift

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/rounding"
)

// Bound says what roundings can do: how far the outputs of the versions can be from what real
// arithmetic gives, over a box of inputs and on hardware that computes as the reference
// demands. Numbers are rounded up to three digits.
type Bound struct {
	Arithmetic string `json:"arithmetic"`
	// Box lists what the ranges of inputs and constants rest on, a rule of package rounding
	// each.
	Box []string `json:"box"`
	// Before and After are the largest errors of an output, Difference how far apart outputs
	// of the versions can be. All three are infinite where some output can be off by anything.
	Before     Extent `json:"before"`
	After      Extent `json:"after"`
	Difference Extent `json:"difference"`
	// Growth is how many times the error of the first version that of the second is, for the
	// output for which that is most; in first order where there is no bound.
	Growth Extent `json:"growth"`
	// Texels is how far off a fetch of the second version can be, in texels of textures of
	// 2048 along each axis.
	Texels Extent `json:"texels"`
	// Coverage tells that rounding can decide whether a fragment is killed.
	Coverage bool `json:"coverage"`
}

// Extent is a number from 0 on that may be infinite, which is null in JSON.
type Extent float64

// Finite reports whether x is a number.
func (x Extent) Finite() bool { return !math.IsInf(float64(x), 0) }

// MarshalJSON writes x as a number, or null.
func (x Extent) MarshalJSON() ([]byte, error) {
	if !x.Finite() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// UnmarshalJSON reads a number, or null.
func (x *Extent) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*x = Extent(math.Inf(1))
		return nil
	}
	return json.Unmarshal(data, (*float64)(x))
}

// bound notes what roundings can do to the two versions that a report is about, and remarks where
// the first amplifies them most. A verdict below Bounded has no bound, since the versions need not
// compute the same over real numbers.
func (r *Result) bound(before, after []*d3d9.Program, judged *verify.Report, o job) {
	before, after = o.bothAmong(before, after)
	b, err := judged.Bound(pairOf(before), pairOf(after), o.verification())
	if budget.Is(err) {
		r.noteExhausted(err, "roundings are not bounded")
	}
	if err != nil || len(b.Outputs) == 0 || judged.Verdict < verify.Bounded {
		return // what cannot be followed has no bound
	}
	r.Bound = &Bound{Arithmetic: rounding.ByName(o.Arithmetic).Name, Box: []string{}, Growth: roundUp(b.Growth), Texels: roundUp(b.Texels[1]), Coverage: b.Coverage}
	for _, rule := range b.Rules {
		r.Bound.Box = append(r.Bound.Box, string(rule))
	}
	all := []*Extent{&r.Bound.Before, &r.Bound.After, &r.Bound.Difference}
	for i, x := range []float64{b.Before, b.After, b.Difference} {
		if *all[i] = Extent(math.Inf(1)); b.Finite() {
			*all[i] = roundUp(x)
		}
	}
	if f := b.Fragile; f != nil {
		r.remark(asm.Pos{Line: f.Cause.Pos.Line}, "fragile", f.String())
	}
}

// roundUp is x with three significant digits, and not less than x. If rounding to nearest went
// down, half a unit of the third digit more goes up.
func roundUp(x float64) Extent {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil || y >= x {
		return Extent(y)
	}
	y, _ = strconv.ParseFloat(strconv.FormatFloat(x*1.005, 'g', 3, 64), 64)
	return Extent(y)
}

// checkArithmetic refuses hardware that there is not.
func (o *Options) checkArithmetic() error {
	if rounding.ByName(o.Arithmetic) == nil {
		return asm.Errorf(asm.Pos{File: "<options>"}, "unknown-arithmetic", "an arithmetic is fp32 or fp24, not %q", o.Arithmetic)
	}
	return nil
}

// String says what rounding can do to the results, in a line.
func (b *Bound) String() string {
	if !b.Difference.Finite() {
		return fmt.Sprintf("roundings without a bound, %.2g times as large", b.Growth)
	}
	return fmt.Sprintf("apart by at most %.2g", b.Difference)
}
