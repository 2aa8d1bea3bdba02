// Package vectorize places values in lanes: [Pass] joins instructions, [Pack] packs chains of them, [SelectLanes]
// collects lanes of several registers, and [Permute] moves results to other components.
//
// # Joins
//
// Pass computes the same scalar operations with fewer vector instructions.
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
// This is superword level parallelism without the search of [Pack]. It makes only joins that cost no
// move, in one pass over the code with a window, in nearly linear time. A join is legal under these
// conditions:
//
//   - the op, modifiers and resource are equal;
//   - neither instruction depends on the other;
//   - some position is after the operands of both and before the readers of both;
//   - the lanes of every operand come from one register;
//   - values that share a component of a register are not live at the same time.
//
// # Chains
//
// Pack computes several single components as one vector, chain by chain: superword level parallelism
// (Larsen and Amarasinghe, PLDI 2000).
//
// Pass joins instructions whose operands are already in the right places, or can be computed
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
// pack are adjacent ([packGraph.packOrder]). Every lane computes the same term as before.
//
// # Selects
//
// SelectLanes combines lanes of several registers by selects on literals.
//
//	add r0.xy, t0, c0                  add r0.xy, t0, c0
//	add r1.xy, t0, c1                  add r1.xy, t0, c1
//	texld r2, r0, s0                   cmp r3.xy, c2, r1, r0     c2: 1, -1
//	mov r0.x, r1                       texld r2, r0, s0
//	texld r0, r0, s0                   texld r0, r3, s0
//	texld r1, r1, s0                   texld r1, r1, s0
//
// An operand is read from one register. Lanes that were computed in several registers are moved into one.
// This takes a statement for each register if all of them are read again. If one of them is overwritten
// instead, it breaks up runs of fetches. A select passes its operands unchanged, including NaN and signed
// zeros, so one select builds the operand in a new register. On GPUs moves are free, so the pass is only for
// prices that count slots.
//
// # Permutations
//
// Permute moves results to other components, where the limited swizzles of some models can read them.
//
//	dp3 r0.x, t0, c0                   dp3 r0.y, t0, c0
//	dp3 r0.y, t0, c1                   dp3 r0.x, t0, c1
//	mul r1.xy, r0.yxzw, c2             mul r1.xy, r0, c2
//
// Below ps_2_x a source is read with the identity, a replicate, .yzxw, .zxyw or .wzyx ("ps_2_0 source
// register swizzling"); any other swizzle takes a mov. Permuting a lane-wise instruction permutes its lanes
// and sources alike, so every value keeps its term. The best components for all values are a constraint
// satisfaction problem over permutations. The pass uses local search: it mends one operand that cannot be
// read, lets neighbours follow, and undoes the change unless fewer unreadable operands are left.
package vectorize
