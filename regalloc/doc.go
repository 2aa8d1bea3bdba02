// Package regalloc assigns values to registers and components.
//
// It works on a linear program of points that define and use values ([Code]), independent of the
// dialect. Function [LiveIntervals] computes exact live ranges, including holes, over structured control
// flow. Type [Webs] gathers values that must share a register: the lanes of one instruction, the
// lanes of one operand. It packs them by component, so that a register may hold several unrelated
// values. [Webs.Colour] assigns a register to every web.
//
// # Method
//
// One backward walk over structured code computes live ranges, without iteration. A value that a
// loop body reads from outside is live throughout the body; across the back edge only parameters
// are passed. Joining webs is coalescing: two values may share a register if no component would
// hold two live values at once. Unlike in a scalar allocator, a join may permute the components of
// one side. Coalescing is aggressive and follows the caller's order, so that order is the priority.
//
// Colouring is a linear scan over webs by first live point, with first fit into the holes of
// registers (Poletto and Sarkar, "Linear Scan Register Allocation", TOPLAS 21(5), 1999; holes as in
// Traub, Holloway and Smith, "Quality and Speed in Linear-scan Register Allocation", PLDI 1998).
// There is no spilling, since the languages have no memory to spill to. Failure is an error, and
// the caller keeps another version of the program.
//
// # Cost
//
// Liveness is linear in the number of live intervals. A join costs a binary search for each
// interval of the smaller web, for up to 24 permutations that share their comparisons. Colouring
// tries registers in order; each try merges sorted lists whose finished part has been dropped.
package regalloc
