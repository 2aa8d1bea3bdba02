// Package reals provides the domains for proofs over the real numbers. [Field] evaluates at a random point
// modulo two primes. [Reals] adds laws of comparisons and elementary functions. [Roundings] extends one of
// these with partial precision as a pseudo-random function.
//
// A program that is a polynomial can be tested at a random point by the lemma of DeMillo and Lipton,
// Schwartz, and Zippel (1978 to 1980). Functions known only by name are random functions, as in Gulwani and
// Necula, Global Value Numbering Using Random Interpretation (POPL 2004). Every value that is not a
// polynomial is a new variable.
//
// The arithmetic is in modular.go, the domain in field.go, and the normal forms of Reals in form.go.
// Comparisons are in order.go, their relations in circuits.go, and sets of conditions in kills.go.
// Functions are in roots.go, powers.go and functions.go, functions of choices in cases.go. Constants that
// are not real numbers are in infinite.go, and partial precision is in roundings.go.
//
// [Bitwise] adds to either domain the computation of values by floats; grid.go determines the operations
// that round nothing.
//
// An Element is valid in the Field that made it. The state of a domain depends on earlier queries, from
// both versions; [Reals.Again] compensates for that.
package reals
