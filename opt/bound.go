package opt

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/rounding"
)

// Bound limits the effect of rounding: the distance of the outputs of both versions from real
// arithmetic, over a box of inputs, on hardware as accurate as the reference requires. Numbers are
// rounded up to three digits.
type Bound struct {
	Arithmetic string `json:"arithmetic"`
	// Box lists the assumptions behind the ranges of inputs and constants. Each is a rule of package
	// rounding.
	Box []string `json:"box"`
	// Before and After are the largest errors of an output. Difference is the largest distance between
	// outputs of the versions: 0 for equal terms. All three are infinite if the error of some output is
	// unbounded.
	Before     Extent `json:"before"`
	After      Extent `json:"after"`
	Difference Extent `json:"difference"`
	// Growth is the largest ratio, over all outputs, of the error of the second version to the error of
	// the first. It is a first-order estimate where there is no bound.
	Growth Extent `json:"growth"`
	// Texels is the largest error of a fetch of the second version, in texels of textures with 2048
	// texels along each axis.
	Texels Extent `json:"texels"`
	// Coverage is set if rounding can decide whether a fragment is killed.
	Coverage bool `json:"coverage"`
}

// Extent is a non-negative number or infinity. JSON has null for infinity.
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

// bound notes the rounding bounds of the two versions behind a report, and remarks where the first
// version amplifies roundings most. A verdict below Bounded gives no bound, since the versions may
// differ over real numbers.
func (r *Result) bound(before, after []*d3d9.Program, judged *verify.Report, o job,
	options verify.Options) {
	if o.Report.SkipRounding {
		return
	}
	before, after = o.bothAmong(before, after)
	b, err := judged.Bound(pairOf(before), pairOf(after), options)
	if budget.IsExhausted(err) {
		r.noteExhausted(err, "no rounding bounds are computed")
	}
	if err != nil || len(b.Outputs) == 0 || judged.Verdict < verify.Bounded {
		return // outputs that the analysis cannot follow have no bound
	}
	r.Bound = &Bound{Arithmetic: rounding.ByName(o.Report.Arithmetic).Name, Box: []string{}, Growth: roundUp(b.Growth),
		Texels: roundUp(b.Texels[1]), Coverage: b.Coverage}
	for _, rule := range b.Rules {
		r.Bound.Box = append(r.Bound.Box, string(rule))
	}
	all := []*Extent{&r.Bound.Before, &r.Bound.After, &r.Bound.Difference}
	for i, x := range []float64{b.Before, b.After, b.Difference} {
		if *all[i] = Extent(math.Inf(1)); b.Finite() {
			*all[i] = roundUp(x)
		}
	}
	// The same terms, in the same precision, give the same bits.
	if judged.Verdict == verify.Proved && r.Bound.Before == r.Bound.After {
		r.Bound.Difference = 0
	}
	if f := b.Fragile; f != nil {
		r.remark(asm.Pos{Line: f.Cause.Pos.Line}, "fragile", f.String())
	}
}

// roundUp rounds x up to three significant digits. If rounding to nearest went down, it adds half a
// unit of the third digit and rounds again.
func roundUp(x float64) Extent {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil || y >= x {
		return Extent(y)
	}
	y, _ = strconv.ParseFloat(strconv.FormatFloat(x*1.005, 'g', 3, 64), 64)
	return Extent(y)
}

// checkArithmetic rejects an unknown arithmetic.
func (o *Options) checkArithmetic() error {
	if rounding.ByName(o.Report.Arithmetic) == nil {
		return asm.Errorf(asm.Pos{File: "<options>"}, "unknown-arithmetic", "unknown arithmetic %q (want fp32 or fp24)",
			o.Report.Arithmetic)
	}
	return nil
}

// String describes the effect of rounding on the results in a line.
func (b *Bound) String() string {
	if !b.Difference.Finite() {
		growth := fmt.Sprintf("%.2g times as large", b.Growth)
		if growth == "1 times as large" {
			growth = "as large as before"
		}
		return "rounding errors " + growth + ", no bound found"
	}
	return fmt.Sprintf("differs by at most %.2g", b.Difference)
}
