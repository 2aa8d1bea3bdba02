package ir

import "math"

// The functions that primitives on words are built from. Subnormal floats are zero, as on the hardware of AMD
// IL (flushed on the way in and out, keeping the sign). Integer division by zero gives all ones, as in
// Direct3D 10, which AMD IL follows.

const low24 = 1<<24 - 1

// float returns a word as a float32, a subnormal as zero of its sign.
func float(w uint32) float32 {
	if w&0x7f800000 == 0 {
		w &= 1 << 31
	}
	return math.Float32frombits(w)
}

// flag returns the result of a comparison: all ones or zero.
func flag(c bool) uint32 { return selectWord(c, math.MaxUint32, 0) }

func selectWord(c bool, a, b uint32) uint32 {
	if c {
		return a
	}
	return b
}

// int24 extends the sign of the low 24 bits, the only bits that 24-bit multiplications read.
func int24(w uint32) int32 { return int32(w<<8) >> 8 }

func divide(a, b uint32) uint32 {
	if b == 0 {
		return math.MaxUint32
	}
	return a / b
}

func modulo(a, b uint32) uint32 {
	if b == 0 {
		return math.MaxUint32
	}
	return a % b
}

// toInt truncates towards zero and clamps; NaN gives 0. Go leaves out-of-range conversions undefined, so the
// range is checked first.
func toInt(x float64) int32 {
	switch {
	case x != x:
		return 0
	case x >= math.MaxInt32:
		return math.MaxInt32
	case x <= math.MinInt32:
		return math.MinInt32
	}
	return int32(x)
}

func toUint(x float64) uint32 {
	switch {
	case !(x > 0):
		return 0
	case x >= math.MaxUint32:
		return math.MaxUint32
	}
	return uint32(x)
}

// doubleOf returns the double in two words, the low one first.
func doubleOf(w []uint32) float64 { return math.Float64frombits(uint64(w[1])<<32 | uint64(w[0])) }

// lowWord and high return the words of a double. A NaN that an operation produces is quiet, and always the same.
func lowWord(x float64) uint32  { return uint32(doubleBits(x)) }
func highWord(x float64) uint32 { return uint32(doubleBits(x) >> 32) }

func doubleBits(x float64) uint64 {
	if x != x {
		return 0x7ff8 << 48
	}
	return math.Float64bits(x)
}

// fma computes a*b + c with one rounding. The product of two float32 is exact in float64, and the sum s is
// rounded to 53 bits. Rounding s again to 24 bits would be double rounding. A sum just above the middle of
// two float32 could become the middle first, and then round to the even one. If the sum was inexact, s is
// therefore moved to its neighbour with an odd last bit on the side of the error. This is rounding to odd,
// after which rounding to fewer bits is right. The source is Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums: proved algorithms using rounding to odd", IEEE Trans. Computers 57(4), 2008.
func fma(a, b, c float32) float32 {
	p := float64(a) * float64(b) // exact
	s := p + float64(c)
	// Rounding to odd first makes the second rounding right.
	if e := errorOfSum(p, float64(c), s); e != 0 && math.Float64bits(s)&1 == 0 {
		s = math.Nextafter(s, math.Copysign(math.Inf(1), e))
	}
	return float32(s)
}

// errorOfSum returns the exact difference between a + b and its rounded sum s. It is TwoSum of Knuth (The Art
// of Computer Programming 2, 4.2.2, theorem B), which holds whichever of the two is larger.
func errorOfSum(a, b, s float64) float64 {
	t := s - a
	return (a - (s - t)) + (b - t)
}
