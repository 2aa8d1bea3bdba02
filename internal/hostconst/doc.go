// Package hostconst changes what the host sets of the constants that programs of an effect read:
// parameters by name, which their constant tables list, and what their preshaders compute of
// parameters whenever a pass is applied.
//
// [Shorter] has a preshader compute what a program does of constants alone: the host does that
// once a draw, and no vertex or pixel pays for it. A [Binder] gives a vertex program constants of
// pixel programs, for code that has moved there. [WithoutGained] is for verification: it takes
// these back, and says what registers then stand for each other.
package hostconst
