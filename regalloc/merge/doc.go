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
package merge
