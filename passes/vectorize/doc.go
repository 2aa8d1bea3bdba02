// Package vectorize computes the same scalar operations with fewer vector instructions.
//
// It joins two instructions of the same operation that do not depend on each other, if each operand of the
// joined instruction is still read from one register. For inputs and constants the dialect decides that. For
// temporaries the pass keeps a partition of the values into future registers ([webs]). Lanes of one
// instruction share a web, and so do lanes that one operand reads. Two single results are moved to different
// components of one web if their readers can then be joined. Producers come before their readers, so one join
// enables the next, and whole scalar chains become vector chains.
//
// Every value keeps its term, under all numerics, so instructions that feed a position are joined too.
//
//	add r0.x, v0, c0          add r0.xy, v0, c0
//	add r0.y, v0, c0          (in any order, at any distance: neither depends on the other)
//
// This is superword level parallelism without the search of package pack. It makes only joins that cost no
// move, in one pass over the code with a window, in nearly linear time. A join is legal under these
// conditions:
//
//   - the op, modifiers and resource are equal;
//   - neither instruction depends on the other;
//   - some position is after the operands of both and before the readers of both;
//   - the lanes of every operand come from one register;
//   - values that share a component of a register are not live at the same time.
package vectorize
