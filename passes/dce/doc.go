// Package dce removes code that no output and no effect depends on: instructions, single lanes of them,
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
package dce
