// Package gen makes random programs for tests: Direct3D 9 programs, linked pairs of
// them, and AMD IL kernels, valid and well defined, so that two correct readers agree
// on what each computes. What it computes is of no use to anyone.
//
// [Pairs], [Programs] and [Kernels] are generators for pgregory.net/rapid. A property
// of an optimizer is then a test of a few lines, and rapid makes what breaks it small:
// every decision is a draw, and every statement a group of draws that can go alone.
// [NewPair], [NewProgram] and [NewKernel] make the same kinds of programs from a seed,
// the same on every machine and faster.
//
// What the programs are made of is the business of the packages below: shadergen for Direct3D 9, ilgen for
// kernels, both deciding by a choice.Source. This package adds what a compiler leaves in a program
// besides code, the constant table (table.go).
package gen
