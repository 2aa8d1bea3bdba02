// Package pack is the pass that computes several single components as one vector, chain by
// chain: superword level parallelism (Larsen and Amarasinghe, PLDI 2000).
//
// Package vectorize joins instructions whose operands are in the right places already, or
// can be had there for nothing. A chain of operations may be worth more than what it takes
// to bring together what it begins with. So here instructions that do the same to different
// values are packed from the last of a chain up: as long as their operands are computed
// alike, these are packed too, in the same components, and where they are not, what computes
// them writes the components of one register. What has to be moved there then, emission
// finds, and the price tells whether the whole pays.
//
//	frc r0.x, r1.x;  mul r0.x, r0.x, c0.x       frc r0.xy, r1
//	frc r2.x, r1.y;  mul r2.x, r2.x, c0.x       mul r0.xy, r0, c0.x
//
// Larsen and Amarasinghe ("Exploiting Superword Level Parallelism with Multimedia
// Instruction Sets") pack from loads down, by adjacent memory; here nothing is adjacent
// but registers, so packs grow from an instruction up to what computes its operands, as
// the bottom-up trees of later compilers do (Rosen, Nuzman and Zaks, "Loop-Aware SLP in
// GCC", GCC Summit 2007). A pack is legal if its members do not depend on each other,
// directly or through other packs: an order of the code must exist in which each stands
// together ([graph.sort]). Every lane computes the term that it did.
package pack
