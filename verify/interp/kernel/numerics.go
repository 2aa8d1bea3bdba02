package kernel

import "math"

// Float32 arithmetic on words. The rules are those of the R600 family:
//
//   - Subnormal operands and results count as zero of their sign. Moves, choices, abs and _neg keep the
//     other bits.
//   - Results are rounded to nearest even after each operation: mad rounds twice, and a dot product adds
//     from x to w. Only fma rounds once.
//   - All NaN results have the same bits.
//   - Without _ieee, 0 times infinity or NaN is 0 in mul, mad and the dot products. The product of finite
//     numbers has its IEEE 754 sign. There min and max are a < b ? a : b and a >= b ? a : b; with _ieee
//     they return the operand that is not NaN.
//   - Functions that hardware approximates are computed in float64 and rounded.
//
// If the documentation leaves a rule open, the function's comment states the interpretation.

// signBit and so on are those of a float32; oneBits is 1.0, and quietNaN the NaN of results.
const (
	signBit  = 1 << 31
	expMask  = 0x7f800000
	oneBits  = 0x3f800000
	quietNaN = 0x7fc00000
	allOnes  = ^uint32(0)
)

// float returns an operand as a number.
func float(w uint32) float32 {
	if w&expMask == 0 {
		w &= signBit
	}
	return math.Float32frombits(w)
}

// resultWord returns a result as a word. One comparison detects everything except normal numbers: w<<1 drops the
// sign, and exponents 0 and 255 lie outside the remaining range.
func resultWord(f float32) uint32 {
	w := math.Float32bits(f)
	if w<<1-0x01000000 >= 0xfe000000 {
		w = unusual(w)
	}
	return w
}

// unusual normalizes a zero, subnormal, infinity or NaN.
func unusual(w uint32) uint32 {
	switch {
	case w&expMask == 0:
		return w & signBit
	case w&^signBit > expMask:
		return quietNaN
	}
	return w
}

// legacy returns the product p of a and b where 0 times anything is 0, like MUL of R600 (MUL_IEEE has the
// other rule).
func legacy(a, b, p float32) uint32 {
	if p != p && (a == 0 || b == 0) {
		return 0
	}
	return unusual(math.Float32bits(p))
}

// mulWords returns the legacy product of two numbers as a word.
func mulWords(a, b float32) uint32 {
	p := a * b
	w := math.Float32bits(p)
	if w<<1-0x01000000 >= 0xfe000000 {
		w = legacy(a, b, p)
	}
	return w
}

// boolMask returns the result of a comparison.
func boolMask(c bool) uint32 { return -boolBit(c) }

// boolBit returns c as 0 or 1; it compiles to code without a branch.
func boolBit(c bool) uint32 {
	b := uint32(0)
	if c {
		b = 1
	}
	return b
}

func minLegacy(x, y float32) float32 {
	if x < y {
		return x
	}
	return y
}

func maxLegacy(x, y float32) float32 {
	if x >= y {
		return x
	}
	return y
}

func minIEEE(a, b uint32) uint32 {
	x, y := float(a), float(b)
	if y != y {
		return resultWord(x)
	}
	return resultWord(minLegacy(x, y))
}

func maxIEEE(a, b uint32) uint32 {
	x, y := float(a), float(b)
	if y != y {
		return resultWord(x)
	}
	return resultWord(maxLegacy(x, y))
}

// saturate clamps to 0..1, and converts NaN to 0.
func saturate(a uint32) uint32 {
	f := float(a)
	switch {
	case !(f > 0):
		return 0
	case f > 1:
		return oneBits
	}
	return math.Float32bits(f)
}

// inFloat64 returns f computed in float64.
func inFloat64(f func(float64) float64) func(uint32) uint32 {
	return func(a uint32) uint32 { return resultWord(float32(f(float64(float(a))))) }
}

// fraction returns a - floor(a). It can round up to 1 just below zero.
func fraction(a uint32) uint32 {
	f := float(a)
	return resultWord(f - float32(math.Floor(float64(f))))
}

