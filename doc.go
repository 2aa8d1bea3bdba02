// Package shaderlift optimizes compiled GPU programs. It takes Direct3D 9 vertex and pixel programs, as
// assembly text or as bytecode: single programs, the pair of a draw, or the passes of a compiled
// effect. It also takes AMD IL kernels.
//
// [Optimize] reads an [Input], runs a pipeline of passes over it and returns a [Result]: the programs
// to use from now on, their costs before and after, and the evidence that they still compute the same.
// Three promises hold for every pass:
//
//   - a program never gets worse: if the result does not cost less, the input comes
//     back byte for byte;
//   - package verify checks every returned program against the input, from the
//     written bytes;
//   - the same input and options give the same bytes, everywhere.
//
// [Stats] prices programs without changing them. [Verify] compares two versions of a program. [Run]
// interprets a draw and [RunKernel] the launch of a kernel. [Listing] shows the price of every
// instruction. A [Report] collects results in the form of the command's JSON, and a [ReportWriter]
// writes them as they arrive. The command, cmd/shaderlift, adds files, flags and prose to this package.
//
// Long operations take a context.Context, end soon after it does, and return its cause as the error.
// [Options].Limits.Time differs: when it expires, the best result so far is returned.
//
// An error in an input is an *asm.Diag or asm.Diags, with positions and stable codes. [ErrFit] and
// [ErrRefused] mark the other ways in which an optimization fails. A [Fault] is an error of this
// program, together with the data that reproduces it.
package shaderlift
