// Package rank compares the orders that two lists of numbers define.
package rank

import "math"

// Correlation returns Spearman's rank correlation: 1 if both lists define the same order. Equal numbers
// share a rank.
func Correlation(a, b []float64) float64 {
	x, y := ranks(a), ranks(b)
	n := float64(len(x))
	mean := (n + 1) / 2
	var xy, xx, yy float64
	for i := range x {
		dx, dy := x[i]-mean, y[i]-mean
		xy += dx * dy
		xx += dx * dx
		yy += dy * dy
	}
	return xy / math.Sqrt(xx*yy)
}

func ranks(a []float64) []float64 {
	out := make([]float64, len(a))
	for i, x := range a {
		below, same := 0, 0
		for _, y := range a {
			if y < x {
				below++
			} else if y == x {
				same++
			}
		}
		out[i] = float64(below) + float64(same+1)/2
	}
	return out
}
