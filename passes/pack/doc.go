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
package pack
