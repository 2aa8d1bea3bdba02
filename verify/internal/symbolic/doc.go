// Package symbolic defines the value domains of symbolic execution. A [Domain] interprets literals, ops,
// conditions and functions known only by name. [Terms] is the first domain: a value is the term that
// computes it. All random choices of domains and walks come from a [Stream].
package symbolic
