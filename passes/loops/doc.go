// Package loops keeps in registers what the trips of a loop share: [Preload] moves invariant code before the loop,
// and [Accumulate] keeps elements of memory.
//
// # Invariant code
//
// Preload moves loop-invariant code before the loop: fetches, reads of memory that the loop does not
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
//
// # Accumulators
//
// Accumulate keeps elements of memory that a loop accumulates into in registers, and stores them
// once. Daga, Scogland and Feng ("Architecture-aware mapping and optimization on a 1600-core GPU", 2011) call
// that a register accumulator.
//
//	whileloop                       mov r9, g[r0.x]
//	  ...                           whileloop
//	  mov r1, g[r0.x]                 ...
//	  add r1, r1, r2                  add r9, r9, r2
//	  mov g[r0.x], r1               endloop
//	endloop                         mov g[r0.x], r9
//
// It is scalar replacement of memory (Callahan, Carr and Kennedy, "Improving Register Allocation for
// Subscripted Variables", PLDI 1990) for addresses that a loop does not change. It is legal if all accesses
// of the loop to shared memory are to these elements or to certainly different ones: same base and index,
// different literal offset. The application must promise that other invocations do not interfere. So it has
// to request the pass, which is in no level.
package loops
