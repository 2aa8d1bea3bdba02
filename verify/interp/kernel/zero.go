package kernel

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/il"
)

// _zeroop selects the reciprocal of zero (AMD IL specification, rcp, rsq, log, div). Plain float32
// instructions are assumed to mean fltmax, plain doubles infinity. inf_else_max means infinity, which
// exists here.

// reciprocalOfZero returns the value of 1/0, without the sign of the zero.
func reciprocalOfZero(z il.ZeroOp) float32 {
	switch z {
	case il.ZeroZero:
		return 0
	case il.ZeroInfinity, il.ZeroInfElseMax:
		return float32(math.Inf(1))
	}
	return math.MaxFloat32
}

// signedLike returns size with the sign of another number.
func signedLike(size, of float32) float32 {
	return float32(math.Copysign(float64(size), float64(of)))
}

func reciprocal(z il.ZeroOp) func(uint32) uint32 {
	ofZero := reciprocalOfZero(z)
	return func(a uint32) uint32 {
		f := float(a)
		if f == 0 {
			return resultWord(signedLike(ofZero, f))
		}
		return resultWord(1 / f)
	}
}

// reciprocalRoot returns a reciprocal root that is NaN below zero.
func reciprocalRoot(z il.ZeroOp) func(uint32) uint32 {
	ofZero := reciprocalOfZero(z)
	return func(a uint32) uint32 {
		f := float(a)
		if f == 0 {
			return resultWord(signedLike(ofZero, f))
		}
		return resultWord(float32(1 / math.Sqrt(float64(f))))
	}
}

// quotient multiplies by the rounded reciprocal. If the reciprocal can be infinite, the product follows
// IEEE 754; otherwise 0 times anything is 0.
func quotient(z il.ZeroOp) func(a, b uint32) uint32 {
	rcp := reciprocal(z)
	ieee := math.IsInf(float64(reciprocalOfZero(z)), 0)
	return func(a, b uint32) uint32 {
		x, y := float(a), math.Float32frombits(rcp(b))
		if ieee {
			return resultWord(x * y)
		}
		return mulWords(x, y)
	}
}

// logarithm returns a logarithm that is -infinity at zero unless _zeroop selects otherwise: fltmax gives
// the lowest number, zero gives 0.
func logarithm(z il.ZeroOp, f func(float64) float64) func(uint32) uint32 {
	ofZero := float32(math.Inf(-1))
	if z == il.ZeroFltMax || z == il.ZeroZero {
		ofZero = -reciprocalOfZero(z)
	}
	return func(a uint32) uint32 {
		x := float(a)
		if x == 0 {
			return resultWord(ofZero)
		}
		return resultWord(float32(f(float64(x))))
	}
}

// doubleQuotient returns a/b, or for a zero b, a times the selected reciprocal.
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

// doubleOfZero returns f with another value at zero.
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
