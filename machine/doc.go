// Package machine models the VLIW5 chips of the R600, R700 and Evergreen families: what a
// kernel becomes on them and how long it takes. The work is done in rooms of its own, each
// of which imports those above it at most:
//
//   - package chip has the chips: a [chip.Target] is numbers, each a row of a table that
//     names its source and says which are assumed, and the rules by which registers make
//     resident wavefronts;
//   - package mir has programs of hardware operations on virtual scalar registers;
//   - package lower makes such a program of a kernel;
//   - package sched packs it into instruction groups and clauses under all rules of the
//     hardware, gives values their registers and writes out a program in the types of
//     package asm/r600;
//   - package sim runs the part of a program that addresses and branches depend on, for
//     every wavefront of a launch, and times what the wavefronts do to each other;
//   - package price estimates that in closed form, for comparing versions of a program.
//
// [Compile] is the way from a kernel to a program. Package draw, beside them, times draws
// with Direct3D 9 pairs on these and on other chips.
package machine
