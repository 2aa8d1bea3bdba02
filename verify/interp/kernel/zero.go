package kernel

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/il"
)

// What _zeroop says about the reciprocal of zero (AMD IL specification, rcp, rsq, log, div). Plain float32
// instructions are taken to mean fltmax, plain doubles infinity; inf_else_max is infinity, since there is
// one.

// reciprocalOfZero is what 1/0 stands for, without the sign of the zero.
func reciprocalOfZero(z il.ZeroOp) float32 {
	switch z {
	case il.ZeroZero:
		return 0
	case il.ZeroInfinity, il.ZeroInfElseMax:
		return float32(math.Inf(1))
	}
	return math.MaxFloat32
}

// signedLike is size with the sign of another number.
func signedLike(size, of float32) float32 {
	return float32(math.Copysign(float64(size), float64(of)))
}

func reciprocal(z il.ZeroOp) func(uint32) uint32 {
	ofZero := reciprocalOfZero(z)
	return func(a uint32) uint32 {
		f := float(a)
		if f == 0 {
			return word(signedLike(ofZero, f))
		}
		return word(1 / f)
	}
}

// reciprocalRoot is NaN below zero.
func reciprocalRoot(z il.ZeroOp) func(uint32) uint32 {
	ofZero := reciprocalOfZero(z)
	return func(a uint32) uint32 {
		f := float(a)
		if f == 0 {
			return word(signedLike(ofZero, f))
		}
		return word(float32(1 / math.Sqrt(float64(f))))
	}
}

// quotient multiplies by the rounded reciprocal. Where that can be infinite the product
// follows IEEE 754, otherwise 0 times anything is 0.
func quotient(z il.ZeroOp) func(a, b uint32) uint32 {
	rcp := reciprocal(z)
	ieee := math.IsInf(float64(reciprocalOfZero(z)), 0)
	return func(a, b uint32) uint32 {
		x, y := float(a), math.Float32frombits(rcp(b))
		if ieee {
			return word(x * y)
		}
		return mulWords(x, y)
	}
}

// logarithm is -infinity of zero unless _zeroop says otherwise: fltmax is the lowest
// number, zero is 0.
func logarithm(z il.ZeroOp, f func(float64) float64) func(uint32) uint32 {
	ofZero := float32(math.Inf(-1))
	if z == il.ZeroFltMax || z == il.ZeroZero {
		ofZero = -reciprocalOfZero(z)
	}
	return func(a uint32) uint32 {
		x := float(a)
		if x == 0 {
			return word(ofZero)
		}
		return word(float32(f(float64(x))))
	}
}

// doubleQuotient is a/b, and of a zero b a times what the reciprocal stands for.
func doubleQuotient(z il.ZeroOp) func(a, b, _ uint64) uint64 {
	rcp := doubleReciprocal(z)
	return func(a, b, _ uint64) uint64 {
		x, y := math.Float64frombits(a), math.Float64frombits(b)
		if y == 0 {
			return double(x * math.Float64frombits(rcp(b, 0, 0)))
		}
		return double(x / y)
	}
}

func doubleReciprocal(z il.ZeroOp) func(a, _, _ uint64) uint64 {
	return doubleOfZero(z, func(x float64) float64 { return 1 / x })
}

func doubleReciprocalRoot(z il.ZeroOp) func(a, _, _ uint64) uint64 {
	return doubleOfZero(z, func(x float64) float64 { return 1 / math.Sqrt(x) })
}

// doubleOfZero is f but of zero.
func doubleOfZero(z il.ZeroOp, f func(float64) float64) func(a, _, _ uint64) uint64 {
	ofZero := math.Inf(1)
	switch z {
	case il.ZeroZero:
		ofZero = 0
	case il.ZeroFltMax:
		ofZero = math.MaxFloat64
	}
	return func(a, _, _ uint64) uint64 {
		x := math.Float64frombits(a)
		if x == 0 {
			return double(math.Copysign(ofZero, x))
		}
		return double(f(x))
	}
}
