// Package reals has the domains in which proofs over the real numbers are done. [Field]
// evaluates at a random point modulo two primes; [Reals] knows more of comparisons and of the
// elementary functions; [Roundings] is one of these with partial precision, as a function that is
// as good as random.
package reals
