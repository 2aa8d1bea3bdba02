package ifconvert_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/ifconvert"
	"github.com/shaderlift/shaderlift/verify"
)

// If conversion always pays, every convertible branch of a random kernel is converted, and the kernel keeps
// its terms. The kernels have no fetches: a function does not record which of them choose a level by
// differences.
func TestRandom(t *testing.T) {
	n := uint64(400)
	if testing.Short() {
		n = 80
	}
	changed := 0
	for seed := range n {
		u, err := (&passtest.Source{Kernel: ilgen.Kernel(seed, ilgen.Options{NoFetch: true})}).Lift()
		if err != nil {
			continue
		}
		before := u.Kernel.Clone()
		report, err := passes.Run(u, passes.Pipeline{{Pass: ifconvert.Pass}}, passes.Config{Measure: branches})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if report.Steps == 0 {
			continue
		}
		changed++
		if r := verify.CheckFunc(before, u.Kernel, verify.Options{Numerics: verify.Terms}); r.Verdict != verify.Proved {
			t.Errorf("seed %d: %v: %s", seed, r.Verdict, r.Why)
		}
	}
	if changed < int(n)/20 {
		t.Errorf("%d kernels changed", changed)
	}
	t.Logf("%d kernels changed", changed)
}

// branches prices a unit by its number of branches.
func branches(u *passes.Unit) (c passes.Cost, err error) {
	u.Kernel.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpIf {
			c[0]++
		}
	})
	return c, nil
}
