// Package spvs converts vertex and fragment programs in SPIR-V to the IR.
//
// [Lift] converts an entry point in five steps:
//
//  1. Tables of the module: types, decorations, functions and blocks (module.go, types.go).
//  2. Blocks become a tree along the merge instructions, with calls inlined. A branch to the end of a construct is a
//     jump (tree.go). On the way, pointers become parts of variables (pointer.go, place.go).
//  3. Jumps become nested branches and, where those do not suffice, flags (structure.go).
//  4. Liveness determines the values that a construct has to carry (live.go).
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
//	%7 = OpExtInst %float %glsl Pow %x %y       logz, mulieee, expvec
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
package spvs
