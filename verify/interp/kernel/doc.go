// Package kernel executes AMD IL kernels. It is the ground truth for the optimizer, and therefore shares
// nothing with it but the syntax of package il.
//
// [Compile] turns a kernel into a [Program], [Program.Run] launches it over a [Case].
//
// # Invocations
//
// A pixel kernel runs once for each element of the domain. vObjIndex0.x is the element's number, row by
// row, and vWinCoord0 its centre, with z = 0 and w = 1. Every pixel belongs to the front face of primitive
// 0. Derivatives are differences within quads of two by two; invocations that only complete a quad write
// nothing.
//
// A compute kernel runs in groups. If its declaration gives one number of threads, the W*H threads are
// numbered consecutively and vaTid.x is that number. If it gives two or three, groups tile the domain W by
// H by 1. Threads beyond the domain do not run. The flat number of a thread is the group's number times the
// group's size plus the number within the group. Without a declaration a group has 64 threads.
//
// The invocations of a batch, Lanes at a time, execute each instruction together. If several store to the
// same element, the last one wins. Batches run one after the other. A group that shares local memory or has
// barriers is a separate batch. A barrier that only some of its running threads reach is an error.
//
// # Memory
//
// Reads beyond the end of memory (g[], views, local memory, x#[], constant buffers, load from a resource)
// return 0; writes there have no effect. Accesses to views and local memory use whole words and ignore the
// two lowest bits of a byte address, except for smaller accesses to arenas. Registers initially hold 0,
// unless [Options] specify other values, and so does local memory. Local memory in the mode _wavefrontAbs
// keeps its contents between groups. An access with a mask uses consecutive words, one for each lane.
//
// Sampling reads the nearest element: floor of the coordinate, times the size unless the resource is
// declared unnorm, plus the offset. Coordinates outside read the nearest element of the edge. Resources
// have one level of detail, so levels, biases and gradients have no effect.
//
// numerics.go defines the arithmetic.
//
// # Cases
//
// A case is text with one statement a line. Blanks and commas separate words, and # starts a comment:
//
//	domain W H                  16 16 by default
//	steps N                     predict the time from N steps of wavefronts (at least 1)
//	cb N I x y z w              element I of constant buffer N; cbi integers, cbx hexadecimal words
//	icb I x y z w               the same of icb[]; icbi, icbx
//	ci N x y z w                integers of the register i#
//	v N DATA                    the input v#: four words an element, or
//	v N linear x y z w  x y z w  x y z w
//	                            the value at the corner, and its increments across and down
//	in R W H [D] FORMAT DATA    resource R; the format determines the result of a fetch
//	global N DATA               g[] with N elements of four words
//	uav N W [H [D]] DATA        view N of W*H*D elements of four words
//	gds N W DATA                part N of the global data share, of W words
//	out NAME...                 outputs to write: o0 to o7, depth, mask, g, u0 and on
//
// FORMAT is float1 (the number in every lane), float2 (z is 0, w is 1), float4 or uint4. DATA is one of
//
//	zero
//	rand SEED [LO HI] [every N] r = SEED*2654435761+1, then r = r*1664525+1013904223 for each
//	                            word: (r>>8)/2^24, scaled to LO up to HI; integers of uint4;
//	                            every N selects the first of each N words
//	data w...                   numbers, or words as 0x and eight digits
//	file PATH                   raw little-endian words
//
// Missing values are zero.
package kernel
