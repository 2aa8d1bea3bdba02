// Package merge implements the pass that packs scalars and short vectors into fewer registers,
// together with the instructions that compute them.
//
// It decides by component. Values that control flow or an instruction ties together form a web.
// Webs without interference share a register, after lanes of instructions are permuted if needed
// ([github.com/shaderlift/shaderlift/regalloc] implements webs). The pass first joins the webs of
// instructions that do the same, so that package vectorize can combine the instructions. For
// example, two loop-carried indices in halves of two registers become one vector, and their
// increments one addition. Straight-line code may be reordered so that fewer values are live.
//
// The pass is separate from package regalloc because emission imports regalloc, while a pass
// depends on the dialects in the other direction.
//
// Register assignment is a hint to emission and never changes the computed values.
//
//	mov r0.x, c0.x          mov r0.x, c0.x
//	mov r1.x, c1.x          mov r0.y, c1.x
//	add r0.x, r0.x, c2.x    add r0.xy, r0, c2.x
//	add r1.x, r1.x, c2.x
//
// Register merging is an optimization of Jang, Do, Pien and Kaeli, "Architecture-Aware Optimization
// Targeting Multithreaded Stream Computing" (GPGPU-2, 2009). Fewer registers leave room for more
// wavefronts, which hide the latency of fetches. Reordering for fewer live values is list
// scheduling with register pressure as the priority (after Goodman and Hsu, "Code Scheduling and
// Register Allocation in Large Basic Blocks", ICS 1988). Both problems are NP-hard. The pass tries
// a few greedy methods, and the price decides.
package merge
