package reals_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/reals"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// TestExponentials checks the laws of exponentials in the field, and that wrong laws do not follow.
func TestExponentials(t *testing.T) {
	f := reals.NewField(1, false)
	call := func(p ir.Prim, args ...reals.Element) reals.Element { return f.Call(p, args) }
	x, y := f.Opaque(symbolic.TagInput, 0, nil), f.Opaque(symbolic.TagInput, 1, nil)
	zero, one := f.Const(0), f.Const(1)
	exp, other := call(ir.PrimExp2, x), call(ir.PrimExp2, y)
	below := f.Add(one, f.Neg(exp))
	for _, c := range []struct {
		name        string
		left, right reals.Element
		same        bool
	}{
		{"inverse", call(ir.PrimRcp, exp), call(ir.PrimExp2, f.Neg(x)), true},
		{"inverse of the inverse", call(ir.PrimRcp, call(ir.PrimRcp, exp)), exp, true},
		{"negation is no inverse", call(ir.PrimRcp, f.Neg(exp)), call(ir.PrimExp2, f.Neg(x)), false},
		{"inverse of another", call(ir.PrimRcp, other), call(ir.PrimExp2, f.Neg(x)), false},
		{"inverse of a product", call(ir.PrimRcp, f.Mul(exp, x)), call(ir.PrimExp2, f.Neg(x)), false},
		{"at most 1", call(ir.PrimMax, below, zero), f.Saturate(below), true},
		{"at most 1, turned round", call(ir.PrimMax, zero, below), f.Saturate(below), true},
		{"at least 1", call(ir.PrimMax, f.Add(one, exp), zero), f.Saturate(f.Add(one, exp)), false},
		{"at most 2", call(ir.PrimMax, f.Add(f.Const(2), f.Neg(exp)), zero), f.Saturate(f.Add(f.Const(2), f.Neg(exp))),
			false},
		{"unknown", call(ir.PrimMax, f.Add(one, f.Neg(x)), zero), f.Saturate(f.Add(one, f.Neg(x))), false},
		{"another bound", call(ir.PrimMax, below, f.Const(-1)), f.Saturate(below), false},
		{"least", call(ir.PrimMin, below, zero), f.Saturate(below), false},
		{"at least 0", call(ir.PrimMax, below, zero), below, false},
	} {
		if f.Same(c.left, c.right) != c.same {
			t.Errorf("%s: not %v", c.name, c.same)
		}
	}
}
