// Command soak optimizes random programs by random pipelines and holds the results against
// what is promised: nothing is refuted, nothing crashes, no fault is met, nothing costs
// more, and memory stays flat.
//
//	go run ./cmd/soak -n 1000000 -state soak.json -out faults
//
// Of ten inputs two are pairs, one is an effect, three are kernels and four programs alone. Pipelines are
// levels, and passes in any order with any options; what is of Direct3D 9 is drawn with profiles to fit,
// promises, partners, ranges and lists of targets, too. What need not fit a profile may fail to. Results of
// effects, for profiles and under promises are verified once more, as one in 64 of the others is. Task j of a seed is the same on every machine;
// with -state a run goes on where an earlier one stopped, an interrupted one too. What goes
// wrong is reduced and written as a reproducer that shaderlift replay, bisect and reduce take.
package main
