// Package pack computes several single components as one vector, chain by chain: superword level parallelism
// (Larsen and Amarasinghe, PLDI 2000).
//
// Package vectorize joins instructions whose operands are already in the right places, or can be computed
// there for nothing. A chain of operations may be worth more than the moves for its inputs. So this pass
// packs instructions that do the same to different values, from the last of a chain up. As long as their
// operands are computed alike, these are packed too, in the same components. Other definitions of operands
// write the components of one register. Emission adds the remaining moves, and the price decides whether the
// whole pays.
//
//	frc r0.x, r1.x;  mul r0.x, r0.x, c0.x       frc r0.xy, r1
//	frc r2.x, r1.y;  mul r2.x, r2.x, c0.x       mul r0.xy, r0, c0.x
//
// Larsen and Amarasinghe ("Exploiting Superword Level Parallelism with Multimedia Instruction Sets") pack
// from loads down, by adjacent memory. Here only registers are adjacent, so packs grow from an instruction up
// to the definitions of its operands. The bottom-up trees of later compilers grow in the same way (Rosen,
// Nuzman and Zaks, "Loop-Aware SLP in GCC", GCC Summit 2007). A pack is legal if its members do not depend on
// each other, directly or through other packs. For that, a code order must exist in which the members of each
// pack are adjacent ([graph.packOrder]). Every lane computes the same term as before.
package pack
