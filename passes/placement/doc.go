// Package placement computes values nearer to their uses: [Sink] moves computations down, and [Remat] repeats
// them.
//
// # Sinking
//
// Sink moves computations down to their first use.
//
//	add r0.xy, t0, c0        add r0.xy, t0, c0
//	add r1.xy, t0, c1        texld r2, r0, s0
//	texld r2, r0, s0         add r0.xy, t0, c1       (r0 again)
//	texld r3, r1, s0         texld r3, r0, s0
//
// A pure instruction may be anywhere after its operands and before its readers within its region, so only the
// order changes and terms are kept. Unlike partial dead code elimination (Knoop, Ruething and Steffen, PLDI
// 1994), nothing moves into branches; the aim is fewer registers, not less work.
//
// # Rematerialization
//
// Remat recomputes coordinates of fetches where that is cheaper than combining values that were
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
package placement
