// Package verify decides whether an optimised program, or a pair of a vertex and a
// pixel program, may take the place of the original. It judges the concrete
// programs, read back from their own spelling, on the rungs of a ladder:
//
//	R0 form    after obeys its shader model, reads back as the same statements,
//	           and lifts to the same structure
//	R1 terms   both sides are built into one hash-consed DAG in which operations are
//	           names; equal outputs are equal for every input under any numerics
//	R2 run     the interpreter executes both sides, drawing whole triangles
//	R3 field   both sides are evaluated modulo 2^61-1 at a random point of a random
//	           triangle; equal outputs are equal over the reals, but for a stated
//	           error probability
//	R4 ulp     the distance of the results met by R2, measured
//
// R1 and R3 execute lifted programs symbolically, by the same walk in two domains
// (see domain); R2 shares nothing with them but the syntax, so that a wrong lift or
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
// # Verdicts
//
//	proved       R1 holds
//	proved-real  R3 holds, with the error probability in the report
//	tested       neither could judge, or the class asked for is bits and R3
//	             holds; no execution differs
//	refuted      an execution differs, and again when replayed
//	unknown      anything else; never a success
//
// # Readings taken
//
// Vertex and pixel constants are different unknowns unless an upload equates them.
// A read of a register that was never written is an unknown of its own. Constant
// subexpressions have their float32 value in R3. Partial precision may be dropped
// but not added. Instructions that look at neighbouring fragments depend on the
// conditions they run under. A relative read stays within the parameter that the
// constant table says it starts in. Render states are the default ones as far as
// they meddle with texture coordinates (no wrapping, no point sprites); colours,
// and inputs with other modifiers, are interpolated by rules of their own, and
// nothing may move between them and texture coordinates.
package verify
