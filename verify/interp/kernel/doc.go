// Package kernel executes AMD IL kernels as they are written. It is the ground truth
// the optimizer is held against and so shares nothing with it but the syntax of
// package il.
//
// [Compile] turns a kernel into a [Program], [Program.Run] launches it over a [Case].
//
// # Invocations
//
// A pixel kernel runs once for each element of the domain: vObjIndex0.x is its number,
// row by row, and vWinCoord0 its centre, with z = 0 and w = 1. Every pixel is that of the
// front of a primitive, the first one. Derivatives are differences within quads of two by two; invocations
// that only complete a quad write nothing.
//
// A compute kernel runs in groups. If its declaration gives one number of threads, the
// W*H threads are numbered through and vaTid.x is that number; if it gives two or three,
// groups tile the domain W by H by 1. Threads beyond the domain do not run. Flat
// numbers are those of the group times its size plus that within the group. Without a
// declaration a group has 64 threads.
//
// Invocations execute each instruction together, a batch of Lanes at a time, and where
// they store to one place the last one wins; batches run one after the other. A group
// that shares local memory or has barriers is a batch of its own, so that a barrier
// is met by all of its threads or by some only, which is an error. Threads that have
// returned do not count.
//
// # Memory
//
// What is read beyond the end of memory (g[], views, local memory, x#[], constant
// buffers, load from a resource) is 0; what is written there is dropped. Accesses to
// views and local memory are to whole words, so that the two lowest bits of a byte address
// do not count, but for the smaller accesses to arenas. Registers, unless [Options] say otherwise, and local memory hold 0
// at first; the latter keeps what the group before left if its mode is _wavefrontAbs. An
// access that takes a mask has a word for each lane, one after the other.
//
// Resources are sampled at the nearest element: floor of the coordinate, times the size
// unless the resource is declared unnorm, plus the offset; what lies outside takes the
// nearest element of the edge. There is one level of detail, so that levels, biases and
// gradients make no difference.
//
// What the arithmetic computes is said in numerics.go.
//
// # Cases
//
// A case is text, one thing a line; blanks and commas separate, # starts a comment:
//
//	domain W H                  16 16 by default
//	cb N I x y z w              element I of constant buffer N; cbi integers, cbx hexadecimal words
//	icb I x y z w               the same of icb[]; icbi, icbx
//	ci N x y z w                integers of the register i#
//	v N DATA                    the input v#: four words an element, or
//	v N linear x y z w  x y z w  x y z w
//	                            the value at the corner, and what it grows by across and down
//	in R W H [D] FORMAT DATA    resource R; the format decides what a fetch delivers
//	global N DATA               g[] with N elements of four words
//	uav N W [H [D]] DATA        view N of W*H*D elements of four words
//	gds N W DATA                part N of the global data share, of W words
//	out NAME...                 what is written: o0 to o7, depth, mask, g, u0 and on
//
// FORMAT is float1 (the number in every lane), float2 (z is 0, w is 1), float4 or uint4.
// DATA is one of
//
//	zero
//	rand SEED [LO HI]           r = SEED*2654435761+1, then r = r*1664525+1013904223 for each
//	                            word: (r>>8)/2^24, scaled to LO up to HI; integers of uint4
//	data w...                   numbers, or words as 0x and eight digits
//	file PATH                   raw little-endian words
//
// What is not given is zero.
package kernel
