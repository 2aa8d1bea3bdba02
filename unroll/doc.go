// Package unroll changes loops: [Unroll] makes several trips at a time, [BreakDeps] breaks the dependences between
// them, [Preload] and [Unswitch] move invariant code and branches before the loop, and [Accumulate] keeps elements of
// memory in registers.
//
// # Unrolling
//
// Unroll and BreakDeps come from the AMD tutorial on IL at PLDI 2008. Unrolling alone hardly pays, since index
// increments chain the copies together. Breaking the chains lets the fetches of all copies be
// issued at once.
//
// [Unroll] makes several trips of a loop at a time. A loop whose test can be computed from literals
// needs nothing more. Any other loop must count: its only exit compares an induction variable with
// a loop-invariant value. The exit must stay met once it is met, or the comparison must give the
// number of trips left. The pass [BreakDeps] works on straight-line code, unrolled or not, and on
// the sums that loops carry.
//
//	whileloop                          whileloop               (4 trips at a time, after
//	  ige r1.x, r0.x, cb0[0].x           iadd r1.x, r0.x, l0.x   break-deps: l0 = 3, 1, 2, 3)
//	  break_logicalnz r1.x               ige r1.y, r1.x, cb0[0].x
//	  sample r2, r0.x                    break_logicalnz r1.y
//	  add r3, r3, r2                     iadd r4, r0.x, l0.0yzw
//	  iadd r0.x, r0.x, 1                 sample .. r4.x;  sample .. r4.y; ...
//	endloop                              add ..; add ..; add ..; add ..
//	                                     iadd r0.x, r0.x, 4
//	                                   endloop
//	                                   the loop on the left, for the remaining trips
//
// # Why unrolling is right
//
// Trips run in the same order as before, including stores and roundings, so only the tests may go
// wrong. The unrolled loop must not make a trip that the original would not make. One of three
// arguments excludes that. First, the trip count is computed exactly, test by test, with literals
// (trial.go). Second, the exit stays met once it is met (counted.go), so the test of the n-th trip
// ahead implies the n-1 before it, provided no integer wraps around (guard.go). Third, the counter
// steps by one up to the bound, so the difference is the number of trips left, modulo 2^32
// (partial.go, switch.go).
//
// Files: loop.go finds loops, exit.go their one break, counted.go the induction variable, and
// guard.go the conditions that prevent wraparound. copies.go, full.go, exact.go, partial.go and
// switch.go build the new loops. auto.go selects factors by price. breakdeps.go and sums.go break
// dependence chains. twins.go and uniform.go are shared analyses.
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
// # Invariant branches
//
// Unswitch decides a branch before the loop if its condition is loop-invariant (Allen and Cocke, "A Catalogue of
// Optimizing Transformations", 1972). Each side gets a copy of the loop, in which no branch on that condition remains.
//
//	whileloop                      if_logicalnz cb0[1].x
//	  ...                            whileloop
//	  if_logicalnz cb0[1].x            ...
//	    add r3, r3, r5                 add r3, r3, r5
//	  else                           endloop
//	    mul r3, r3, r5             else
//	  endif                          whileloop
//	endloop                            ...
//	                                   mul r3, r3, r5
//	                                 endloop
//	                               endif
//
// The condition may differ between invocations. Then both loops run for a wavefront, and the price decides. Loops with
// barriers and derivatives need the same condition in all invocations of a group.
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
package unroll
