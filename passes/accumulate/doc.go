// Package accumulate keeps elements of memory that a loop adds up in registers, and stores them
// once (Daga, Scogland and Feng, "Architecture-aware mapping and optimization on a 1600-core
// GPU", 2011, call that a register accumulator).
package accumulate
