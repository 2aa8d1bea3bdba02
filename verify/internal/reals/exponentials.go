package reals

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Two laws of exponentials do without [Reals], where a clamp has many cases: the inverse of 2^x is 2^-x,
// and 1 - 2^x is at most 1. The second also holds under underflow.

// exponential returns 2^x as an opaque value, and records x. It records nothing for literals that are not
// folded.
func (f *Field) exponential(x Element) Element {
	y := f.random(symbolic.TagPrim, uint64(ir.PrimExp2), []Element{x})
	if !x.isBits {
		f.exponents[y.v] = x
	}
	return y
}

// exponentOf returns the exponent of x, if x is a known exponential.
func (f *Field) exponentOf(x Element) (of Element, ok bool) {
	f.values++
	of, ok = f.exponents[f.recordWeight(x).v]
	return of, ok
}

// most1 reports whether x is known to be at most 1.
func (f *Field) most1(x Element) bool {
	_, ok := f.exponentOf(f.Add(f.Const(1), f.Neg(x)))
	return ok
}
