package reals_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/reals"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Conjunctions of two comparisons of a quantity, or of what is a multiple of it, are one value where they hold
// for the same numbers, and different ones elsewhere.
func TestConjunctions(t *testing.T) {
	f := reals.NewField(1, false)
	r := reals.New(f, reals.Efforts[0])
	literal := func(x float32) reals.Element { return r.Literal(math.Float32bits(x)) }
	x := r.Opaque(symbolic.TagInput, 0, nil)
	type condition struct {
		name string
		val  reals.Element
		at   func(x float64) bool
	}
	var all []condition
	for _, c := range []struct {
		cond  ir.Cond
		holds func(a, b float64) bool
	}{
		{ir.CondLT, func(a, b float64) bool { return a < b }}, {ir.CondLE, func(a, b float64) bool { return a <= b }},
		{ir.CondGT, func(a, b float64) bool { return a > b }}, {ir.CondGE, func(a, b float64) bool { return a >= b }},
		{ir.CondEQ, func(a, b float64) bool { return a == b }}, {ir.CondNE, func(a, b float64) bool { return a != b }},
	} {
		for _, by := range []float32{1, -2} {
			for _, bound := range []float32{0, 2} {
				all = append(all, condition{fmt.Sprintf("%v*x %v %v", by, c.cond, bound), r.Compare(c.cond, r.Mul(literal(by), x), literal(bound)),
					func(x float64) bool { return c.holds(float64(by)*x, float64(bound)) }})
			}
		}
	}
	met := map[string]condition{}
	for _, a := range all {
		for _, b := range all {
			holds := ""
			for _, x := range []float64{-2, -1, -0.5, 0, 1, 2, 3} {
				holds += fmt.Sprint(a.at(x) && b.at(x), " ")
			}
			c := condition{name: a.name + " and " + b.name, val: r.And(a.val, b.val)}
			for other, d := range met {
				if f.Same(c.val, d.val) != (other == holds) {
					t.Fatalf("%s, %s: the same is %v", c.name, d.name, f.Same(c.val, d.val))
				}
			}
			met[holds] = c
		}
	}
	if len(met) < 12 {
		t.Errorf("%d different conjunctions", len(met))
	}
}

// The printed probability counts pairs of applications, comparisons, degrees and what inverses add to them, in both fields.
func TestEpsilon(t *testing.T) {
	const prime = 1 << 60 // of which all are larger
	product := func(alg interface {
		Mul(a, b reals.Element) reals.Element
		Opaque(symbolic.Tag, uint64, []reals.Element) reals.Element
	}, n int) reals.Element {
		x := alg.Opaque(symbolic.TagInput, 0, nil)
		for k := 1; k < n; k++ {
			x = alg.Mul(x, alg.Opaque(symbolic.TagInput, uint64(k), nil))
		}
		return x
	}
	within := func(what string, eps, one float64) {
		t.Helper()
		if one *= one; eps < one/8 || eps > one*8 {
			t.Errorf("%s: %.3g, not near %.3g", what, eps, one)
		}
	}
	f := reals.NewField(1, false)
	x := product(f, 20)
	within("applications", f.Epsilon([]reals.Element{x}, 1), 20*19/2*20.0/prime)
	g := reals.NewField(1, false)
	y := product(g, 1)
	within("comparisons", g.Epsilon([]reals.Element{y}, 1000), 1000.0/prime)
	// 1/(a*b*c...) is of degree 1, and what it is multiplied by later grows by that of its denominator.
	h := reals.NewField(1, false)
	r := reals.New(h, reals.Efforts[0])
	z := product(r, 100)
	without := h.Epsilon([]reals.Element{z}, 1)
	if with := func() float64 {
		i := r.Call(ir.PrimRcp, []reals.Element{z})
		return h.Epsilon([]reals.Element{i}, 1)
	}(); with < 50*50*without {
		t.Errorf("an inverse makes it %.3g of %.3g", with, without)
	}
}
