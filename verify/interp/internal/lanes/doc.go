// Package lanes runs programs of vector operations by kernels in assembly, for AVX2 and for
// AVX-512. An operation works on whole Vecs, 64 lanes, four or eight vector registers of the
// processor; each kernel jumps to that of the operation that follows, so that a program costs
// little but its loads and stores (threaded code; Bell, 1973).
//
// What the operations compute is said where programs are made: package interp has loops in Go
// that compute the same, bit for bit, and run where no set of kernels does.
//
// The kernels come from gen, a module of its own so that its assembler is no dependency:
//
//go:generate go -C gen run . ..
package lanes
