// Package hostconst changes how the host sets the constants of programs in an effect. Constant tables
// list parameters that are set by name. Preshaders compute further constants from parameters when a
// pass is applied.
//
// [Shorter] moves computations on constants alone to the preshader: the host runs it once per draw, at
// no cost per vertex or pixel. A [Binder] gives a vertex program the constants of pixel programs, for
// code that moved there. [WithoutGained] is for verification: it removes these constants again and
// returns the pairs of registers with equal contents.
package hostconst
