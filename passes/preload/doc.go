// Package preload moves what is the same on every trip of a loop before it: fetches, reads
// of memory that the loop does not write, and what computes their addresses (Daga, Scogland
// and Feng, "Architecture-aware mapping and optimization on a 1600-core GPU", 2011, call that
// register preloading).
package preload
