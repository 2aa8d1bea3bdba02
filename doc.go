// Package shaderlift optimizes compiled GPU programs: Direct3D 9 vertex and pixel
// programs, as assembly text or as bytecode, alone, as the pair that a draw runs, or in the
// passes of a compiled effect; and AMD IL kernels.
//
// [Optimize] reads an [Input], runs a pipeline of passes over it and returns a
// [Result]: the programs to use from now on, what they cost before and after, and
// how sure it is that they still compute the same. Three promises hold whatever
// the passes do:
//
//   - a program never gets worse: if the result does not cost less, the input comes
//     back byte for byte;
//   - nothing is returned that was not checked against the input by package verify,
//     from the written bytes;
//   - the same input and options give the same bytes, everywhere.
//
// [Stats] prices programs without changing them, [Verify] compares two versions of
// one, [Run] interprets a draw and [RunKernel] the launch of a kernel, [Listing] shows
// the price of every instruction. A [Report] collects results in the form of the command's JSON, which a
// [ReportWriter] writes while they come; the command, cmd/shaderlift, adds files, flags and prose to
// what is here.
//
// What runs long takes a context.Context, ends soon after it, and then returns its cause
// as the error. [Options].TimeLimit is another thing: what is there when that is up counts.
//
// What is wrong with an input is an *asm.Diag or asm.Diags with positions and
// stable codes. [ErrFit] and [ErrRefused] mark the other ways in which an
// optimization fails, and a [Fault] is an error of this program, with what it
// takes to see it again.
package shaderlift
