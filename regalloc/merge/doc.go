// Package merge is the pass that packs scalars and short vectors into fewer registers,
// together with the instructions that compute them.
//
// It decides by component: values that control flow or an instruction keeps together are
// a web, webs that are never in each other's way share a register, and lanes of
// instructions are permuted until they do ([github.com/shaderlift/shaderlift/regalloc]
// has the webs). Instructions that do the same for different webs first bring those webs
// together, so that package vectorize can make one instruction of them: two indices that
// a loop carries in the halves of two registers become one vector, and their increments
// one addition. Straight-line code may be put in an order in which fewer values are live.
//
// It is no part of package regalloc because emission builds on that, and a pass looks at
// dialects from the other side.
//
// Where values live is advice to emission and never changes what is computed.
//
//	mov r0.x, c0.x          mov r0.x, c0.x
//	mov r1.x, c1.x          mov r0.y, c1.x
//	add r0.x, r0.x, c2.x    add r0.xy, r0, c2.x
//	add r1.x, r1.x, c2.x
//
// Register merging is an optimization of Jang, Do, Pien and Kaeli, "Architecture-Aware
// Optimization Targeting Multithreaded Stream Computing" (GPGPU-2, 2009): fewer
// registers leave room for more wavefronts, which hide the latency of fetches. Ordering
// code for fewer live values is list scheduling with register pressure as the priority
// (after Goodman and Hsu, "Code Scheduling and Register Allocation in Large Basic
// Blocks", ICS 1988). Both problems are NP-hard; the pass tries a few greedy ways and
// lets the price decide.
package merge
