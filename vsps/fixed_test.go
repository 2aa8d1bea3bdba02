package vsps_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/gen/shadergen"
	"github.com/shaderlift/shaderlift/vsps"
)

// Random programs of ps_1_x are written as valid programs that cost no more and mean the same.
func TestFixedRandom(t *testing.T) {
	const n = 1000
	written, shorter, kept := 0, 0, 0
	for seed := range uint64(n) {
		m := shadergen.FixedModels[seed%4]
		p := shadergen.Program(m, seed, 8)
		f, err := vsps.Lift(p)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, d3d9.Print(p))
		}
		out, err := vsps.Emit(p, f)
		if err != nil {
			t.Logf("seed %d: %v\n%s", seed, err, text(p))
			kept++
			continue
		}
		written++
		if ds := d3d9.Validate(out); len(ds) > 0 {
			t.Errorf("seed %d: %v\n%s\n%s", seed, ds, text(p), text(out))
			continue
		}
		before, after := d3d9.Measure(p).Slots, d3d9.Measure(out).Slots
		if after > before {
			t.Errorf("seed %d: %d slots of %d\n%s\n%s", seed, after, before, text(p), text(out))
		}
		if after < before {
			shorter++
		}
		if r := verify.Check(verify.Pair{Pixel: p}, verify.Pair{Pixel: out}, verify.Options{Numerics: verify.Real}); r.Verdict < verify.ProvedReal {
			t.Errorf("seed %d: %v: %s %+v\n%s\n%s", seed, r.Verdict, r.Why, r.Counterexample, text(p), text(out))
		}
	}
	t.Logf("%d written, %d of them shorter, %d not", written, shorter, kept)
	// What texm3x3 leaves in alpha is a literal, and may be one constant too many.
	if kept > n/500 {
		t.Errorf("%d programs cannot be written", kept)
	}
}

// text is p, if it is bytecode too.
func text(p *d3d9.Program) []byte {
	q := *p
	q.Binary = false
	return d3d9.Print(&q)
}
