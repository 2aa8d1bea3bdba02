// Package spvs converts vertex and fragment programs in SPIR-V to the IR, and back.
//
// [Lift] converts an entry point in five steps:
//
//  1. Tables of the module: types, decorations, functions and blocks (module.go, types.go).
//  2. Blocks become a tree along the merge instructions, with calls inlined. A branch to the end of a construct is a
//     jump (tree.go). On the way, pointers become parts of variables (pointer.go, place.go).
//  3. Jumps become nested branches and flags (package ir/flow).
//  4. Liveness determines the values that a construct has to carry (live.go, package ir/flow).
//  5. The tree is walked in order with the current value of every slot (lift.go and the other files).
//
// A slot is a lane of a variable, of a phi, or of an id that another block reads. So variables, phis and ids need one
// mechanism, and values that leave a construct become its results. A phi is written at the edges to its block; all phis
// of an edge read their operands first.
//
// # Values
//
// A lane is a word of 32 bits without a type; [Program.Scalars] keeps the types. A boolean is all ones or zero.
// Vectors, matrices, structs and arrays are lists of lanes, so composites take no instructions. An instruction on
// vectors becomes one [ir.Instr]. One that the op table lacks becomes several, all with its number in Orig:
//
//	%5 = OpFSub %v3float %a %b                  add of a and -b, three lanes
//	%6 = OpMatrixTimesVector %v4float %m %v     four dp4ieee, one lane each
//	%7 = OpExtInst %float %glsl Exp %x          mulieee, expvec
//	%8 = OpCompositeExtract %float %v 1         nothing: the second lane of v
//
// # Memory
//
// Variables of the classes Function, Private and Output are values. Those with a dynamic index are states, as arrays of
// AMD IL: each scalar, vector or column takes a register of four lanes, and an address counts registers. An element of
// an input is a leaf. Constants in uniform blocks and push constants are leaves whose register is the byte offset, so
// both stages of a pair name the same constant alike. A dynamic index is ir.OpLoad if its stride is a multiple of 16
// bytes; else, and in storage buffers, the access is a memory op with the address in bytes. In arrays of buffers, the
// second lane of the address selects the buffer. Each storage buffer or image has its own state.
//
// # Control flow
//
// OpKill is ir.OpDiscard. Code behind it may run, because nothing that it computes can be observed; within a loop, it
// ends the program, so that the loop ends too. OpUnreachable makes all outputs undefined and ends the program.
//
// # Undefined values
//
// Reads of variables before a write, OpUndef, and components at an index that is out of range are undefined values, and
// each is equal only to itself. A proof may therefore fail, but it does not rely on a value that a driver may choose.
//
// # Emission
//
// [Emit] writes the body of the entry point again from its regions (emit.go, flow.go). The rest of the module stays as it
// is; ids that lost their last use disappear with their names and decorations (rebuild.go). Names and decorations of the
// interface stay.
//
//   - Lift records the operands of each instruction (record.go). If the IR of an instruction is still there, perhaps with
//     other operands, emission writes the same instruction (site.go). Other IR is written by its op (rules.go, code.go).
//   - Operands are lists of lanes. Emission looks for an id with these lanes, and otherwise forms one by a load, an
//     extraction, a shuffle, an insertion or a construction, whichever takes the fewest instructions (values.go, vectors.go).
//   - Such instructions are pure, and known by their lanes. They stand where something needs them first, and move to a block
//     that dominates both if a second branch needs them too (basic.go).
//   - Each value is kept as the kind of word that its definitions and uses prefer, and is converted where another kind is
//     needed (kinds.go).
//   - Results of a construct that share a register become one phi with a vector (phis.go).
//   - Accesses to memory whose address changed get indices from the terms of the address (memory.go).
//
// For example, the IR of the product of a matrix and a vector is four dot products. Emission writes one
// OpMatrixTimesVector, and loads the matrix whole if its lanes are a matrix of a block.
package spvs
