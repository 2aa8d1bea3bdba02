// Package shadergen generates random Direct3D 9 programs for tests: every model from vs_1_1 and ps_1_1 on,
// every instruction, modifier and form of operand, nested flow control, subroutines, predication and
// relative addresses.
//
// The programs pass d3d9.Validate and are well defined. No path reads an unwritten component, or ends
// without an output component that some other path writes. Two correct interpreters therefore agree on the
// results, which have no purpose. [Partly] converts a program to one that is not well defined in this
// sense: it reads registers that some paths have not written (partly.go).
//
// A program depends on its model, seed and size alone, on every machine.
//
// The host should keep loop counts (i#) small; float constants, booleans, inputs and textures may be
// anything.
//
// A program is generated in one pass, front to back (shadergen.go). The header declares inputs, samplers
// and constants (header.go), outputs are chosen (output.go), and statements follow (flow.go for blocks,
// arith.go, texture.go and operand.go for instructions). env.go tracks the components written on every
// path, as a forward data-flow analysis. Reads therefore use defined components by construction. Slots are
// counted as they are used, with a reserve to end open blocks and to write the outputs. Programs that still
// break a rule of the model are generated again. Programs of ps_1_x, whose shape is fixed, have a separate
// generator (fixed.go).
package shadergen
