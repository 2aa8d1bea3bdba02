// Package accumulate keeps elements of memory that a loop adds up in registers, and stores them
// once (Daga, Scogland and Feng, "Architecture-aware mapping and optimization on a 1600-core
// GPU", 2011, call that a register accumulator).
//
//	whileloop                       mov r9, g[r0.x]
//	  ...                           whileloop
//	  mov r1, g[r0.x]                 ...
//	  add r1, r1, r2                  add r9, r9, r2
//	  mov g[r0.x], r1               endloop
//	endloop                         mov g[r0.x], r9
//
// It is scalar replacement of memory (Callahan, Carr and Kennedy, "Improving Register
// Allocation for Subscripted Variables", PLDI 1990) for addresses that a loop does not
// change. Legality needs that all accesses of the loop to shared memory are known to be
// to these elements or to certainly different ones: same base and index, different
// literal offset. What the loop cannot see, what other invocations do, is promised by
// the application, which asks for the pass; hence it is in no level.
package accumulate
