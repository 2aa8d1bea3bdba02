// Package gen generates random programs for tests: Direct3D 9 programs, linked pairs, and AMD IL kernels.
// They are valid and well defined, so that two correct interpreters agree on the results. The results have
// no purpose.
//
// [Pairs], [Programs] and [Kernels] are generators for pgregory.net/rapid. A test of a property of an
// optimizer then has a few lines, and rapid shrinks counterexamples: every decision is a draw, and every
// statement a group of draws that can be removed. [NewPair], [NewProgram] and [NewKernel] generate the same
// kinds of programs from a seed, faster and identically on every machine.
//
// The packages below generate the code: shadergen for Direct3D 9, ilgen for kernels, both with a
// choice.Source. This package adds the constant table that a compiler leaves in a program (table.go).
package gen
