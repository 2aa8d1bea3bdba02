package reals_test

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/reals"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Example proves three facts over the reals: 2 + 2 is 4, a sine and its cosine lie on a circle, and a value
// of at least 1 is at least 0.
func Example() {
	f := reals.NewField(1, false)
	r := reals.New(f, reals.Efforts[0])
	literal := func(x float32) reals.Element { return r.Literal(math.Float32bits(x)) }
	x := r.Opaque(symbolic.TagInput, 0, nil)
	sine, cosine := r.Call(ir.PrimSin, []reals.Element{x}), r.Call(ir.PrimCos, []reals.Element{x})
	fmt.Println(f.Same(r.Add(literal(2), literal(2)), literal(4)))
	fmt.Println(f.Same(r.Add(r.Mul(sine, sine), r.Mul(cosine, cosine)), literal(1)))
	one, zero := r.Compare(ir.CondGE, x, literal(1)), r.Compare(ir.CondGE, x, literal(0))
	fmt.Println(f.Same(r.And(one, zero), one))
	// Output:
	// true
	// true
	// true
}
