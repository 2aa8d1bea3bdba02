// Package lang states which languages the build supports. By default it supports all. A build tag
// removes one, as in the two programs of cmd/playground, so that a page loads only the code for its
// input. The library tests these constants, so that the compiler sees unreachable code:
//
//	nokernels    Direct3D 9 alone
//	nod3d9       AMD IL alone
//
// An input in another language is rejected with a diagnostic.
package lang
