// Package unroll rewrites loops: it unrolls them and breaks the dependences that
// their iterations have on each other.
//
// Both are from the AMD tutorial on IL at PLDI 2008: unrolling alone hardly pays, since
// index increments chain the copies together; breaking the chains lets the fetches of
// all copies go out at once.
//
// [Unroll] makes several trips of a loop at a time. Where the test can be computed from
// literals that is all there is to it. Any other loop has to count: to be left on one test
// alone, which compares a counter with something that the loop does not change, and stays
// met once it is, or tells how many trips are left. [BreakDeps] works on
// straight-line code, unrolled or not, and on the sums that loops carry.
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
//	                                   the loop on the left, for what is left over
//
// # Why it is right
//
// Trips follow each other as before, stores and roundings included, so only the tests
// may go wrong: a trip must not be made that the loop would not make. Either the trips
// are computed exactly, test by test, with literals (trial.go); or the exit, once met,
// stays met (counted.go), so that the test of the n-th trip ahead implies the n-1
// before it, as long as no integer wraps round on the way (guard.go); or the counter
// steps by one up to the bound, and the difference is the number of trips left, modulo
// 2^32 (partial.go, switch.go).
//
// Files: loop.go finds loops and what they are left by, exit.go the one break,
// counted.go the counter, guard.go what keeps it from wrapping; copies.go, full.go,
// exact.go, partial.go and switch.go make the new loops; auto.go picks factors by
// price; breakdeps.go and sums.go take chains of additions apart; twins.go and
// uniform.go are analyses that they share.
package unroll
