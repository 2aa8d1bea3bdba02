package reals

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Two laws of exponentials need no [Reals], where a clamp is many cases: the inverse of 2^x is
// 2^-x, and 1 - 2^x is at most 1. The second holds of what underflows, too.

// exponential is 2^x as an opaque value, which is noted. Of literals that are not folded nothing is
// known.
func (f *Field) exponential(x Element) Element {
	y := f.random(symbolic.TagPrim, uint64(ir.PrimExp2), []Element{x})
	if !x.isBits {
		f.exponents[y.v] = x
	}
	return y
}

// exponentOf is what x is the exponential of, if that is known.
func (f *Field) exponentOf(x Element) (of Element, ok bool) {
	f.values++
	of, ok = f.exponents[f.seen(x).v]
	return of, ok
}

// most1 reports whether x is known to be at most 1.
func (f *Field) most1(x Element) bool {
	_, ok := f.exponentOf(f.Add(f.Const(1), f.Neg(x)))
	return ok
}
