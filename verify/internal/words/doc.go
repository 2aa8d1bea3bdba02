// Package words has the algebra of 32-bit words, which integers of kernels obey exactly: a
// domain on top of any other ([Words]).
package words
