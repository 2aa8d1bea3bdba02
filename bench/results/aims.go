package main

import (
	"math"
	"slices"
)

// off returns the relative deviation of our figure from the published one.
func off(ours, published int) float64 { return float64(ours-published) / float64(published) }

// within reports whether the absolute values of all shares are at most limit.
func within(limit float64, shares ...float64) bool {
	return !slices.ContainsFunc(shares, func(s float64) bool { return math.Abs(s) > limit })
}

// distance returns the absolute difference of a and b.
func distance(a, b int) int { return max(a-b, b-a) }
