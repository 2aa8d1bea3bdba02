// Package amdil converts AMD IL kernels to the IR and back.
//
// [Lift] converts a kernel to a function in four steps, each in a separate file:
//
//  1. Statements become a tree, with calls inlined. An early exit from a block (continue, return, the break
//     of a switch) is a jump to its end (tree.go).
//  2. Jumps become nested branches and, where those do not suffice, flags. Only conditionals, endless loops
//     and breaks are left (structure.go).
//  3. Liveness of registers determines the values that a construct has to carry (live.go).
//  4. The tree is walked in order with the current value of every register component (lift.go, statement.go).
//
// The first steps use two ideas of compilers of the time. A jump is a flag that is set and tested: structured
// programming has replaced goto in this way since Boehm and Jacopini (CACM 9(5), 1966). Flags that are
// literals on a path fold away, so a plain continue or return costs nothing if nesting alone expresses it.
// Liveness is the usual backward analysis over the tree.
//
// Register files of the IR are numbered as in asm/il, see [ComponentReg]. Writable memory (g[], views, local memory,
// arrays of temporaries) is a state value that memory ops take and define, see stateHome.
//
// [Emit] writes a function over the kernel it came from:
//
//   - a plan of the instructions to fold into operands (emit_fold.go);
//   - statements whose operands name values (emit_build.go, emit_flow.go, emit_switch.go, emit_memory.go);
//   - register assignment, with an unlimited number of registers (assign.go);
//   - concrete statements, with the moves that one register per operand requires (emit_write.go,
//     emit_source.go, emit_copy.go, emit_literal.go).
//
// Nothing has to be spilled and no model limits ports or swizzles, so emission is simpler than for Direct3D
// 9. Package machine computes the cost of a kernel on a chip.
//
// The language follows the AMD Intermediate Language (IL) Specification, versions 2.0 to 2.4, with kernels of
// CAL (il_ps_2_0) and of compute shaders (il_cs_2_0). Where the specification is silent, compilers that wrote
// kernels decide; comments note each case.
package amdil
