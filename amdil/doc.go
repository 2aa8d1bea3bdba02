// Package amdil takes AMD IL kernels to the IR and back.
//
// [Lift] makes a function of a kernel in four steps, each in a file of its own.
// Statements become a tree in which calls are inlined and what leaves a block early
// (continue, return, the break of a switch) is a jump to its end (tree.go); jumps are
// turned into nested branches and, where those do not suffice, flags, until only
// conditionals, endless loops and breaks are left (structure.go); liveness of
// registers says what a construct has to carry (live.go); and the tree is walked in
// order with the value of every register component at hand (lift.go, statement.go).
//
// Two ideas of compilers of the time are behind the first steps: a jump is a flag that
// is set and tested, as structured programming has been made of goto since Boehm and
// Jacopini (CACM 9(5), 1966), and flags that are literals on a path fold away, so that
// a plain continue or return costs nothing where nesting alone expresses it. Liveness
// is the usual backward analysis over the tree.
//
// Register files of the IR are numbered as in asm/il, see [Reg]. What a program can
// write beside registers (g[], views, local memory, arrays of temporaries) is a state
// value that memory ops take and leave, see [State].
//
// [Emit] writes a function over the kernel it came from: statements whose operands name
// values (emit_build.go, emit_flow.go, emit_switch.go, emit_memory.go), after a plan of
// what operands can contain (emit_fold.go); registers, of which there are as many as
// one likes (assign.go); then concrete statements, with the moves that one register per
// operand takes (emit_write.go, emit_source.go, emit_copy.go, emit_literal.go). Nothing
// has to be spilled and no model has limits on ports or swizzles, so emission is
// simpler than that of Direct3D 9; what a kernel costs on a chip is for package machine
// to say.
//
// The language is that of the AMD Intermediate Language (IL) Specification, versions
// 2.0 to 2.4, with kernels of CAL (il_ps_2_0) and of compute shaders (il_cs_2_0). Where
// the specification is silent, compilers that wrote kernels decide: the case is stated
// where it matters.
package amdil
