// Package words has the algebra of 32-bit words, which integers of kernels obey exactly: a domain on
// top of any other ([Words]).
//
// Values are put into normal forms as they are made (words.go: conditions, masks and choices; ring.go:
// polynomials modulo 2^32; bits.go: shifts, masks and divisions by literals; memory.go: arrays of one
// invocation), and a form becomes an opaque function of the domain below, applied to its parts. So two
// forms are equal where those are. A form that would be too large is not taken apart any further,
// which proves less and nothing wrong.
package words
