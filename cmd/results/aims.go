package main

import (
	"math"
	"slices"
)

// off is how far ours is from what was published, as a share of that.
func off(ours, published int) float64 { return float64(ours-published) / float64(published) }

// within reports whether all shares are at most limit, either way.
func within(limit float64, shares ...float64) bool {
	return !slices.ContainsFunc(shares, func(s float64) bool { return math.Abs(s) > limit })
}

// distance is how far a is from b.
func distance(a, b int) int { return max(a-b, b-a) }
