// Package ilgen generates random AMD IL kernels for tests. Pixel and compute kernels contain every class of
// instruction with an agreed meaning, every form of operand, nested and abandoned blocks, functions,
// indexed registers, memory and barriers.
//
// The kernels pass il.Check and are well defined: no register is read before it is written, every loop
// counts, and indices of arrays are in range. Threads meet at barriers together, and touch no word of
// memory that another thread may be changing. Two correct interpreters therefore agree on the results of a
// kernel, except for the bits of a NaN, which [Options].Typed hides. The results have no purpose.
//
// A kernel depends on its seed and options alone, on every machine.
//
// The host must give the kernels a global buffer and views. Reads beyond the end are left to the host's
// definition. Constants, inputs and resources may be anything.
//
// The construction of a kernel (ilgen.go): a header chooses registers, literals, resources and memory
// (header.go, literal.go, fetch.go, memory.go). A prologue writes every register. Random statements follow
// (flow.go for blocks, ops.go and operand.go for instructions), and an epilogue stores results. The
// generator writes text rather than an il.Kernel, so that all spellings of the language occur. These rules
// make a kernel well defined:
//
//   - Registers are typed by number: r0 to r19 hold floats, r20 to r39 integers, r40 to r59 doubles.
//     Registers from r60 on belong to the generator (operand.go), so random instructions cannot overwrite
//     addresses, counters and the like.
//   - Loops count in separate lanes up to small bounds. Functions cannot recur, and cannot be called in
//     deeper loops than they were made for (flow.go).
//   - Each thread has its own elements of memory. Local memory is shared only between barriers, where
//     control flow is uniform (memory.go).
//
// [Mutate] damages the text of a kernel, for tests of robust readers.
package ilgen
