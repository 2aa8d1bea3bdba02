// Package eights computes instructions on eight lanes at a time with assembly kernels, on processors with
// AVX2. Package kernel defines the instructions; its loops in Go compute the same bits, and run on other
// processors.
//
// The kernels come from bench/simdgen, a separate module, so that its assembler is not a dependency:
//
//go:generate go -C ../../../../../bench/simdgen run . eights ../../verify/interp/kernel/internal/eights
package eights

import "math/bits"

// Supports reports whether kernels exist for this number of lanes.
func Supports(lanes int) bool { return Fast && lanes > 0 && lanes%8 == 0 }

// Sine and Cosine compute in float64 and round. They call exactly for lanes where the rounding is
// uncertain.
func Sine(d, a []uint32, exactly func(uint32) uint32)   { turned(d, a, 0, exactly) }
func Cosine(d, a []uint32, exactly func(uint32) uint32) { turned(d, a, 1, exactly) }

func turned(d, a []uint32, on uint64, exactly func(uint32) uint32) {
	for i := 0; i < len(d); i += 8 {
		to, from := (*[8]uint32)(d[i:]), *(*[8]uint32)(a[i:])
		for missed := circular(to, &from, on); missed != 0; missed &= missed - 1 {
			k := bits.TrailingZeros32(missed) & 7
			to[k] = exactly(from[k])
		}
	}
}
