// Package sim predicts how long a launch of a program takes on a chip.
//
// [Simulate] runs the part of the program that addresses and branches depend on, for
// every wavefront of a [Launch] (a [Tracer] does), and times what the wavefronts do to each
// other: they share vector units, texture units, caches and memory. The result is a [Timing].
// Cycles are those of the engine clock, sizes are in bytes unless something else is said.
//
// The timing model is event-driven and works on [Step]s, so it can be asked about other
// things than programs; see [Time]. Long launches are simulated in part and
// extrapolated, and the result says so, as it does where it had to stand a number in for
// data.
//
// One choice matters more than the rest, and is not documented well. Oldest-first
// arbitration lets wavefronts drift apart, so that they share less in L1 than in step:
// hit shares of thrashing kernels come out two to four points below measured ones. Where what came
// first goes first, they are within one and a half, but wavefronts convoy, and versions of a
// kernel no longer rank as measured.
//
// What the model leaves out: filtering and mipmaps (a fetch reads one texel), the
// instruction and constant caches, bank conflicts of the local data share, the banks and
// pages of memory (its bandwidth is that of the data sheet), and whatever else runs at the
// same time.
package sim
