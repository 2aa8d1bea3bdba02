// Package cleanup removes work that other passes or the compiler leave behind: [DCE] dead code, [Copyprop] and
// [Leaves] copies, and [GVN] values that are computed twice.
//
// # Dead code
//
// DCE removes code that no output and no effect depends on: instructions, single lanes of them,
// carried values and results of constructs, and constructs without effect.
//
//	mul r0, r1, c0            mul r0.x, r1, c0       only r0.x is read
//	add r2, r0, c1            (gone: nothing reads r2)
//
// It is mark and sweep over lanes ([github.com/shaderlift/shaderlift/ir.Needs] marks). Conditions and loops
// are treated as in Cytron et al., "Efficiently Computing Static Single Assignment Form and the Control
// Dependence Graph", TOPLAS 13(4), 1991, section 7.1. Everything is dead until proved live, so values that
// only feed each other around a loop are removed too. The remaining code computes the same terms from the
// same operands.
//
// # Copies
//
// Copyprop makes instructions read the source of a move instead of the copy. It also moves saturation
// into the instruction whose result it clamps.
//
//	mov r1, -r0.yxzw          add r2, -r0.yxzw, c0
//	add r2, r1, c0
//
//	mul r0, r1, r2            mul_sat r3, r1, r2
//	mov_sat r3, r0
//
// A copy has the value of its source wherever the copy is visible, since the source is defined before it and
// SSA values never change. So terms are kept, and only encoding is a question: an operand reads one register,
// under one modifier, within the read ports. Relative reads are the exception: they depend on the current
// address register, so they stay.
//
// # Leaves
//
// Leaves forwards constants and inputs to all readers of a move of them, even if the reader cannot
// take them directly.
//
//	mov r0.w, c0.x;  texldl r1, r0, s0       one move for both, if emission
//	mov r2.w, c0.x;  texldl r3, r2, s0       can place it once
//
// Leaves never change, so reading them instead of a copy keeps the terms. The pass undoes the moves of a
// legalizing compiler, and emission adds them again with more context.
//
// # Equal values
//
// GVN numbers values so that equal ones have equal numbers, and removes instructions that recompute
// an available value.
//
//	mul r0, v0, c0;  mul r1, v0, c0;  add r2, r0, r1      mul r0, v0, c0;  add r2, r0, r0
//
// It is hash-based value numbering over the dominator tree (Briggs, Cooper and Simpson, "Value Numbering",
// SP&E 27(6), 1997, section 4). In structured code that tree is the nesting of regions. A table entry made in
// a region is undone at its end, so a value found is always defined before and in scope. Parameters and
// results of constructs represent themselves: the algorithm is pessimistic and never assumes loops to be
// equal. Equal keys compute the same term from the same terms, on any hardware. Memory needs no special
// treatment, as the state that a load reads is one of its operands.
package cleanup
