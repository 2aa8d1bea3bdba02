// Package regalloc decides where values live: which register, which component.
//
// It works on a linear program of points that define and use values
// ([Code]), whatever the dialect. [Live] computes exact live ranges over the
// structured control flow, holes included. [Webs] gathers values that must share
// a register (the lanes of one instruction, the lanes of one operand) and packs
// them by component, so that a register may hold several unrelated values;
// [Webs.Colour] gives every web a register.
//
// # Method
//
// Live ranges come from one backward walk over structured code, without iteration: what
// a loop body reads from outside is live all through it, and nothing else crosses its
// back edge but parameters. Joining webs is coalescing: two values may share a register
// if no component of it would be busy with two of them at a time, and unlike a scalar
// allocator's, a join may permute the components of one side to make that so. It is
// aggressive and in the order the caller asks, so the caller's order is the priority.
// Colouring is a linear scan over webs by where they are first live, with first fit
// into the holes of registers (Poletto and Sarkar, "Linear Scan Register Allocation",
// TOPLAS 21(5), 1999; holes as in Traub, Holloway and Smith, "Quality and Speed in
// Linear-scan Register Allocation", PLDI 1998). There is no spilling: the languages
// have no memory to spill to, so failure is an error, and the caller keeps another
// version of the program.
//
// # Cost
//
// Liveness is linear in the spans it finds. A join costs a binary search per span of
// the smaller web, for up to 24 permutations that share their comparisons; colouring
// tries registers in order, with each try a merge of sorted lists whose finished part
// has been dropped.
package regalloc
