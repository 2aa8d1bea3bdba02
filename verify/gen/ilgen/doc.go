// Package ilgen makes random AMD IL kernels for tests: pixel and compute kernels with
// every class of instruction that has an agreed meaning, every form of operand, nested
// and abandoned blocks, functions, indexed registers, memory and barriers.
//
// The kernels are clean by il.Check and, beyond that, well defined: no register is read
// before it is written, every loop counts, indices of arrays stay within them, threads
// meet at barriers together and touch no word of memory that another thread may be
// changing. Two correct readers therefore agree on what a kernel computes, but for the
// bits of a NaN, which [Options].Typed keeps out of sight. What it computes is of no use
// to anyone.
//
// A kernel is a function of its seed and options, on every machine.
//
// The host is expected to give the kernels a global buffer and views; what they read
// beyond the end of one is theirs to agree on. Constants, inputs and resources may be
// anything.
//
// [Mutate] damages the text of a kernel, for readers that must withstand it.
package ilgen
