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
package unroll
