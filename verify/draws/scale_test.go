package draws_test

import (
	"context"
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify/draws"
)

// TestRandomWithinLittle checks that a try starts again with a smaller target if its draw, whose cost is
// random, is too expensive for the remaining budget.
func TestRandomWithinLittle(t *testing.T) {
	vs := parse(t, "vs_3_0\ndef c9, 40, 30, 0.5, 0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nadd r0, v0, c9\nm4x4 o0, r0, c0\nmov o1, v1\n")
	ps := parse(t, "ps_3_0\ndcl_texcoord v0\nadd r1, c0, -c1\ntexkill r1\nmov r0, v0\nrep i0\nmad r0, r0, r0, v0\nendrep\nmov oC0, r0\n")
	for seed := range testcorpus.Count[uint64](4, 8) {
		for steps := int64(1 << 12); steps <= 1<<22; steps += steps / 16 {
			b := budget.New(context.Background(), steps, math.MaxInt64)
			if c, _, err := draws.RandomWithin(vs, ps, seed, draws.Much, b); err == nil && c == nil {
				t.Errorf("seed %d, %d steps: no draw and no error", seed, steps)
			}
		}
	}
}
