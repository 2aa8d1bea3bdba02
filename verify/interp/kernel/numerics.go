package kernel

import "math"

// Float32 arithmetic, on words. The rules are those of the R600 family:
//
//   - Subnormal operands and results count as zero of their sign. Moves, choices and
//     the signs that abs and _neg set leave the other bits alone.
//   - Results are rounded to the nearest even, each operation by itself: mad rounds
//     twice, and a dot product adds up from x to w. Only fma rounds once.
//   - A NaN that comes out is always the same one.
//   - Without _ieee, 0 times infinity or NaN is 0 in mul, mad and the dot products; the
//     product of finite numbers has the sign that IEEE 754 gives it. min and max are
//     a < b ? a : b and a >= b ? a : b; with _ieee they give the operand that is
//     not NaN.
//   - What hardware approximates is computed in float64 and rounded.
//
// Where the last word on a rule is missing, the reading is stated at the function.

// signBit and so on are those of a float32; oneBits is 1.0, and quietNaN the NaN that comes out.
const (
	signBit  = 1 << 31
	expMask  = 0x7f800000
	oneBits  = 0x3f800000
	quietNaN = 0x7fc00000
	allOnes  = ^uint32(0)
)

// float is the number an operand stands for.
func float(w uint32) float32 {
	if w&expMask == 0 {
		w &= signBit
	}
	return math.Float32frombits(w)
}

// word is the word of a result. Anything but a normal number is found by one comparison: w<<1 drops
// the sign, and exponents 0 and 255 lie outside the range that is left.
func word(f float32) uint32 {
	w := math.Float32bits(f)
	if w<<1-0x01000000 >= 0xfe000000 {
		w = unusual(w)
	}
	return w
}

// unusual settles a zero, subnormal, infinity or NaN.
func unusual(w uint32) uint32 {
	switch {
	case w&expMask == 0:
		return w & signBit
	case w&^signBit > expMask:
		return quietNaN
	}
	return w
}

// legacy is product p of a and b where 0 times anything is 0, as MUL of R600 has it (MUL_IEEE has
// the other rule).
func legacy(a, b, p float32) uint32 {
	if p != p && (a == 0 || b == 0) {
		return 0
	}
	return unusual(math.Float32bits(p))
}

// mulWords is the legacy product of two numbers, as a word.
func mulWords(a, b float32) uint32 {
	p := a * b
	w := math.Float32bits(p)
	if w<<1-0x01000000 >= 0xfe000000 {
		w = legacy(a, b, p)
	}
	return w
}

// flag is what comparisons give.
func flag(c bool) uint32 { return -bit(c) }

// bit compiles to code without a branch.
func bit(c bool) uint32 {
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
		return word(x)
	}
	return word(minLegacy(x, y))
}

func maxIEEE(a, b uint32) uint32 {
	x, y := float(a), float(b)
	if y != y {
		return word(x)
	}
	return word(maxLegacy(x, y))
}

// saturate clamps to 0..1; of NaN it makes 0.
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

// in64 computes in float64.
func in64(f func(float64) float64) func(uint32) uint32 {
	return func(a uint32) uint32 { return word(float32(f(float64(float(a))))) }
}

// fraction can round up to 1 just below zero.
func fraction(a uint32) uint32 {
	f := float(a)
	return word(f - float32(math.Floor(float64(f))))
}

// sign is 1, 0 or -1; of NaN 0.
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

// fusedMad rounds once: the product is exact in float64, and the sum is rounded to odd there so that the
// second rounding cannot go wrong (Boldo and Melquiond, Emulation of FMA and Correctly Rounded Sums, 2008).
func fusedMad(a, b, c uint32) uint32 {
	p, z := float64(float(a))*float64(float(b)), float64(float(c))
	s := p + z
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return word(float32(s))
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
	return word(float32(s))
}

// modulo has the sign of a: a - b*trunc(a/b) over the reals. Hardware, which multiplies
// by a reciprocal, can be off by b.
func modulo(a, b uint32) uint32 {
	return word(float32(math.Mod(float64(float(a)), float64(float(b)))))
}

// power takes the size of a, as a logarithm would; anything to the power of 0 is 1.
func power(a, b uint32) uint32 {
	x, y := math.Abs(float64(float(a))), float64(float(b))
	if y == 0 {
		return oneBits
	}
	return word(float32(math.Pow(x, y)))
}

// lerp is c + a*(b-c), each step rounded.
func lerp(a, b, c uint32) uint32 {
	y, z := float(b), float(c)
	p := mulWords(float(a), float(word(y-z)))
	return word(math.Float32frombits(p) + z)
}

// clamp is min(max(x, lo), hi).
func clamp(x, lo, hi uint32) uint32 {
	return word(minLegacy(maxLegacy(float(x), float(lo)), float(hi)))
}

// choose takes a where c is not 0.0.
func choose(c, a, b uint32) uint32 {
	if float(c) != 0 {
		return a
	}
	return b
}

// specular is the z of lit: y to the power of w where x and y are positive, with w kept
// to -128..128 as in Direct3D.
func specular(x, y, w uint32) uint32 {
	if !(float(x) > 0) || !(float(y) > 0) {
		return 0
	}
	e := max(-128, min(float(w), 128))
	return power(y, math.Float32bits(e))
}

// truncatedInt is the conversion to an integer: towards zero, of NaN 0, of what is too large the
// nearest there is.
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

// toHalf rounds to the nearest even 16-bit float, subnormal ones included; fromHalf is
// exact.
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
