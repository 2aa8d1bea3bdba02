// Package opt is the engine of package shaderlift, which has its everyday functions and types. This package
// also has those that a driver of many inputs needs: [History], [EncodeResult], and assembly with included
// files.
//
// An optimization has four steps. A file becomes an [Input]. A subject for its [Kind] lifts the programs and
// makes plans: which passes to run, in which order. The optimizer runs a plan, measures the candidate and
// has package verify compare it with the input. If verification fails, it searches for the rewrite to
// blame and runs the plan without it. The cheapest verified candidate becomes the [Result].
//
// Folders have the parts that need only values: prices of pairs (pair) and kernels (kernel), listings
// (explain), rates, the search of Tune (tune) and conditions of kernels (split). Folder replay repeats faults
// of the engine.
package opt
