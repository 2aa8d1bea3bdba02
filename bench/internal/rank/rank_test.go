package rank

import (
	"math"
	"testing"
)

func TestCorrelation(t *testing.T) {
	for _, test := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{10, 20, 90}, 1},
		{[]float64{1, 2, 3}, []float64{3, 2, 1}, -1},
		{[]float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, 0.8},
		{[]float64{1, 1, 2}, []float64{1, 2, 3}, math.Sqrt(3) / 2},
	} {
		if got := Correlation(test.a, test.b); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v and %v: %v, not %v", test.a, test.b, got, test.want)
		}
	}
}
