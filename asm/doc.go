// Package asm holds the parts that the concrete syntaxes of all dialects share: positions in an
// input and the diagnostics that point at them.
//
// A [Diag] describes an error in an input, with its place and a stable code. The author of the
// input has to correct it; it never reports a fault of the program. The readers of the dialects, in
// the packages below this one, return lists of them as [Diags].
package asm
