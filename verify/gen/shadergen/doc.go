// Package shadergen makes random Direct3D 9 programs for tests: every model from vs_1_1 and ps_1_1 on,
// every instruction, modifier and form of operand, nested flow control, subroutines, predication and
// relative addresses.
//
// The programs are valid by d3d9.Validate and, beyond that, well defined: no path
// reads a component that was not written, nor ends with an output component that
// some other path writes. Two correct readers therefore agree on what a program
// computes. What it computes is of no use to anyone. [Partly] makes of one another that is not well
// defined in that way: it reads what some paths have not written (partly.go).
//
// A program is a function of its model, seed and size, on every machine.
//
// The host is expected to keep loop counts (i#) small; float constants, booleans,
// inputs and textures may be anything.
//
// A program is made in one pass, front to back (shadergen.go). The header declares inputs, samplers and
// constants (header.go), outputs are decided on (output.go), and statements follow (flow.go for blocks,
// arith.go, texture.go and operand.go for instructions). env.go keeps track, as a forward data-flow
// analysis would, of what has been written on every path to here; so reads are of defined components
// by construction. Slots are counted as they are used, and enough are reserved to end open blocks and
// to write the outputs. What still breaks a rule of the model is made anew. Programs of ps_1_x, whose
// shape is fixed, have a generator of their own (fixed.go).
package shadergen
