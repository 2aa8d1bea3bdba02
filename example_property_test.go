package shaderlift_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/passes"
)

// TestSameMin checks that sameMin is right for random programs.
func TestSameMin(t *testing.T) {
	o := shaderlift.Options{Pipeline: "same-min", Keep: true, Strict: true}
	o.Hooks.Passes = []*passes.Pass{sameMin}
	for seed := range uint64(20) {
		r, text := rand.New(rand.NewPCG(seed, 0)), "ps_2_0\ndcl t0\nmov r0, t0\nmov r1, c0\n"
		for range 8 {
			text += fmt.Sprintf("%s r%d, r%d, r%d\n", []string{"min", "max", "add"}[r.IntN(3)], r.IntN(2), r.IntN(2), r.IntN(2))
		}
		in := shaderlift.Input{Files: []shaderlift.File{{Name: "random.psh", Data: []byte(text + "mov oC0, r0\n")}}}
		if _, err := shaderlift.Optimize(t.Context(), in, o); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
	}
}
