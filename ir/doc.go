// Package ir is the dataflow form of programs of every dialect: vector instructions over scalar values.
//
// The unit of emission is the vector instruction, because it costs a slot. The unit of dataflow is the 32-bit
// lane, because a write mask writes lanes and a swizzle reads them. An [Instr] therefore defines up to four
// [Value]s and reads [Operand]s of up to four [Lane]s. Values are in static single assignment form. A masked
// write defines values for the written lanes only, so write-after-read and write-after-write hazards do not
// exist until registers are allocated.
//
// Control flow is structured, as in the source languages: an instruction may own [Region]s, whose parameters
// and results replace phi instructions.
//
// The state of a writable memory is a value too. An op that reads memory takes a state as an operand. An op
// that writes memory takes a state and defines the next, so memory dependences are plain dataflow. The memory
// itself exists only once: the states of one space follow each other in program order. Code motion must keep
// the readers of a state before the op that ends it.
//
// The value of an op is defined once, as a formula in its row of the op table ("a*b + c"). Evaluating the
// formula in different algebras yields the lanes it reads, its float32 value, its value in a finite field,
// and whether it is affine; see [Eval].
//
// # Reading the package
//
// value.go, instr.go and func.go hold the data structures. op.go, optable.go, formula.go and prim.go hold the
// op table and its evaluation. check.go states the invariants. The rest are analyses and edits that several
// passes share:
//
//   - linear.go: how a value varies over a primitive
//   - residue.go: values modulo powers of two
//   - needs.go: liveness by lane
//   - handed.go: block arguments
//   - lanes.go: splitting, joining and permuting lanes
//   - clone.go, copy.go: copies
//   - hash.go, fingerprint.go: identity of versions
//
// # Invariants
//
// [Func.Check] states all of them; the pass manager runs it before and after every pass. Dominance is
// nesting: a value may be read after its definition in program order, inside the region that defines it. The
// IR keeps no use lists. A pass counts or collects readers in one walk ([Func.UseCounts]) and replaces values in
// one walk ([Func.Replace]). A pass is therefore linear if it batches its changes.
//
// # Sources
//
// Structured regions with parameters instead of phi come from MLIR and from wazero's SSA. Lanes as values
// under vector instructions are specific to this project; RATIONALE.md ("Why scalar values under vector
// instructions?") compares them with Mesa's r300 and r600 drivers. Legacy and IEEE numerics follow the
// Direct3D 9 shader assembly reference (MSDN) and the AMD IL Specification ("_ieee" instructions).
//
// The package knows no dialect: register files are numbers that the dialect assigns, and the dialect decides
// legality.
package ir
