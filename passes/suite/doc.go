// Package suite is the table of all passes, with order constraints and the pipelines of -O0 to -O3.
//
// The phase order was found by measuring totals over the corpora. The constraints in order, each with its
// reason, keep it. No theorem determines the best order (Whitfield and Soffa, "An Approach for Exploring Code
// Improving Transformations", TOPLAS 19(6), 1997, on how passes enable and disable each other). Levels are
// text in the syntax of [passes.Parse], so -p can express them too.
package suite
