// Package lanes runs programs of vector operations with assembly kernels, for AVX2 and for AVX-512. An
// operation works on whole Vecs of 64 lanes, in four or eight vector registers of the processor. Each
// kernel jumps to the kernel of the next operation, so a program costs little more than its loads and
// stores (threaded code; Bell, 1973).
//
// Package interp defines the operations. It has loops in Go that compute the same bits and run where no
// kernels are available.
//
// The kernels come from bench/simdgen, a separate module, so that its assembler is not a dependency:
//
//go:generate go -C ../../../../bench/simdgen run . lanes ../../verify/interp/internal/lanes
package lanes
