package kernel

import (
	"math"

	"github.com/shaderlift/shaderlift/verify/interp/kernel/internal/eights"
)

// vecFn computes one component over the lanes of a batch. The loops of the most frequent instructions are
// written out, because calls cost more. Slices are cut to one length, which lets the compiler drop bounds
// checks. d may be one of the sources: each lane is read before it is written.
//
// Instructions on floats have assembly kernels with the same results, for the usual numbers of lanes.
//
// Functions are named after instructions. Sums and products are those of IEEE 754 in float32, each rounded;
// word normalizes denormals and NaN. Without _ieee, products follow the hardware's MUL: zero times anything
// is zero (mulWords).
type vecFn func(d, a, b, c []uint32)

func moveVec(d, a, _, _ []uint32) { copy(d, a) }

func selectVec(d, a, b, c []uint32) {
	if eights.Supports(len(d)) {
		eights.Select(d, a, b, c)
		return
	}
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	for i := range d {
		w := c[i]
		if a[i] != 0 {
			w = b[i]
		}
		d[i] = w
	}
}

func addVec(d, a, b, c []uint32) {
	if eights.Supports(len(d)) {
		eights.Add(d, a, b, c)
		return
	}
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = resultWord(float(a[i]) + float(b[i]))
	}
}

func subVec(d, a, b, c []uint32) {
	if eights.Supports(len(d)) {
		eights.Sub(d, a, b, c)
		return
	}
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = resultWord(float(a[i]) - float(b[i]))
	}
}

func mulVec(d, a, b, c []uint32) {
	if eights.Supports(len(d)) {
		eights.Mul(d, a, b, c)
		return
	}
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = mulWords(float(a[i]), float(b[i]))
	}
}

func mulIEEEVec(d, a, b, c []uint32) {
	if eights.Supports(len(d)) {
		eights.MulIEEE(d, a, b, c)
		return
	}
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = resultWord(float(a[i]) * float(b[i]))
	}
}

// madVec rounds the product and the sum; fma, in optable.go, rounds once.
func madVec(d, a, b, c []uint32) {
	if eights.Supports(len(d)) {
		eights.Mad(d, a, b, c)
		return
	}
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	for i := range d {
		d[i] = resultWord(math.Float32frombits(mulWords(float(a[i]), float(b[i]))) + float(c[i]))
	}
}

func madIEEEVec(d, a, b, c []uint32) {
	if eights.Supports(len(d)) {
		eights.MadIEEE(d, a, b, c)
		return
	}
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	for i := range d {
		d[i] = resultWord(math.Float32frombits(resultWord(float(a[i])*float(b[i]))) + float(c[i]))
	}
}

func minVec(d, a, b, c []uint32) {
	if eights.Supports(len(d)) {
		eights.Min(d, a, b, c)
		return
	}
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = resultWord(minLegacy(float(a[i]), float(b[i])))
	}
}

func maxVec(d, a, b, c []uint32) {
	if eights.Supports(len(d)) {
		eights.Max(d, a, b, c)
		return
	}
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = resultWord(maxLegacy(float(a[i]), float(b[i])))
	}
}

func eqVec(d, a, b, c []uint32) {
	if eights.Supports(len(d)) {
		eights.Equal(d, a, b, c)
		return
	}
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = boolMask(float(a[i]) == float(b[i]))
	}
}

func neVec(d, a, b, c []uint32) {
	if eights.Supports(len(d)) {
		eights.Unequal(d, a, b, c)
		return
	}
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = boolMask(float(a[i]) != float(b[i]))
	}
}

func ltVec(d, a, b, c []uint32) {
	if eights.Supports(len(d)) {
		eights.Less(d, a, b, c)
		return
	}
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = boolMask(float(a[i]) < float(b[i]))
	}
}

func geVec(d, a, b, c []uint32) {
	if eights.Supports(len(d)) {
		eights.AtLeast(d, a, b, c)
		return
	}
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = boolMask(float(a[i]) >= float(b[i]))
	}
}

func negVec(d, a, _, _ []uint32) {
	a = a[:len(d)]
	for i := range d {
		d[i] = a[i] ^ signBit
	}
}

