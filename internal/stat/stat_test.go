package stat_test

import (
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/internal/stat"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		list []float64
		want float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 2}, 2},
		{[]float64{9, 1, 2, 4}, 3},
	} {
		if got := stat.Median(c.list); got != c.want {
			t.Errorf("%v: %g, want %g", c.list, got, c.want)
		}
	}
	list := []float64{2, 1}
	if stat.Median(list); list[0] != 2 {
		t.Error("the list was put into another order")
	}
}

func TestGeometricMean(t *testing.T) {
	if got := stat.GeometricMean([]float64{0.5, 8}); math.Abs(got-2) > 1e-12 {
		t.Errorf("%g, want 2", got)
	}
}
