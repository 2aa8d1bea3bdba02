// Package asm holds the parts that the concrete syntaxes of all dialects share: positions in an
// input and the diagnostics that point at them.
//
// A [Diag] describes an error in an input, with its place and a stable code. The author of the
// input has to correct it; it never reports a fault of the program. The readers of the dialects, in
// the packages below this one, return lists of them as [Diags].
//
// [BuiltD3D9], [BuiltKernels] and [BuiltSPIRV] state which languages the build supports. By default it supports all.
// A build tag removes one, as in the programs of cmd/playground, so that a page loads only the code for its
// input. The library tests these constants, so that the compiler sees unreachable code:
//
//	nod3d9       without Direct3D 9
//	nokernels    without AMD IL
//	nospirv      without SPIR-V
//
// An input in another language is rejected with a diagnostic.
package asm
