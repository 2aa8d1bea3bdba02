// Package reals has the domains in which proofs over the real numbers are done. [Field] evaluates at a
// random point modulo two primes; [Reals] knows more of comparisons and of the elementary functions;
// [Roundings] is one of these with partial precision, as a function that is as good as random.
//
// That a program is a polynomial which can be tested at a random point is the lemma of DeMillo and
// Lipton, Schwartz, and Zippel (1978 to 1980); functions known only by name are random functions, as in
// Gulwani and Necula, Global Value Numbering Using Random Interpretation (POPL 2004). What is
// not a polynomial is one in a new variable: modular.go has the arithmetic, field.go the domain,
// form.go the normal forms of Reals, order.go comparisons, circuits.go relations between them, roots.go,
// powers.go and functions.go the functions, cases.go functions of choices, kills.go sets of conditions,
// infinite.go constants that are no real numbers, roundings.go partial precision.
//
// An Element is valid in the Field that made it. What a domain remembers depends on what it was asked
// before, on both sides; [Reals.Again] makes up for that.
package reals
