// Package suite is the one table of all passes, with the order they need and the
// pipelines behind -O0 to -O3.
//
// The phase order was found by measuring totals over the corpora and is held by the
// constraints in order, each with its reason; which order is best is no theorem
// (Whitfield and Soffa, "An Approach for Exploring Code Improving Transformations",
// TOPLAS 19(6), 1997, on how passes enable and disable each other). Levels are text in
// the syntax of [passes.Parse], so what a level does can be said with -p as well.
package suite
