// Package wine draws shader pairs through Direct3D 9 as Wine implements it, on
// Mesa's software rasteriser llvmpipe: an outside judge of the interpreter and of
// optimised programs, sharing no code with either.
//
// A [Runner] builds a small Windows program (draw/draw.c), keeps a virtual display
// and a Wine server of its own, and draws batches of jobs. [Runner.Check] compares
// what comes back with the interpreter, and the pictures of a pair before and after
// optimisation with each other. [Available] tells whether the tools are installed:
// on Debian the packages wine64, gcc-mingw-w64-x86-64, xvfb, libgl1-mesa-dri and
// libglx-mesa0. [Runner.Effects] loads compiled effects as an application does, and draws
// their passes (effects/effects.c).
//
// What Wine says that it cannot translate, predicates above all, is an error of the job, and
// what it is known to misread [Misread] tells: such pictures may hold anything, and another
// thing each time.
//
// # What counts as agreement
//
// Two components agree if they are within 1e-5 of each other or within two units in
// the last place; values near zero that may come of denormals count as zero. NaN,
// infinities and the like are set aside, since implementations differ on them.
//
// That leaves components, a few in a hundred, on which correct implementations need
// not agree, because the draw amplifies the roundings in which they differ: a texel
// chosen by a coordinate on a border, a fragment killed at a threshold, a normal
// from the cross product of parallel derivatives. They are recognised by experiment.
// The interpreter draws again with operations put off by as much as implementations
// may (loosen.go says how much and why), and if its own result moves as far, the
// difference says nothing. Any other difference is wrong, and told with its place.
//
// Pictures of two versions have to keep to the bound of package rounding besides, where
// there is one: [BoxOf] is the box of a draw's own inputs, over which most have one.
package wine
