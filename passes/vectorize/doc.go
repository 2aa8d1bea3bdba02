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
// Nothing is computed differently: every value keeps its term, whatever the
// numerics, so instructions that feed a position are joined like all others.
package vectorize
