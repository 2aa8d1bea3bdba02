package passtest

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// Compare returns an error if two programs do not compute nearly the same on four sets of inputs. Results may
// differ by a thousandth, as passes of class Real reorder roundings; a swapped operand or a lost sign differs
// by more. It is a test of passes, not a proof.
func Compare(before, after *ir.Func) error {
	for seed := range uint32(4) {
		want, got := Execute(before, seed), Execute(after, seed)
		if len(want) != len(got) {
			return fmt.Errorf("%d outputs, were %d", len(got), len(want))
		}
		for r, a := range want {
			b, ok := got[r]
			x, y := float64(a), float64(b)
			same := a == b || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= 1e-3*(1+math.Abs(x)+math.Abs(y))
			if !ok || !same {
				return fmt.Errorf("output %v is %v, was %v", r, b, a)
			}
		}
	}
	return nil
}
