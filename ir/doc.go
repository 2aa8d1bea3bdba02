// Package ir is the dataflow form both dialects are lifted into: vector
// instructions over scalar values.
//
// The unit of emission is the vector instruction, since that is what costs a
// slot; the unit of dataflow is the 32-bit lane, since that is what a write mask
// writes and a swizzle reads. An [Instr] therefore defines up to four [Value]s
// and reads [Operand]s of up to four [Lane]s. Values are in static single
// assignment form; a masked write defines values for the written lanes only, so
// write-after-read and write-after-write hazards do not exist until registers
// are allocated.
//
// Control flow is structured, as in both dialects: an instruction may own
// [Region]s, whose parameters and results take the place of phi instructions.
//
// Memory that a program can write is a value too: its state. An op that reads memory
// takes the state it finds, one that writes it takes a state and leaves the next, so
// that what may depend on what is plain dataflow. There is only one memory, though:
// the states of one space follow each other in program order, and whoever moves code
// keeps the readers of a state before the op that ends it.
//
// What an op computes is written once, as a formula in its row of the op table
// ("a*b + c"). Which lanes it reads, its float32 value, its value in a finite
// field and whether it is affine are all read off that formula by evaluating it
// in different algebras; see [Eval].
//
// The package knows no dialect: register files are numbers that the dialect
// assigns, and legality is the dialect's business.
package ir
