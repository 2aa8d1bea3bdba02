package unroll_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/unroll"
)

func TestUnswitchFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{cleanup.DCE, unroll.Unswitch}, "../testdata/passes/unswitch")
}

// Random kernels compute the same after the pass.
func TestUnswitchRandom(t *testing.T) {
	changed := 0
	for seed := range uint64(testcorpus.Count(300, 3000)) {
		k := ilgen.Kernel(seed, ilgen.Options{Size: 60})
		out, _ := passtest.Rewrite(t, k, "unswitch", []*passes.Pass{unroll.Unswitch}, passes.Terms)
		if out == nil {
			continue
		}
		if passtest.SameRuns(t, k, out, 1) {
			changed++
		}
	}
	t.Logf("%d changed", changed)
	if changed < 10 {
		t.Errorf("%d changed", changed)
	}
}
