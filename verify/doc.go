// Package verify decides whether an optimized shader or kernel may replace the original. The input is a
// single program, a pair of a vertex and a pixel program, or a kernel. The package judges the programs as
// read back from their emitted form, by several methods, in the order of cost:
//
//	form       after obeys its shader model, reads back as the same statements,
//	           lifts to the same structure, and has the interface of before
//	terms      both versions become one hash-consed DAG of uninterpreted operations;
//	           equal outputs are equal for every input under any numerics
//	execution  the interpreter executes both versions, drawing whole triangles or
//	           launching the kernel over a small domain
//	field      both versions are evaluated modulo two primes at a random point of a
//	           random triangle; equal outputs are equal over the reals, with a
//	           stated error probability
//	stability  if the versions are equal in the field and not as terms, running error
//	           bounds of both versions are compared at points (see package proof); the
//	           verdict is Unknown if the error of a value exceeds four times its error in
//	           before, and 4 ulp
//	rounding   the distance between the results of execution, measured; and a bound, over a
//	           box of inputs, of the distance of each version from real arithmetic
//	           (see [Bound] and package rounding)
//
// The proofs by terms and field execute lifted programs symbolically, by one walk in two domains (see
// symbolic.Domain). Execution shares only the syntax with them. A wrong lift or a wrong row of the op table
// therefore shows as a contradiction.
//
// # Compared results
//
// A single program is compared by every output. A pair is compared by its colours, its depth, its killed
// fragments, and its inputs to fixed function: position, fog and point size. Depth and those inputs have to
// stay the same term under any numerics, because draws that must agree bit for bit break otherwise. Varyings
// are free: an input of the pixel program is the interpolation of the term that the vertex program writes
// under its semantic.
//
// The form check compares the bindings of a program: constant tables, types of samplers, semantics, kinds of
// interpolation, and the models that are drawn together. Preshaders may differ where the framework of an
// effect runs them. Constants are then compared as expressions of parameters (see iface.Layout). Package
// iface states which parts an optimizer may drop or add.
//
// A kernel is compared by its outputs, by its dropped invocations, and by the last state of every memory that
// outlives it. Its depth has to stay the same term, as above. A state is a term that consists of the stores
// and barriers that led to it.
//
// # Memory
//
// Other invocations can see all memories of a kernel except arrays of temporaries. These memories are g[]
// together with the views, which may alias one buffer; each local memory; and the counters. Within such a
// memory, two accesses keep their order unless both are loads, whichever elements they address. Stores keep
// their order even if the kernel does not read them, because another invocation may read the memory between
// them.
//
// Between fences, a load may or may not observe the stores of other invocations. Loads without a store or a
// fence between them may be reordered, shared or repeated. Accesses to different memories are ordered by
// fences alone. Resources and constant buffers are not written during a launch: a host that also binds one as
// a view is in error.
//
// # Loops
//
// Loops of literal trip count are executed trip by trip, unless they are long. A loop that is long in one
// version alone is executed too: instructions that compute more components make a loop shorter. In other
// loops, carried values are assumed to be equal until they differ (see walk.Beliefs). The result is an induction
// over the trips, which needs loops of equal trip count in both versions.
//
// A kernel may have a loop that makes several trips at a time and a remainder loop behind it. Both together
// are shown to do the work of the remainder loop alone (see package walk). This takes a proof that the first loop
// stops in time. Counters are compared, and must not wrap round (see words). Their bounds must be far enough
// from the largest number, by literals and by tests of the kernel itself. Conversions to float and sums of
// floats are taken to be monotonic, but not strictly. Where trip counts follow from literals, one version
// makes as many trips at a time as the other (see package walk). Both methods are tried only where matching loops
// trip by trip fails.
//
// Loops that still do not match are compared for a few trip counts. A program makes that number of trips. In
// a kernel, the constants that decide the count get values and everything else stays symbolic. This proves
// nothing: the verdict is Tested at best.
//
// Every proof includes termination: after ends wherever before ends. A loop of a kernel that ends only by
// breaks needs a trip count that follows from literals. Otherwise before needs a loop with as many trips
// wherever that loop is entered. This holds even if nothing reads its results. Registers count the loops of
// Direct3D, up to 255 trips. After may drop a loop of before, because a launch that does not end has no
// result to keep. After meets barriers under the conditions under which before meets some.
//
// # Order and functions
//
// Where the field proof finds a difference with opaque functions, it tries again with laws of the real numbers (see
// reals, and law_table_test.go for the table). Values get a normal form in which comparisons and roots are
// generators with quadratic equations. This is a decision procedure, not a search: values that are equal by
// those equations have one form, unless a form is given up for its size. The printed probability includes
// look-ups and the degrees that inverses add.
//
// # Verdicts
//
//	proved       the proof by terms succeeds
//	proved-real  the field proof succeeds, with the error probability in the report
//	bounded      the proofs by terms and field found the versions different over the reals, Numerics is
//	             Approx, and the versions are close (see [Bound]): by the rules of the rounding bound
//	             the distance is at most 1/1024 of the largest value of an output, or
//	             of 1, and the roundings of both versions are bounded, over the box
//	tested       neither could judge, or the numerics are Bits and the field proof succeeds; no
//	             execution differs, and executions of kernels would show it if a
//	             statement decided otherwise (see trial.Survivor)
//	refuted      an execution differs, and again when replayed
//	unknown      anything else, also if the budget allowed no execution; never a
//	             success
//
// # Readings taken
//
// Vertex and pixel constants are different unknowns unless an upload equates them. A read of a register that was
// never written is an unknown of its own. Constant subexpressions have their float32 value in the field proof.
// Partial precision may be dropped from each use of a value, but not added or moved. The field proof executes
// both versions once more to check that (see package proof). Constants that the host is known to set are
// literals in both versions. Instructions that look at neighbouring fragments depend on their path condition. A
// relative read stays within the parameter in which it starts by the constant table. Render states that affect
// texture coordinates have their defaults (no wrapping, no point sprites). Colours, and inputs with other
// modifiers, are interpolated by rules of their own. Nothing may move between them and texture coordinates.
//
// Where the field proof takes order and functions into account, a number over the reals is neither infinity nor
// NaN: a < b is the negation of a >= b. Also, x/x and x*(1/x) are 1, and reciprocals, roots and logarithms have
// operands other than 0, since results that pass through infinity are not promised. The result of a comparison
// at equality counts where it matters. For example, x >= 0 and x > 0 are different conditions, but max(x, 0) may
// choose by either. The functions rsq, log and pow take the absolute value of the operand. For literal n, pow(x,
// n) is the product; pow(0, y) is 0 for positive y alone. A literal NaN or infinity is an unknown, and so is a
// pole of a value that is zero for every input: after uses only those that before uses (see infinite.go in
// reals). Results of fetches without implicit level of detail may be chosen before or after the fetch. Other
// fetches, and dsx and dsy, depend on neighbours and stay whole. A fragment is dropped if any of its conditions
// holds.
//
// The conversion of a float to an integer (ftoi, mova) is a function of the bits of the float. Two floats
// that are equal over the reals become the same integer in two cases. Both are computed without rounding, or
// by the same operations on such floats. A float is computed without rounding if bounds of every value on the
// way show it: each is a multiple of q and at most q*2^24. Bounds follow from literals and positions.
//
// In kernels, a register component that was never written holds a word of its own, the same at every read. After
// may assume any value for such a component of before, consistently (see package walk), and has to be right for
// all values of its own. Execution compares results that do not depend on them. The proof by terms folds sums of
// integer literals, and of float literals where nothing is rounded. Shifts, masks, quotients and remainders by
// literals are compared as bits of a word (see words). A resource without normalized coordinates has no levels
// of detail, so samples of it do not depend on neighbours. In the field proof, the bits of a float are a
// function of its real value: both zeros are one, unless they are literals. Words that execution compares have
// no type: it allows a tolerance only where both words look like floats.
package verify
