package reals_test

import (
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/reals"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// TestThresholdNoFloat covers x*1e-40 = 1, where x is a literal that is not a float32.
func TestThresholdNoFloat(t *testing.T) {
	f := reals.NewField(1, false)
	r := reals.New(f, reals.Efforts[0])
	literal := func(x float32) reals.Element { return r.Literal(math.Float32bits(x)) }
	x := r.Opaque(symbolic.TagInput, 0, nil)
	r.Compare(ir.CondGE, x, literal(0))
	small := r.Mul(x, literal(1e-40))
	at := r.Compare(ir.CondEQ, small, literal(1))
	if got := r.Mul(at, small); !f.Same(got, at) {
		t.Error("x*1e-40 is not 1 where it equals 1")
	}
	if got := r.Mul(at, x); f.Same(got, at) || !f.Same(r.Mul(got, literal(1e-40)), at) {
		t.Error("x is not 1/1e-40 where x*1e-40 equals 1")
	}
}
