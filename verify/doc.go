// Package verify decides whether an optimised program, a pair of a vertex and a pixel
// program, or a kernel may take the place of the original. It judges the concrete
// programs, read back from their own spelling, on the rungs of a ladder:
//
//	R0 form    after obeys its shader model, reads back as the same statements,
//	           lifts to the same structure, and has the interface of before
//	R1 terms   both sides are built into one hash-consed DAG in which operations are
//	           names; equal outputs are equal for every input under any numerics
//	R2 run     the interpreter executes both sides, drawing whole triangles or
//	           launching the kernel over a small domain
//	R3 field   both sides are evaluated modulo two primes at a random point of a
//	           random triangle; equal outputs are equal over the reals, but for a
//	           stated error probability
//	R4 rounding
//	           the distance of the results met by R2, measured; and how far either
//	           side can be from real arithmetic, bounded over a box of inputs (see
//	           [Bound] and package rounding)
//
// R1 and R3 execute lifted programs symbolically, by the same walk in two domains
// (see symbolic.Domain); R2 shares nothing with them but the syntax, so that a wrong lift or
// a wrong row of the op table shows as a contradiction.
//
// # What is compared
//
// Of a lone program every output; of a pair the colours, the depth, which fragments
// are killed, and what reaches fixed function: position, fog and point size. Those
// and the depth have to stay the same term whatever numerics are admitted, because
// draws that must agree bit for bit break otherwise. Varyings are free: an input of
// the pixel program is the interpolation of the term that the vertex program writes
// under its semantic, whichever that is.
//
// Rung 0 compares what says how a program is bound to its surroundings: constant tables,
// types of samplers, semantics and kinds of interpolation, the models that are drawn
// together. Preshaders may differ where the framework of an effect runs them: then constants
// are compared as expressions of parameters (see framework). What an optimizer may drop or
// add there is stated with sameInterfaces and sameTables.
//
// Of a kernel the outputs, the depth among them as above, which invocations are dropped,
// and the last state of every memory that outlives it: a state is a term made of the
// stores and barriers that led to it.
//
// # Memory
//
// Of a kernel's memories other invocations may see all but arrays of temporaries: g[] and
// the views, which may be of one buffer and so are one memory; each local memory; the
// counters. Accesses of which one is not a load keep their order within such a memory,
// whatever elements they go to, and so do stores that nothing in the kernel reads: what
// another invocation finds between them is part of what the kernel does. Between fences a
// load finds what others have stored before, or not: loads without a store or a fence
// between them may change places, be shared or be repeated. Accesses to different memories
// have no order but that of fences, which order all. Resources, constant buffers among
// them, are not written to during a launch: to have one bound as a view as well is an
// error of the host.
//
// # Loops
//
// Loops of literal trip count are executed trip by trip, as long as they are not long, or
// long on one side alone: a version whose instructions compute more components each is
// shorter. Of others the carried values
// are assumed to be equal until they are seen to part ways (see beliefs): what is left is
// an induction over the trips. It takes loops on both sides that make as many.
//
// Of a kernel a loop that makes several trips at a time, and behind it the loop for the
// trips that are left, is shown to do what the latter does alone (see prober), which
// takes a proof that it stops in time: counters are compared, and must not wrap round (see
// order): not beyond a bound that is far enough from the end of the numbers, as literals
// and what the kernel tests itself say; conversions to floats and sums of floats are taken
// to be monotonic, not strictly so. Where trip counts follow from literals a side makes as
// many trips at a time as the other (see schedule). Both are tried only where matching loops
// trip by trip does not do.
//
// Where loops do not match nevertheless, they are compared for a few trip counts: of a
// program by making so many trips; of a kernel by giving the constants that decide
// values, all else staying symbolic. That alone is no proof: the verdict is tested at best.
//
// After has to end wherever before does, and that is part of every proof: a loop of a kernel
// that only breaks end needs one of before that makes as many trips wherever it is entered,
// or a number of trips that follows from literals, whether or not anything reads what it
// computes. Registers count the loops of Direct3D, up to 255 trips. A loop that before has
// and after has not may go: a launch that does not end has no result to be kept. Barriers are
// met under the conditions under which before has some.
//
// # Order and functions
//
// Where rung 3 finds a difference with opaque functions, it is tried again with what is
// known of real numbers (see reals, and package laws for the table of laws): values are
// brought into a normal form in which comparisons and roots are generators with quadratic
// equations. That is decision and no search: what is equal by those equations has one
// form, as far as forms are not given up for their size. What is looked up, and what
// inverses add to degrees, is part of the printed probability.
//
// # Verdicts
//
//	proved       R1 holds
//	proved-real  R3 holds, with the error probability in the report
//	bounded      R1 and R3 found the versions different over the reals, approx is
//	             asked for, and they are near each other (see [Bound]): apart by at
//	             most 1/1024 of what an output can be, or of 1, by the rules of R4, and
//	             both sides have bounds of their roundings. It holds over the box
//	tested       neither could judge, or the class asked for is bits and R3
//	             holds; no execution differs, and of kernels they would if a
//	             statement decided otherwise (see inadequacy)
//	refuted      an execution differs, and again when replayed
//	unknown      anything else, and what could not be executed within the budget; never a
//	             success
//
// # Readings taken
//
// Vertex and pixel constants are different unknowns unless an upload equates them. A
// read of a register that was never written is an unknown of its own. Constant
// subexpressions have their float32 value in R3. Partial precision may be dropped, of
// each use of a value, but not added or moved; rung 3 executes both sides once more for that
// (see addsPartialPrecision). Constants that the host is known to set are literals to both sides.
// Instructions that look at neighbouring fragments depend on the conditions they run
// under. A relative read stays within the parameter that the constant table says it
// starts in. Render states are the default ones as far as they meddle with texture
// coordinates (no wrapping, no point sprites); colours, and inputs with other
// modifiers, are interpolated by rules of their own, and nothing may move between them
// and texture coordinates.
//
// Over the reals, where R3 takes order and functions into account, a number is none of
// infinity and NaN: a < b is the negation of a >= b; x/x and x*(1/x) are 1, and reciprocals,
// roots and logarithms are those of x other than 0, since results that go through infinity
// are not promised. What a comparison gives at equality counts where it matters: x >= 0 and
// x > 0 are different conditions, but max(x, 0) may choose by either. rsq, log and pow are
// of the operand's size, and pow(x, n) for literal n is the product; pow(0, y) is 0 for
// positive y alone. A literal NaN or infinity is an unknown, and so is a pole of what is zero
// for every input: after does arithmetic with no other ones than before (see infinities).
// What fetches without implicit level of detail return may be chosen before or after; other
// fetches, and dsx and dsy, depend on neighbours and are not taken apart. A fragment is
// dropped if any of the conditions for it holds.
//
// Of kernels: a register component that was never written holds a word of its own, the same
// wherever it is read. After may take one of before to be anything, consistently (see reading),
// and has to be right whatever its own hold; what R2 compares does not depend on them. Sums of
// integer literals, and of float literals where nothing is rounded, are literals in R1. Shifts,
// masks, quotients and remainders by literals are compared as bits of a word (see words). A
// resource without normalised coordinates has no levels of detail, so that samples of it do
// not depend on neighbours. In R3 the bits of a float are a function of its real value:
// zeros of either sign are one, unless they are literals. What R2 compares has no type: with a
// tolerance only where both words look like floats.
package verify
