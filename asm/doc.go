// Package asm holds what the concrete syntaxes of all dialects share: positions
// in an input and the diagnostics that point at them.
//
// A [Diag] says what is wrong with an input, at which place, and under which
// stable code; it is the author's to mend and never a fault of the program. The
// readers of the dialects, in the packages below this one, return lists of them as
// [Diags].
package asm
