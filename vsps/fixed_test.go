package vsps_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/vsps"
)

// TestFixedRandom checks that random programs of ps_1_x are lifted and proved equal to themselves, and that [vsps.Emit]
// refuses them.
func TestFixedRandom(t *testing.T) {
	for seed := range uint64(400) {
		m := gen.FixedModels[seed%4]
		p := gen.ProgramOf(m, seed, 8)
		f, err := vsps.Lift(p)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text(p))
		}
		if _, err := vsps.Emit(p, f); err == nil || vsps.CanEmit(m) {
			t.Errorf("seed %d: a program of %s is written", seed, m)
		}
		if r := verify.Check(verify.Pair{Pixel: p}, verify.Pair{Pixel: p},
			verify.Options{Numerics: verify.Real}); r.Verdict < verify.Proved {
			t.Errorf("seed %d: %v: %s\n%s", seed, r.Verdict, r.Why, text(p))
		}
	}
}

// text returns p as assembly text, also if it is bytecode.
func text(p *d3d9.Program) []byte {
	q := *p
	q.Binary = false
	return d3d9.Print(&q)
}
