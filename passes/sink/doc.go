// Package sink moves computations down to their first use.
//
//	add r0.xy, t0, c0        add r0.xy, t0, c0
//	add r1.xy, t0, c1        texld r2, r0, s0
//	texld r2, r0, s0         add r0.xy, t0, c1       (r0 again)
//	texld r3, r1, s0         texld r3, r0, s0
//
// A pure instruction may be anywhere after its operands and before its readers within its region, so only the
// order changes and terms are kept. Unlike partial dead code elimination (Knoop, Ruething and Steffen, PLDI
// 1994), nothing moves into branches; the aim is fewer registers, not less work.
package sink
