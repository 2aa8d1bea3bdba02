// Package groupfetch brings fetches together, so that they fill clauses and access the texture cache in
// sequence.
//
//	sample r0, r8            sample r0, r8
//	mad r2, r0, r1, r2       sample r3, r9
//	sample r3, r9            mad r2, r0, r1, r2
//	mad r2, r3, r1, r2       mad r2, r3, r1, r2
//
// It is step 2 of the matrix product in AMD's tutorial at PLDI 2008. On R600 to Evergreen, fetches are issued
// in clauses of 8 or 16 ("R600-Family Instruction Set Architecture", texture clauses), and each clause takes
// a clause switch. Neighbouring fetches of one resource hit cache lines that the first has loaded. In
// Direct3D 9, a run of texture reads is one phase of R300.
//
// Fetches have no effect and a block contains no store, so a fetch may be anywhere after its operands. The
// pass only moves fetches up, never past the definitions of their coordinates, and keeps the order of all
// other instructions.
package groupfetch
