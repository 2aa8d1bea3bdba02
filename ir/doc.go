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
// # Reading the package
//
// value.go, instr.go and func.go hold the data structures. op.go, optable.go,
// formula.go and prim.go hold the op table and its evaluation. check.go states the
// invariants. The rest are analyses and edits that several passes share: linear.go (how
// a value varies over a primitive), residue.go (what is known modulo powers of two),
// needs.go (liveness by lane), handed.go (what flows along region edges), lanes.go
// (split, join and permute lanes), clone.go and copy.go (copies), hash.go and
// fingerprint.go (identity of versions).
//
// # Invariants
//
// [Func.Check] states all of them; the pass manager runs it before and after every
// pass. Dominance is nesting: a value may be read after its definition in program
// order, inside the region that defines it. There are no use lists. Who needs the
// readers of a value counts or collects them in one walk ([Func.Uses]), and who
// replaces values does it in one walk as well ([Func.Replace]); a pass is therefore
// linear if it batches its changes.
//
// # Sources
//
// Structured regions with parameters instead of phi are those of MLIR and of wazero's
// SSA. Lanes as values beside vector instructions are this project's own; RATIONALE.md
// ("Why scalar values under vector instructions?") compares it with Mesa's r300 and
// r600 drivers. Legacy and IEEE numerics follow the Direct3D 9 shader assembly
// reference (MSDN) and the AMD IL Specification ("_ieee" instructions).
//
// The package knows no dialect: register files are numbers that the dialect
// assigns, and legality is the dialect's business.
package ir
