// Package remat recomputes coordinates of fetches where that is cheaper than combining values that were
// computed before.
//
//	mov r0.x, r5.x; mov r0.y, r6.x      (r0.y is still there)
//	texld r1, r0, s0                    add r0.x, r0.x, c0.x
//	mov r2.x, r5.y; mov r2.y, r6.x      texld r1, r0, s0
//	texld r3, r2, s0
//
// Below ps_3_0 a fetch reads its coordinates from one register without a swizzle, so a value that two fetches
// share has to be in two registers. A value may be recomputed wherever its operands can be read: pure
// instructions of one slot whose sources are still defined compute the same term. Fetches may move up to
// where their coordinates are ready, as a block contains no effect.
package remat
