// Package unroll unrolls loops and breaks the dependences between their iterations.
//
// Both come from the AMD tutorial on IL at PLDI 2008. Unrolling alone hardly pays, since index
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
// # Why it is right
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
package unroll
