// Package sim predicts the time of a launch of a program on a chip.
//
// [Simulate] runs a slice of the program for every wavefront of a [Launch]: the instructions that
// addresses and branches depend on (see [Tracer]). It then times the interaction of the wavefronts,
// which share vector units, texture units, caches and memory. The result is a [Timing]. Cycles are
// those of the engine clock; sizes are in bytes unless stated otherwise.
//
// The timing model is event-driven and works on [Step]s, so it also applies to other sources than
// programs; see [Time]. Long launches are simulated in part and extrapolated. The result reports
// that, and also the use of pseudo-random numbers instead of data.
//
// One choice matters more than the rest, and is not well documented. Oldest-first arbitration lets
// wavefronts drift apart, so that they share less in L1 than in step. Hit shares of thrashing
// kernels are then two to four points below measured ones. First-come arbitration is within one and
// a half points, but then wavefronts convoy, and versions of a kernel no longer rank as measured.
//
// The model omits filtering and mipmaps (a fetch reads one texel), and the instruction and constant
// caches. It also omits the banks and pages of memory: the bandwidth is that of the data sheet. It
// ignores other work that runs at the same time. Bank conflicts of the local data share count for the
// first part of a clause.
package sim
