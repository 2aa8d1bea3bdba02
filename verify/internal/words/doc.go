// Package words provides the algebra of 32-bit words, which integers of kernels obey exactly: a domain on
// top of any other ([Words]).
//
// Values are normalized on creation (words.go: conditions, masks and choices; ring.go: polynomials modulo
// 2^32; bits.go: shifts, masks and divisions by literals; memory.go: arrays of one invocation). A normal
// form becomes an opaque function of the domain below, applied to its parts, so two forms are equal if
// their parts are. Forms beyond the size limits are not decomposed further, which proves less but nothing
// wrong.
//
// [Judge] reasons about loop counters. It finds conditions that cannot hold in a trip of a loop, because the
// exit conditions of the loop do not hold. For example, it shows that the trips of a loop unrolled by four
// would not have left the original loop: i+3 < n implies i < n, if i+3 does not wrap. Facts are intervals and
// differences by literals; there is no solver.
package words
