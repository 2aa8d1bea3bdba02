package words_test

import (
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// TestExact checks that an operation that rounds an intermediate product or sum is not exact, even if the
// result is a float.
func TestExact(t *testing.T) {
	for _, c := range []struct {
		name    string
		op      ir.Op
		a, b, c float32
		want    bool
	}{
		{"sum", ir.OpAdd, 1, 0x1p-23, 0, true},
		{"rounded sum", ir.OpAdd, 1, 0x1p-24, 0, false},
		{"product", ir.OpMul, 1 + 0x1p-11, 1 + 0x1p-12, 0, true},
		{"rounded product", ir.OpMul, 1 + 0x1p-12, 1 + 0x1p-12, 0, false},
		{"product and sum", ir.OpMad, 1 + 0x1p-11, 1 + 0x1p-12, -1, true},
		{"rounded product, and a sum that is a float", ir.OpMad, 1 + 0x1p-12, 1 + 0x1p-12, -1, false},
		{"product, and rounded sum", ir.OpMad, 1, 1, 0x1p-24, false},
		{"root", ir.OpRsq, 4, 0, 0, false},
	} {
		var bits [4][4]uint32
		for s, x := range [3]float32{c.a, c.b, c.c} {
			bits[s][0] = math.Float32bits(x)
		}
		if got := words.Exact(c.op, 0, &bits); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
