package gen_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/verify/gen"
)

// What Optimize makes of any pair verifies. This is the whole of such a test.
func TestOptimizedPairsVerify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := gen.Pairs(12).Draw(t, "pair")
		in := shaderlift.Input{Files: []shaderlift.File{{Name: "p.vsh", Data: p.Vertex.Bytes()}, {Name: "p.psh", Data: p.Pixel.Bytes()}}}
		if res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{}); err != nil {
			t.Fatalf("%v: %v", err, res)
		}
	})
}
