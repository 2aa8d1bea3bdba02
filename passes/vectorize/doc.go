// Package vectorize is the pass that computes the same scalar operations with
// fewer vector instructions.
//
// Two instructions of the same operation that do not depend on each other become
// one if each operand of the joined instruction is still read from one register.
// For inputs and constants the dialect decides that. For temporaries the pass
// keeps a partition of the values into registers to be ([webs]): lanes of one
// instruction are together, so are lanes that some operand reads together, and
// two single results are brought together (moved to different components) where
// that lets their readers be joined. Since producers come before their readers,
// one join makes the next possible, and whole scalar chains turn into vector
// ones.
//
// Nothing is computed differently: every value keeps its term, whatever the numerics,
// so instructions that feed a position are joined like all others.
//
//	add r0.x, v0, c0          add r0.xy, v0, c0
//	add r0.y, v0, c0          (any order and any place between, as neither depends on the other)
//
// It is superword level parallelism without the search of package pack: only what costs
// no move is joined, in one pass over the code with a window, so it is nearly linear.
// Legality: same op, modifiers and resource; no dependence; a place exists behind the
// operands of both and before the readers of both; lanes of every operand from one
// register; values that one register is to hold are not live at once in one component.
package vectorize
