// Package lang says which languages a program that links the library has: all, unless it was built
// with a tag that leaves one out, as the two programs of cmd/playground are, so that a page loads
// what its input needs. Where the library chooses between languages it asks these constants, so that
// the compiler sees what cannot be reached:
//
//	nokernels    Direct3D 9 alone
//	nod3d9       AMD IL alone
//
// An input of another language is refused with a diagnostic.
package lang
