// Package vsps translates Direct3D 9 programs into the IR and back. It also has the rules for the
// instructions of each shader model, and for the interface of a vertex and a pixel program.
//
// [Lift] reads one concrete program into an ir.Func: masked writes become per-lane values, matrix
// macros become dot products, subroutines are inlined, flow control becomes regions. [Emit] goes
// the other way. It inserts the moves that one register per operand, the read ports and the swizzle
// rules require, allocates registers and writes statements. Unchanged statements keep their
// spelling. [Link] matches the outputs of a vertex program to the inputs of a pixel program.
//
// # Translation steps
//
//	d3d9.Program --Lift--> ir.Func --Emit--> builder (stmt.go)       statements that read values
//	                                         legalizer (legalize.go) moves, ports, swizzles
//	                                         assigner (assign.go)    registers, from regalloc
//	                                         writer (emit.go, header.go) instructions and declarations
//
// Lifting is in lift*.go. Emission starts in emitter.go and emit.go. stmt.go translates
// instructions into statements, and outputs.go decides which final values are computed in output
// registers. legalize.go and repair.go make operands readable in the model. coalesce.go and
// assign.go assign registers, consts.go places literals, and header.go writes declarations. ps_1_x
// is a different machine, with a separate lift (lift_fixed.go) and no emission ([CanEmit]): its
// programs are lifted for verification and prices. retarget*.go translate programs into other
// models.
//
// # Invariants
//
// Identity: lifting a program and emitting it unchanged gives the same bytes. The homes of values
// and the source statement of an instruction (Instr.Orig) make this possible; they are hints, and
// only the spelling depends on them. The validator of asm/d3d9 checks the output in tests, and
// verification checks it in every run. Emission itself returns an error if registers or slots do
// not suffice, and never a wrong program.
//
// # Sources
//
// Rules of operands, ports, slots and linkage are those of the Direct3D 9 assembly shader reference
// (MSDN: "vs_1_1" to "ps_3_0", "Shader Model 3 (HLSL reference)" for linkage by semantics). If
// documents and implementations disagree, RATIONALE.md states the interpretation ("Which readings
// of uncertain facts were taken?").
package vsps
