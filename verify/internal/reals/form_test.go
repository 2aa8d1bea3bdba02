package reals

import (
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// TestExpansions checks that a repeated product of forms, as in the other version, comes from the cache
// until all quantities are known.
func TestExpansions(t *testing.T) {
	r := New(NewField(1, false), Efforts[0])
	input := func(n uint64) Element { return r.Opaque(symbolic.TagInput, n, nil) }
	zero := r.Literal(math.Float32bits(0))
	a, b := r.greatest(input(1), zero), r.greatest(input(2), r.Add(input(1), input(3)))
	took := func() (x Element, values int) {
		before := r.values
		x = r.Mul(a, b)
		return x, r.values - before
	}
	first, made := took()
	again, known := took()
	if known != 2 || made <= known || !r.Same(first, again) || len(again.more.terms) != len(first.more.terms) {
		t.Errorf("%d values, then %d", made, known)
	}
	if r.Again(); len(r.expansions) != 0 {
		t.Error("what was made before all quantities were met is kept")
	}
	if _, n := took(); n <= known {
		t.Errorf("%d values, then %d", made, n)
	}
	r.cases++ // a form may be restricted within a case
	n := len(r.expansions)
	r.Mul(a, input(4))
	if len(r.expansions) != n {
		t.Error("a product is remembered within a case")
	}
}