func absVec(d, a, _, _ []uint32) {
	a = a[:len(d)]
	for i := range d {
		d[i] = a[i] &^ signBit
	}
}

func satVec(d, a, _, _ []uint32) {
	a = a[:len(d)]
	for i := range d {
		d[i] = saturate(a[i])
	}
}

func iaddVec(d, a, b, _ []uint32) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func inegVec(d, a, _, _ []uint32) {
	a = a[:len(d)]
	for i := range d {
		d[i] = -a[i]
	}
}

func imulVec(d, a, b, _ []uint32) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] * b[i]
	}
}

func imadVec(d, a, b, c []uint32) {
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	for i := range d {
		d[i] = a[i]*b[i] + c[i]
	}
}

func iandVec(d, a, b, _ []uint32) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] & b[i]
	}
}

func iorVec(d, a, b, _ []uint32) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

func ixorVec(d, a, b, _ []uint32) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}

// Shifts use the low five bits of the count.
func ishlVec(d, a, b, _ []uint32) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] << (b[i] & 31)
	}
}

func ishrVec(d, a, b, _ []uint32) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = uint32(int32(a[i]) >> (b[i] & 31))
	}
}

func ushrVec(d, a, b, _ []uint32) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] >> (b[i] & 31)
	}
}

func ieqVec(d, a, b, _ []uint32) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = boolMask(a[i] == b[i])
	}
}

func ineVec(d, a, b, _ []uint32) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = boolMask(a[i] != b[i])
	}
}

func iltVec(d, a, b, _ []uint32) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = boolMask(int32(a[i]) < int32(b[i]))
	}
}

func igeVec(d, a, b, _ []uint32) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = boolMask(int32(a[i]) >= int32(b[i]))
	}
}

func ultVec(d, a, b, _ []uint32) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = boolMask(a[i] < b[i])
	}
}

func ugeVec(d, a, b, _ []uint32) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = boolMask(a[i] >= b[i])
	}
}

func itofVec(d, a, _, _ []uint32) {
	a = a[:len(d)]
	for i := range d {
		d[i] = math.Float32bits(float32(int32(a[i])))
	}
}

func utofVec(d, a, _, _ []uint32) {
	a = a[:len(d)]
	for i := range d {
		d[i] = math.Float32bits(float32(a[i]))
	}
}

func fractionVec(d, a, b, c []uint32) {
	if eights.Supports(len(d)) {
		eights.Fraction(d, a, b, c)
		return
	}
	a = a[:len(d)]
	for i := range d {
		d[i] = fraction(a[i])
	}
}

func ftoiVec(d, a, _, _ []uint32) {
	a = a[:len(d)]
	for i := range d {
		d[i] = truncatedInt(float64(float(a[i])))
	}
}

// sinVec and cosVec compute in float64, eight lanes at a time where the rounding is certain.
func sinVec(d, a, _, _ []uint32) {
	f := inFloat64(math.Sin)
	if eights.Supports(len(d)) {
		eights.Sine(d, a, f)
		return
	}
	each1(f)(d, a, nil, nil)
}

func cosVec(d, a, _, _ []uint32) {
	f := inFloat64(math.Cos)
	if eights.Supports(len(d)) {
		eights.Cosine(d, a, f)
		return
	}
	each1(f)(d, a, nil, nil)
}

// widely returns f with a kernel for lanes that fit.
func widely(kernel, f vecFn) vecFn {
	return func(d, a, b, c []uint32) {
		if eights.Supports(len(d)) {
			kernel(d, a, b, c)
			return
		}
		f(d, a, b, c)
	}
}

// Loops of functions that are called.

func each1(f func(a uint32) uint32) vecFn {
	return func(d, a, _, _ []uint32) {
		a = a[:len(d)]
		for i := range d {
			d[i] = f(a[i])
		}
	}
}

func each2(f func(a, b uint32) uint32) vecFn {
	return func(d, a, b, _ []uint32) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = f(a[i], b[i])
		}
	}
}

func each3(f func(a, b, c uint32) uint32) vecFn {
	return func(d, a, b, c []uint32) {
		a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
		for i := range d {
			d[i] = f(a[i], b[i], c[i])
		}
	}
}
