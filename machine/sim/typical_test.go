package sim

import (
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/machinetest"
)

// TestTypical checks that typical wavefronts together do as much as all of them, and that the last
// one has the most work.
func TestTypical(t *testing.T) {
	tests := map[string]struct {
		work []float64
		want int // of them
	}{
		"none":              {nil, 0},
		"nothing to do":     {[]float64{0, 0}, 0},
		"all alike":         {[]float64{8, 8, 8, 8, 8, 8, 8}, 1},
		"nearly alike":      {[]float64{100, 101, 102, 103}, 1},
		"half of them":      {[]float64{0, 0, 0, 8, 8, 8}, 1},
		"two kinds":         {[]float64{1, 1, 1, 1, 4, 4, 4, 4}, 2},
		"one that is long":  {[]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3}, 2},
		"all kinds of them": {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 4},
	}
	for name, test := range tests {
		list := newEndings()
		sum, most := 0.0, 0.0
		for i, w := range test.work {
			list.add(ended{i, w})
			sum, most = sum+w, max(most, w)
		}
		got := typical(list)
		if len(got) != test.want {
			t.Errorf("%s: %v", name, got)
			continue
		}
		for _, k := range got {
			sum -= k.Weight * test.work[k.Wave] * float64(len(test.work))
		}
		if math.Abs(sum) > 1e-9 {
			t.Errorf("%s: %v more work than %v", name, sum, got)
		}
		if n := len(got); n > 0 && test.work[got[n-1].Wave] < most/alike {
			t.Errorf("%s: %v leaves out the longest", name, got)
		}
	}
}

// TestTypicalOfMany checks that the sample represents the work of any number of ended wavefronts.
func TestTypicalOfMany(t *testing.T) {
	list := newEndings()
	const n = 100_000
	for i := range n {
		work := float64(1 + i%3)
		if i == 77_777 {
			work = 9
		}
		list.add(ended{i, work})
	}
	sum := 0.0
	for _, k := range typical(list) {
		sum += k.Weight * float64(1+k.Wave%3)
	}
	machinetest.Near(t, "work of a wavefront", sum, 2, 0.01)
	if got := typical(list); got[len(got)-1].Wave != 77_777 || len(list.list) > maxEndings {
		t.Errorf("%v of %d wavefronts", got, len(list.list))
	}
}
