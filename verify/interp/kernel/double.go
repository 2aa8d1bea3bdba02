package kernel

import (
	"math"
)

// Doubles are IEEE 754 binary64, rounded to nearest even, with subnormals. dmad rounds twice, like mad.
// Every NaN result has the same bits. A double is a pair of components, the low word first: xy or zw.

func double(f float64) uint64 {
	if f != f {
		return 0x7ff8000000000000
	}
	return math.Float64bits(f)
}

// pairFn computes a double from up to three doubles.
type pairFn func(a, b, c uint64) uint64

func number(w uint64) float64 { return math.Float64frombits(w) }

func dadd(a, b, _ uint64) uint64 { return double(number(a) + number(b)) }
func dmul(a, b, _ uint64) uint64 { return double(number(a) * number(b)) }
func dmad(a, b, c uint64) uint64 {
	p := float64(number(a) * number(b))
	return double(p + number(c))
}

// dmin and dmax return the operand that is not NaN.
func dmin(a, b, _ uint64) uint64 {
	if x, y := number(a), number(b); x < y || y != y {
		return double(x)
	}
	return double(number(b))
}

func dmax(a, b, _ uint64) uint64 {
	if x, y := number(a), number(b); x >= y || y != y {
		return double(x)
	}
	return double(number(b))
}

func dfrac(a, _, _ uint64) uint64 {
	x := number(a)
	return double(x - math.Floor(x))
}

func dsqrt(a, _, _ uint64) uint64 { return double(math.Sqrt(number(a))) }

// scaled returns a times two to the power of the integer e.
func scaled(a uint64, e uint32) uint64 { return double(math.Ldexp(number(a), int(int32(e)))) }
