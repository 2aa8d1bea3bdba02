package symbolic_test

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Example shows that signs cancel, also in double negations. All other equal values are equal terms.
func Example() {
	t := symbolic.NewTerms()
	x := t.Opaque(symbolic.TagInput, 0, nil)
	minus := t.Modify(x, ir.Neg)
	fmt.Println(t.Same(t.Modify(minus, ir.Neg), x), t.Same(t.Modify(minus, ir.Abs), t.Modify(x, ir.Abs)))
	c := t.Compare(ir.CondGE, x, t.Literal(math.Float32bits(1)))
	fmt.Println(t.Same(t.Choose(t.Not(c), x, minus), t.Choose(c, minus, x)))
	// Output:
	// true true
	// true
}
