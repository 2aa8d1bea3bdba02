// Package preload moves what is the same on every trip of a loop before it: fetches, reads
// of memory that the loop does not write, and what computes their addresses (Daga, Scogland
// and Feng, "Architecture-aware mapping and optimization on a 1600-core GPU", 2011, call that
// register preloading).
//
//	whileloop                      mov r9, g[r0.x]
//	  mov r1, g[r0.x]              whileloop
//	  mad r2, r1, r3, r2             mad r2, r9, r3, r2
//	endloop                        endloop
//
// It is loop-invariant code motion (Aho, Lam, Sethi and Ullman, section 9.5) in its
// speculative form: what moves runs once even if the loop makes no trip, which is
// harmless for what has no effect and cannot trap. Reads of memory move only if their
// state comes from before the loop, that is, if nothing in the loop writes there.
package preload
