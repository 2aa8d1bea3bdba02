// Package mutate judges the judge: it changes programs in one place, by one of the kinds
// of its table, and asks package verify whether the result may take the place of the
// original. What verify lets through has to be the same program.
//
// [Kinds] is the table: what a kind does to a program of which dialect. [Apply] makes
// one mutant, and only valid ones: a mutant obeys the rules that the original obeys, reads
// back as it was written, and differs from it. [Run] makes many, over the corpus and over
// programs of package gen, judges them and classifies the outcomes:
//
//	refuted      verify has a counterexample, which it replayed
//	unknown      verify does not vouch for it; nothing that it would write either
//	equivalent   let through, and shown to be the same by [Equivalent], which shares
//	             nothing with verify but the syntax: blocks of statements compute the same
//	             terms in everything that is read later
//	wrong        proved or bounded, and an execution on other inputs than verify's differs
//	missed       tested, and such an execution differs
//	undecided    let through, and neither of the two: drawn equal is no proof
//
// The score of a kind is the share of its mutants that are not equivalent and are refuted
// or unknown.
package mutate
