// Package machine models the VLIW5 chips of the R600, R700 and Evergreen families: it compiles
// kernels for them and predicts their running time. Its subpackages, each importing only those
// above it, are:
//
//   - package chip describes the chips: a [chip.Target] is a set of numbers, each a row of a table that
//     names its source and marks assumptions, and the rules for resident wavefronts;
//   - package mir defines programs of hardware operations on virtual scalar registers;
//   - package lower translates a kernel to such a program;
//   - package sched packs it into instruction groups and clauses under all rules of the hardware,
//     allocates registers and writes out a program in the types of package asm/r600;
//   - package sim runs the part of a program that addresses and branches depend on, for every wavefront
//     of a launch, and times their interaction.
//
// [Compile] translates a kernel to a program. [Predict] compares versions of a program without simulating each: it
// follows a few wavefronts and adds up the busy cycles of each unit of the chip. Its fetch costs come from a
// simulation of one version ([Measure]). The separate package draw times draws with Direct3D 9
// pairs on these and other chips.
package machine
