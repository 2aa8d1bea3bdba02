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
// How a kernel is made (ilgen.go): a header decides which registers, literals, resources and memory there
// are (header.go, literal.go, fetch.go, memory.go); a prologue writes every register; then statements
// are chosen at random (flow.go for blocks, ops.go and operand.go for instructions); an epilogue
// stores results. The text is written directly, rather than an il.Kernel, so that all spellings which
// the language allows come up. What makes a kernel well defined:
//
//   - Registers are typed by number: r0 to r19 hold floats, r20 to r39 integers, r40 to r59 doubles, and
//     registers from r60 on belong to the generator (operand.go). So addresses, counters and the like
//     cannot be overwritten by random instructions.
//   - Loops count in lanes of their own up to small bounds, and functions cannot recur, nor be called in
//     deeper loops than they were made for (flow.go).
//   - Each thread has elements of memory to itself; local memory is shared only between barriers, where no
//     threads have parted (memory.go).
//
// [Mutate] damages the text of a kernel, for readers that must withstand it.
package ilgen
