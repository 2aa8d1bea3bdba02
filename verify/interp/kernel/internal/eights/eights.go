// Package eights computes instructions on eight lanes at a time, by kernels in assembly where the
// processor has AVX2. What they compute is said in package kernel, whose loops in Go compute the same, bit by bit,
// and run elsewhere.
//
// The kernels come from gen, a module of its own so that its assembler is no dependency:
//
//go:generate go -C gen run . ..
package eights

import "math/bits"

// Fits tells that there are kernels for this many lanes.
func Fits(lanes int) bool { return Fast && lanes > 0 && lanes%8 == 0 }

// Sine and Cosine compute these in float64 and round; exactly does where that is not certain.
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
