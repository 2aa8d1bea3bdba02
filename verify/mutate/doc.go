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
//	wrong        proved or bounded, and an execution on other inputs than verify's differs; or
//	             refuted, and a proof accepts it all the same
//	missed       tested, and such an execution differs
//	undecided    let through, and neither of the two: drawn equal is no proof
//
// The score of a kind is the share of its mutants that are not equivalent and are refuted or unknown:
// mutation analysis (DeMillo, Lipton, Sayward, Hints on Test Data Selection, IEEE Computer 1978), with
// a verifier in the place of a test suite. A wrong mutant is a bug of the judge, a missed one a
// weakness of its inputs, an undecided one mostly a weakness of [Equivalent].
//
// The data goes like this. [ReadSubjects] reads programs (corpus.go), a kind from one of the tables
// d3d9_*.go and il_*.go changes a copy ([Kind.Apply], subject.go), witness.go looks whether a random
// input shows the change, and run.go judges and classifies it; outside.go looks for a difference in
// what was let through. Score and Table count (score.go).
//
// [Equivalent] takes both versions apart into assignments to named scalars (flat.go; equivalent_d3d9.go,
// equivalent_fixed.go and equivalent_il.go by dialect), leaves out what is dead (tidy.go, on the control
// flow graph of linker.go and the liveness of blocks.go), and compares either block by block
// (equivalent.go) or path by path (paths.go, follow.go). Values are hash-consed terms (terms.go) with
// laws of integers, floats (fold.go, laws.go, range.go, counter.go) and arrays (arrays.go), and of
// polynomials over the rationals where a proof over the reals is enough (reals.go).
package mutate
