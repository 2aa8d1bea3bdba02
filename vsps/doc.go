// Package vsps carries Direct3D 9 programs into the IR and back, and knows what
// a vertex and a pixel program of each shader model may do and exchange.
//
// [Lift] reads one concrete program into an ir.Func: masked writes become
// per-lane values, matrix macros become dot products, subroutines are inlined,
// flow control becomes regions. [Emit] goes the other way: it inserts the moves
// that one register per operand, the read ports and the swizzle rules force,
// allocates registers and writes statements; what did not change keeps its
// spelling. [Link] matches the outputs of a vertex program to the inputs of a
// pixel program.
//
// # The way of a program
//
//	d3d9.Program --Lift--> ir.Func --Emit--> builder (stmt.go)       statements that read values
//	                                         legalizer (legalize.go) moves, ports, swizzles
//	                                         assigner (assign.go)    registers, from regalloc
//	                                         writer (emit.go, header.go) instructions and declarations
//
// Lifting is in lift*.go. Emission starts in emitter.go and emit.go: stmt.go makes
// statements of instructions, outputs.go decides which final values are written to
// output registers directly, legalize.go and repair.go make operands that the model can
// read, coalesce.go and assign.go give values their registers, consts.go places
// literals, header.go writes declarations. ps_1_x is another machine, with a lift
// (lift_fixed.go) and an emission (emit_fixed.go, match_fixed.go, operand_fixed.go,
// const_fixed.go, search_fixed.go) of its own. retarget*.go turn programs into ones of
// another model.
//
// # Invariants
//
// The identity: lifting a program and emitting it unchanged gives the same bytes. Homes
// of values and the statement that an instruction came from (Instr.Orig) make that
// possible; they advise, and nothing but the bytes depends on them. What emission
// writes is checked by the validator of asm/d3d9 in tests and by verification in every
// run; emission itself returns an error if registers or slots do not suffice, never a
// wrong program.
//
// # Sources
//
// Rules of operands, ports, slots and linkage are those of the Direct3D 9 assembly
// shader reference (MSDN: "vs_1_1" to "ps_3_0", "Shader Model 3 (HLSL reference)" for
// linkage by semantics); where documents and implementations disagree, RATIONALE.md has
// the reading ("Which readings of uncertain facts were taken?").
package vsps
