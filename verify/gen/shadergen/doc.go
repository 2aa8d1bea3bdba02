// Package shadergen makes random Direct3D 9 programs for tests: every model from
// vs_1_1 and ps_2_0 on, every instruction, modifier and form of operand, nested
// flow control, subroutines, predication and relative addresses.
//
// The programs are valid by d3d9.Validate and, beyond that, well defined: no path
// reads a component that was not written, nor ends with an output component that
// some other path writes. Two correct readers therefore agree on what a program
// computes. What it computes is of no use to anyone.
//
// A program is a function of its model, seed and size, on every machine.
//
// The host is expected to keep loop counts (i#) small; float constants, booleans,
// inputs and textures may be anything.
package shadergen
