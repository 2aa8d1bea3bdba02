package rounding

import "math"

// value describes one word: the range of its exact value in real arithmetic, the range of its computed
// value, and a bound of their distance. Both ranges are closed and may be infinite. err is not negative,
// and at most the largest distance between the ranges (see settle).
type value struct {
	lo, hi   float64 // of the exact value
	clo, chi float64 // of the computed value
	err      float64 // bound of |computed - exact|
	// whole reports that the exact value is an integer and equals the computed one.
	whole bool
	// cause is the instruction that causes most of err, if one stands out.
	cause cause
}

var infinity = math.Inf(1)

// unlimited returns the value about which nothing is known.
func unlimited() value {
	return value{lo: -infinity, hi: infinity, clo: -infinity, chi: infinity, err: infinity}
}

// exactly returns a value in a range without an error.
func exactly(lo, hi float64) value { return value{lo: lo, hi: hi, clo: lo, chi: hi} }

// booleanValue returns a boolean, a number that is 0 or 1. mayFail and mayHold give the possible exact values;
// flips reports that the computed one can differ.
func booleanValue(mayFail, mayHold, flips bool) value {
	v := exactly(1, 0)
	if mayFail {
		v.lo = 0
	}
	if mayHold {
		v.hi = 1
	}
	v.clo, v.chi, v.whole = v.lo, v.hi, !flips
	if flips {
		v.clo, v.chi, v.err = 0, 1, 1
	}
	return v
}

// point reports whether the exact value is one number.
func (v *value) point() bool { return v.lo == v.hi }

// exactMax and cmag bound the magnitudes of the exact and the computed value from above. low and clow bound them
// from below.
func (v *value) exactMax() float64    { return max(math.Abs(v.lo), math.Abs(v.hi)) }
func (v *value) computedMax() float64 { return max(math.Abs(v.clo), math.Abs(v.chi)) }
func (v *value) exactMin() float64    { return least(v.lo, v.hi) }
func (v *value) computedMin() float64 { return least(v.clo, v.chi) }

func least(lo, hi float64) float64 {
	switch {
	case lo > 0:
		return lo
	case hi < 0:
		return -hi
	}
	return 0
}

// product returns a*b, where 0 times anything is 0. An infinite factor then belongs to a bound that has no
// effect.
func product(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// productRange returns the range of the products of two ranges.
func productRange(alo, ahi, blo, bhi float64) (lo, hi float64) {
	p, q, r, s := product(alo, blo), product(alo, bhi), product(ahi, blo), product(ahi, bhi)
	return min(p, q, r, s), max(p, q, r, s)
}

// slack is the relative amount by which rounding widens ranges. This analysis runs in float64 with a unit
// roundoff of 2^-53, and rounds several times itself.
const slack = 1.0 / (1 << 50)

// settle makes a value consistent after its parts were computed: it limits the error to the largest
// distance between the ranges.
func (v *value) settle() {
	v.clo, v.chi = max(v.clo, v.lo-v.err), min(v.chi, v.hi+v.err)
	if room := max(v.chi-v.lo, v.hi-v.clo); room < v.err {
		v.err = max(room, 0)
	}
	if v.lo != v.lo || v.hi != v.hi || v.clo != v.clo || v.chi != v.chi || v.err != v.err { // one is NaN
		u := unlimited()
		u.cause = v.cause
		*v = u
	}
}

// widen adds room for the roundings of the analysis itself.
func (v *value) widen() {
	v.lo, v.hi = outward(v.lo, v.hi)
	v.clo, v.chi = outward(v.clo, v.chi)
	v.err += v.err * slack
}

func outward(lo, hi float64) (float64, float64) {
	if lo != 0 {
		lo -= math.Abs(lo) * slack
	}
	if hi != 0 {
		hi += math.Abs(hi) * slack
	}
	return lo, hi
}

// clamp limits the exact and the computed value to lo..hi.
func (v *value) clamp(lo, hi float64) {
	limit := func(x float64) float64 { return min(max(x, lo), hi) }
	v.lo, v.hi, v.clo, v.chi = limit(v.lo), limit(v.hi), limit(v.clo), limit(v.chi)
	v.settle()
	v.lo, v.hi, v.clo, v.chi = limit(v.lo), limit(v.hi), limit(v.clo), limit(v.chi)
}

// round adds the rounding of a result to a value in format f: a relative error of rel, and the loss of
// underflow.
func (v *value) round(f *format, rel float64) { v.roundAt(f, rel, v.computedMax(), rel <= f.unit) }

// roundAt adds a rounding error relative to size: rel*size*(1+rel), since size bounds the computed value
// before rounding, and tiny for underflow. A single correct rounding is monotonic and does not pass -1, 0
// and 1, which every format has. Values beyond the format are infinite.
func (v *value) roundAt(f *format, rel, size float64, correct bool) {
	clo, chi := v.clo, v.chi
	r := product(rel*(1+rel), size) + f.tiny
	v.clo, v.chi, v.err = v.clo-r, v.chi+r, v.err+r
	if correct {
		for _, n := range [...]float64{-1, 0, 1} {
			if clo >= n {
				v.clo = max(v.clo, n)
			}
			if chi <= n {
				v.chi = min(v.chi, n)
			}
		}
	}
	if v.chi > f.largest {
		v.chi, v.err = infinity, infinity
	}
	if v.clo < -f.largest {
		v.clo, v.err = -infinity, infinity
	}
	v.whole = false
	v.widen()
	v.settle()
}

// either returns a value that is one of several. Without flips the exact and the computed value are the
// same one. With flips the computation may choose another one, so the error includes their distance.
func either(flips bool, vs ...value) value {
	u := vs[0]
	for _, v := range vs[1:] {
		if v.err > u.err {
			u.err, u.cause = v.err, v.cause
		}
		u.lo, u.hi, u.clo, u.chi = min(u.lo, v.lo), max(u.hi, v.hi), min(u.clo, v.clo), max(u.chi, v.chi)
		u.whole = u.whole && v.whole
	}
	if !flips {
		return u
	}
	for i, v := range vs {
		for j, w := range vs {
			if d := max(v.chi-w.lo, w.hi-v.clo); i != j && d > u.err {
				u.err, u.cause, u.whole = d, 0, false
			}
		}
	}
	return u
}
