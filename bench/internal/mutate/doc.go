// Package mutate measures the verifier by mutation analysis. It changes a program in one place, by one of
// the kinds in its table, and asks package verify whether the result may replace the original.
//
// [Kinds] is the table of kinds: a change for programs of one dialect. [Kind.Apply] creates one valid
// mutant: it obeys the rules that the original obeys, reads back as it was written, and differs from the
// original. [Run] creates many, from the corpus and from programs of package gen, judges them and
// classifies the outcomes:
//
//	refuted      verify has a counterexample, which it replayed
//	unknown      verify does not accept it
//	accepted     a proof or a bound accepts it, and executions on other inputs agree
//	wrong        a proof or a bound accepts it, and an execution differs
//	missed       tests accept it, and an execution on other inputs differs
//	undecided    tests accept it, and executions on other inputs agree
//
// The score of a kind is the share of refuted and unknown mutants among those that no proof accepts. This
// is mutation analysis (DeMillo, Lipton, Sayward, Hints on Test Data Selection, IEEE Computer 1978) with a
// verifier in place of a test suite. A wrong mutant is a bug of the verifier, a missed one a weakness of
// its inputs.
//
// [ReadSubjects] reads programs (corpus.go). A kind from one of the tables d3d9_*.go and il_*.go changes a
// copy (subject.go), and witness.go checks whether a random input shows the change. Then run.go judges and
// classifies it, outside.go searches for a difference in accepted mutants, and score.go counts.
package mutate
