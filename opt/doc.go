// Package opt is the engine of package shaderlift, which has its everyday functions and types. This package
// also has those that a driver of many inputs or a tool for faults needs: [Bisect], [Reduce] and [Replay]
// of a [Fault], [History], [EncodeResult], and assembly with included files.
//
// An optimization has four steps. A file becomes an [Input]. A worker for its [Kind] lifts the programs and
// makes plans: which passes to run, in which order. The optimizer runs a plan, measures the candidate and
// has package verify compare it with the input. If verification fails, it searches for the rewrite to
// blame and runs the plan without it. The cheapest verified candidate becomes the [Result].
package opt
