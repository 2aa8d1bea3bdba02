package shaderlift_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// workPerPair returns the mean number of emissions and of copies of programs that a pair takes, priced by slots.
func workPerPair(t *testing.T, pairs []shaderlift.Input) (emissions, clones float64) {
	e, c := budget.Emissions.Load(), budget.Clones.Load()
	for _, in := range pairs {
		if _, err := shaderlift.Optimize(context.Background(), in,
			shaderlift.Options{Target: shaderlift.SlotTarget}); err != nil {
			t.Fatal(err)
		}
	}
	n := float64(len(pairs))
	return float64(budget.Emissions.Load()-e) / n, float64(budget.Clones.Load()-c) / n
}

// TestWorkOfPairs bounds the emissions and the copies of programs of the pairs of the corpus. Both decide the
// time of the passes.
func TestWorkOfPairs(t *testing.T) {
	emissions, clones := workPerPair(t, testcorpus.EveryNth(corpusPairs(t), 5))
	t.Logf("%.1f emissions and %.1f copies a pair", emissions, clones)
	if emissions > 25 || clones > 50 {
		t.Errorf("a pair takes %.1f emissions and %.1f copies of programs in the mean, more than 25 and 50", emissions,
			clones)
	}
}

// TestWorkOfPair is TestWorkOfPairs for a pair of this repository.
func TestWorkOfPair(t *testing.T) {
	pair := shaderlift.Input{Name: "conv1d",
		Files: []shaderlift.File{readFile(t, "testdata/conv1d/conv1d.vsh"), readFile(t, "testdata/conv1d/conv1d.psh")}}
	emissions, clones := workPerPair(t, []shaderlift.Input{pair})
	if emissions == 0 || clones == 0 || emissions > 25 || clones > 50 {
		t.Errorf("%.0f emissions and %.0f copies of programs", emissions, clones)
	}
}

// TestWorkOfEffects bounds the emissions, the copies of programs and the symbolic executions of versions that a part
// of an effect of the corpus takes in the mean.
func TestWorkOfEffects(t *testing.T) {
	most := []float64{20, 48, 40}
	counts := []*atomic.Int64{&budget.Emissions, &budget.Clones, &budget.Walks}
	work := make([]float64, len(counts))
	for i, c := range counts {
		work[i] = -float64(c.Load())
	}
	parts := 0
	for _, path := range testcorpus.EveryNth(testcorpus.Glob(t, "corpus/d3d9/effects/*.efb"), 12) {
		res, err := shaderlift.Optimize(t.Context(), shaderlift.Input{Files: []shaderlift.File{readFile(t, path)}},
			shaderlift.Options{})
		if err != nil {
			t.Fatal(err)
		}
		parts += len(res.Parts)
	}
	for i, c := range counts {
		work[i] = (work[i] + float64(c.Load())) / float64(parts)
	}
	t.Logf("%.1f emissions, copies and executions a part", work)
	for i, n := range work {
		if n > most[i] {
			t.Errorf("%.1f emissions, copies and executions a part, more than %v", work, most)
			break
		}
	}
}
