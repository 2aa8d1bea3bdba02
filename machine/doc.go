// Package machine models the VLIW5 chips of the R600, R700 and Evergreen families: what a
// kernel becomes on them and how long it takes.
//
// [ByName] gives a [Target]. All its numbers are rows of one table, [Parameters], that
// names the source of each and says which are assumed; [Target.Set] changes them.
//
// A kernel goes through four stages:
//
//   - [Lower] makes a [Code] of it: hardware operations on virtual scalar registers;
//   - [Schedule] packs these into instruction groups and clauses under all rules of the
//     hardware, gives values their registers and writes out a program in the types of
//     package asm/r600, with its [Stats];
//   - [Target.Resident] tells how many wavefronts of it a SIMD holds, by one of the rules
//     that have been published, each a [Budget] with a name;
//   - [Simulate] runs the part of the program that addresses and branches depend on, for
//     every wavefront of a [Launch], and times what the wavefronts do to each other: they
//     share vector units, texture units, caches and memory. The result is a [Timing].
//
// The timing model is event-driven and works on [Step]s, so it can be asked about other
// things than programs; see [Target.Time]. Long launches are simulated in part and
// extrapolated, and the result says so, as it does where it had to stand a number in for
// data.
//
// Two choices matter more than the rest, and neither is documented well. Oldest-first
// arbitration lets wavefronts drift apart, so that they share less in L1 than in step:
// hit shares of thrashing kernels come out two to three points below measured ones, where
// first-come arbitration would match them within one but have the wavefronts convoy. And
// the limit of outstanding misses, l1-misses, decides how much a miss costs where
// wavefronts hide its latency.
//
// What the model leaves out: filtering and mipmaps (a fetch reads one texel), the
// instruction and constant caches, bank conflicts of the local data share, the banks and
// pages of memory (its bandwidth is that of the data sheet), and whatever else runs at the
// same time.
package machine
