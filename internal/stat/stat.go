// Package stat computes averages.
package stat

import (
	"math"
	"slices"
)

// Median returns the median of a nonempty list.
func Median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return (sorted[(len(list)-1)/2] + sorted[len(list)/2]) / 2
}

// GeometricMean returns the geometric mean of a nonempty list of positive numbers.
func GeometricMean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(list)))
}
