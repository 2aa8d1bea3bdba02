// Package symbolic has the spaces of values that programs are executed in by proofs. A
// [Domain] is one: it says what literals, ops, conditions and functions known only by name
// come to. [Terms] is the first, in which a value is how it was computed. What every domain
// and every walk draws at random follows from a [Stream].
package symbolic
