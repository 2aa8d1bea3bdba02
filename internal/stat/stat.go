// Package stat has averages of figures.
package stat

import (
	"math"
	"slices"
)

// Median is the median of figures, which must be some.
func Median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return (sorted[(len(list)-1)/2] + sorted[len(list)/2]) / 2
}

// GeometricMean is that of figures above 0, which must be some.
func GeometricMean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(list)))
}
