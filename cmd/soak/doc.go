// Command soak optimizes random programs by random pipelines and holds the results against
// what is promised: nothing is refuted, nothing crashes, no fault is met, nothing costs
// more, and memory stays flat.
//
//	go run ./cmd/soak -n 1000000 -state soak.json -out faults
//
// Of five inputs one is a pair, two are kernels and two programs alone. Pipelines are levels,
// and passes in any order with any options. Task j of a seed is the same on every machine;
// with -state a run goes on where an earlier one stopped, an interrupted one too. What goes
// wrong is reduced and written as a reproducer that shaderlift replay, bisect and reduce take.
package main
