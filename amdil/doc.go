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
// Register files of the IR are numbered as in asm/il, see [Reg]. What a program can
// write beside registers (g[], views, local memory, arrays of temporaries) is a state
// value that memory ops take and leave, see [State].
//
// [Emit] writes a function over the kernel it came from.
package amdil
