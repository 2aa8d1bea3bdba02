// Package opt is the engine of package shaderlift, which has its everyday functions and types. This package
// also has those that a driver of many inputs needs: [History] and [EncodeResult].
//
// An optimization has four steps. A file becomes an [Input]. A subject for its kind lifts the programs and
// makes plans: which passes to run, in which order. The optimizer runs a plan, measures the candidate and
// has package verify compare it with the input. If verification fails, it searches for the rewrite to
// blame and runs the plan without it. The cheapest verified candidate becomes the [Result].
//
// Folders have the parts that need only values: inputs and promises (input), parts and tables of effects
// (effect), profiles to fit (fit), prices and limits of pairs (pair), prices and splits of kernels (kernel),
// listings (explain) and the search of Tune (tune). Folder replay repeats faults of the engine.
package opt
