// Package eights computes instructions on eight lanes at a time, by kernels in assembly where the
// processor has AVX2. What they compute is said in package kernel, whose loops in Go compute the same, bit by bit,
// and run elsewhere.
//
// The kernels come from gen, a module of its own so that its assembler is no dependency:
//
//go:generate go -C gen run . ..
package eights

// Fits tells that there are kernels for this many lanes.
func Fits(lanes int) bool { return Fast && lanes > 0 && lanes%8 == 0 }
