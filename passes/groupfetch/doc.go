// Package groupfetch brings fetches together, so that they fill clauses and reach the
// texture cache in runs.
//
//	sample r0, r8            sample r0, r8
//	mad r2, r0, r1, r2       sample r3, r9
//	sample r3, r9            mad r2, r0, r1, r2
//	mad r2, r3, r1, r2       mad r2, r3, r1, r2
//
// It is step 2 of the matrix product in AMD's tutorial at PLDI 2008: on R600 to
// Evergreen fetches are issued in clauses of 8 or 16 ("R600-Family Instruction Set
// Architecture", texture clauses), each of which takes a switch of clauses, and
// neighbouring fetches of one resource hit lines of the cache that the first has
// brought. In Direct3D 9 a run of texture reads is one phase of R300.
//
// Fetches have no effect and no store is within a block, so they may go anywhere behind
// what they depend on. The pass moves them up only, never past what their coordinates
// come from, and keeps the order of everything that does not move.
package groupfetch
