// Package gen generates random Direct3D 9 programs and linked pairs for tests: every model from vs_1_1 and
// ps_1_1 on, every instruction, modifier and form of operand, nested flow control, subroutines, predication
// and relative addresses. Package ilgen below generates AMD IL kernels.
//
// The programs pass d3d9.Validate and are well defined. No path reads an unwritten component, or ends
// without an output component that some other path writes. Two correct interpreters therefore agree on the
// results, which have no purpose. [Partly] converts a program to one that is not well defined in this
// sense: it reads registers that some paths have not written (partly.go).
//
// [NewPair], [NewProgram], [PairOf] and [ProgramOf] generate from a seed, identically on every machine.
// [Pairs] and [Programs] are generators for pgregory.net/rapid, which shrinks counterexamples: every decision
// is a draw, and every statement a group of draws that can be removed. property_test.go shows such a test.
//
// A [Source] provides the decisions. To shrink well, a generator should make the simplest alternative 0
// (Source.IntN), or the last one where that reads better (Source.Last). It should make optional parts depend
// on Source.Chance, and repeated parts on Source.Repeat, so that one can be removed without a change of the
// others.
//
// The host should keep loop counts (i#) small; float constants, booleans, inputs and textures may be
// anything.
//
// A program is generated in one pass, front to back (program.go). The header declares inputs, samplers
// and constants (header.go), outputs are chosen (output.go), and statements follow (flow.go for blocks,
// arith.go, texture.go and operand.go for instructions). env.go tracks the components written on every
// path, as a forward data-flow analysis. Reads therefore use defined components by construction. Slots are
// counted as they are used, with a reserve to end open blocks and to write the outputs. Programs that still
// break a rule of the model are generated again. Programs of ps_1_x, whose shape is fixed, have a separate
// generator (fixed.go). table.go adds the constant table that a compiler leaves in a program.
package gen
