// Package preload moves loop-invariant code before the loop: fetches, reads of memory that the loop does not
// write, and the computation of their addresses. Daga, Scogland and Feng ("Architecture-aware mapping and
// optimization on a 1600-core GPU", 2011) call that register preloading.
//
//	whileloop                      mov r9, g[r0.x]
//	  mov r1, g[r0.x]              whileloop
//	  mad r2, r1, r3, r2             mad r2, r9, r3, r2
//	endloop                        endloop
//
// It is loop-invariant code motion (Aho, Lam, Sethi and Ullman, section 9.5) in its speculative form: moved
// code runs once even if the loop makes no trip. That is harmless for code without effects that cannot trap.
// A read of memory moves only if its state comes from before the loop, that is, if the loop does not write
// there.
package preload
