package reals_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/reals"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// TestConjunctions checks conjunctions of two comparisons of a quantity, or of its multiples. They must be
// one value if they hold for the same numbers, and different values otherwise.
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
				all = append(all, condition{fmt.Sprintf("%v*x %v %v", by, c.cond, bound),
					r.Compare(c.cond, r.Mul(literal(by), x), literal(bound)),
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

// TestEpsilon checks that the printed probability counts pairs of applications, comparisons, degrees and
// the effect of inverses on them, in both fields.
func TestEpsilon(t *testing.T) {
	const prime = 1 << 60 // less than all of them
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
	// 1/(a*b*c...) has degree 1, and a later factor grows by the degree of its denominator.
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

// TestEpsilonNested checks that the powers of a denominator follow the degree, for coefficients of any
// size. Behind eight nested inverses of x + 1/3 the degree is below 2^8, and the weight of each denominator
// is 1 + 200*25/149.
func TestEpsilonNested(t *testing.T) {
	f := reals.NewField(1, false)
	r := reals.New(f, reals.Efforts[0])
	x, third := r.Opaque(symbolic.TagInput, 0, nil), r.Literal(math.Float32bits(1./3))
	for range 8 {
		x = r.Call(ir.PrimRcp, []reals.Element{r.Add(x, third)})
	}
	const bound = 1e-20 // (200 pairs * 35 * 2^8 / 2^60)^2 is 2.4e-24
	if eps := f.Epsilon([]reals.Element{x}, 1); eps > bound {
		t.Errorf("nested inverses make it %.3g, more than %.3g", eps, bound)
	}
}
