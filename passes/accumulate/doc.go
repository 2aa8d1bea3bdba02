// Package accumulate keeps elements of memory that a loop accumulates into in registers, and stores them
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
package accumulate
