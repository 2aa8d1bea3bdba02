// Package wine draws shader pairs through Wine's implementation of Direct3D 9 on llvmpipe, Mesa's software
// rasterizer. It checks the interpreter and optimized programs, and shares no code with either.
//
// A [Runner] builds a small Windows program (draw/draw.c), starts a virtual display and a Wine server, and
// draws batches of jobs. [Runner.Check] compares Wine's pictures with the interpreter's, and the pictures of a
// pair before and after optimization with each other. [Available] reports whether the tools are installed: on
// Debian the packages wine64, gcc-mingw-w64-x86-64, xvfb, libgl1-mesa-dri and libglx-mesa0. [Runner.Effects]
// loads compiled effects as an application does, and draws their passes (effects/effects.c).
//
// If Wine reports that it cannot translate a program, for example one with predicates, the job has an error.
// [Misread] names constructs that Wine misreads without a report. Pictures of such programs can contain
// anything, and differ from run to run.
//
// # Agreement
//
// Two components agree if they differ by at most 1e-5 of their value or by two units in the last place. Values
// near zero that may come from denormals count as zero. NaN, infinite and huge values are not compared, because
// implementations differ on them.
//
// A few components in a hundred differ even between correct implementations, because the draw amplifies
// rounding. Examples are a texel chosen by a coordinate on a border, a fragment killed at a threshold, and a
// normal from the cross product of parallel derivatives. An experiment finds these components: the interpreter
// draws again with all operations perturbed by as much as implementations may differ (loosen.go). If its own
// result moves by a comparable amount, the component counts as unstable. Any other difference is wrong, and is
// reported with its place.
//
// The pictures of two versions must also keep the bound of package rounding, if there is one. [BoxOf] returns
// the box of the inputs of a draw, over which most pairs have a bound.
package wine
