package gen_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/gen"
)

// TestOptimizedPairsVerify checks that the result of Optimize verifies for any pair. Such a test needs no
// further code.
func TestOptimizedPairsVerify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := gen.Pairs(12).Draw(t, "pair")
		in := shaderlift.Input{Files: []shaderlift.File{{Name: "p.vsh", Data: p.Vertex.Bytes()},
			{Name: "p.psh", Data: p.Pixel.Bytes()}}}
		if res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{}); err != nil {
			t.Fatalf("%v: %v", err, res)
		}
	})
}
