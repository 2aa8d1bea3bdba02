// Package local removes accesses to the local memory of work groups: loads of words that a register holds, branches
// that the number of an invocation decides for all invocations alike, and barriers that separate nothing.
//
// A group has at most 1024 invocations, so the package enumerates them. A value that depends only on the number of an
// invocation in its group and on literals has a table of its words (tables.go). Two addresses are compared for each
// pair of invocations, and a condition is known if it holds for all of them or for none. Volkov does the same by hand
// ("Unrolling parallel loops", 2011): in his elimination of a matrix, an invocation keeps its elements in registers
// and reads a shared element once.
package local