// sign returns 1, 0 or -1, and 0 for NaN.
func sign(a uint32) uint32 {
	f := float(a)
	switch {
	case f > 0:
		return oneBits
	case f < 0:
		return oneBits | signBit
	}
	return 0
}

// fusedMad rounds once. The product is exact in float64, and the sum is rounded to odd, so that the second
// rounding is correct. See Boldo and Melquiond, Emulation of FMA and Correctly Rounded Sums, 2008.
func fusedMad(a, b, c uint32) uint32 {
	p, z := float64(float(a))*float64(float(b)), float64(float(c))
	s := p + z
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return resultWord(float32(s))
	}
	t := s - p
	if lost := (p - (s - t)) + (z - t); lost != 0 {
		w := math.Float64bits(s)
		if w&1 == 0 {
			if (lost > 0) == (s > 0) {
				w++
			} else {
				w--
			}
		}
		s = math.Float64frombits(w)
	}
	return resultWord(float32(s))
}

// modulo returns a - b*trunc(a/b) over the reals, with the sign of a. Hardware multiplies by a reciprocal,
// and its result can differ by b.
func modulo(a, b uint32) uint32 {
	return resultWord(float32(math.Mod(float64(float(a)), float64(float(b)))))
}

// power uses |a|, like a logarithm; anything to the power of 0 is 1.
func power(a, b uint32) uint32 {
	x, y := math.Abs(float64(float(a))), float64(float(b))
	if y == 0 {
		return oneBits
	}
	return resultWord(float32(math.Pow(x, y)))
}

// lerp returns c + a*(b-c), each step rounded.
func lerp(a, b, c uint32) uint32 {
	y, z := float(b), float(c)
	p := mulWords(float(a), float(resultWord(y-z)))
	return resultWord(math.Float32frombits(p) + z)
}

// clamp returns min(max(x, lo), hi).
func clamp(x, lo, hi uint32) uint32 {
	return resultWord(minLegacy(maxLegacy(float(x), float(lo)), float(hi)))
}

// choose returns a if c is not 0.0, else b.
func choose(c, a, b uint32) uint32 {
	if float(c) != 0 {
		return a
	}
	return b
}

// specular returns the z of lit: y to the power of w where x and y are positive, with w clamped to
// -128..128 as in Direct3D.
func specular(x, y, w uint32) uint32 {
	if !(float(x) > 0) || !(float(y) > 0) {
		return 0
	}
	e := max(-128, min(float(w), 128))
	return power(y, math.Float32bits(e))
}

// truncatedInt converts to an integer: towards zero, NaN to 0, and numbers out of range to the nearest
// integer.
func truncatedInt(x float64) uint32 {
	switch {
	case x != x:
		return 0
	case x >= math.MaxInt32:
		return math.MaxInt32
	case x <= math.MinInt32:
		return 1 << 31
	}
	return uint32(int32(x))
}

func truncatedUint(x float64) uint32 {
	switch {
	case !(x > 0):
		return 0
	case x >= math.MaxUint32:
		return math.MaxUint32
	}
	return uint32(x)
}

// toHalf rounds to the nearest even 16-bit float, including subnormals; fromHalf is exact.
func toHalf(a uint32) uint32 {
	f := float64(float(a))
	s := a >> 16 & 0x8000
	x := math.Abs(f)
	switch {
	case x != x:
		return 0x7e00
	case x < 0x1p-14:
		return s | uint32(math.RoundToEven(x*0x1p24)) // up to and including the smallest normal one
	case x >= 65520:
		return s | 0x7c00
	}
	_, e := math.Frexp(x)
	m := uint32(math.RoundToEven(math.Ldexp(x, 11-e))) // 1024..2048
	return s | (uint32(e+13)<<10 + m)
}

func fromHalf(a uint32) uint32 {
	s, e, m := a&0x8000<<16, a>>10&31, a&0x3ff
	switch {
	case e == 31 && m != 0:
		return quietNaN
	case e == 31:
		return s | expMask
	case e == 0:
		return s | math.Float32bits(float32(m)*0x1p-24)
	}
	return s | (e+112)<<23 | m<<13
}
