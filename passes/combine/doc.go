// Package combine is the pass that replaces small groups of instructions by
// fewer ones: peephole optimization over dataflow instead of program text.
//
// Every rule looks at one instruction and what computes its operands, and applies
// only where that saves slots: what it looks through must have no other reader,
// so that it dies. What pays follows from the slot costs of the models, which the
// dialect states. Forms of equal cost are left alone, since each rewrite loses
// the spelling of the input for nothing: a*(b-c)+c and lrp take two slots each,
// dp3, rsq and mul as much as nrm, log, mul and exp as much as pow, two mads as
// much as dp2add, mul and mad as much as crs, x+x as much as x*2, and
// a*b - a*c as much as a*(b-c) once the former has become mul and mad; of kernels,
// imad as much as imul and iadd, and a dot product of four terms as much as the four
// products and sums.
//
// The rules are rows ([github.com/shaderlift/shaderlift/passes/internal/rules] has their
// language): those about numbers in floats.go, those about words in words.go. A test proves
// each in programs made from its pattern, so that adding a rule is adding a row. What is none
// is code, a file each: sums of many products, and what looks at a whole loop or block.
//
// What pays on a VLIW5 chip is not told by the number of operations alone: some go into
// one slot only, and a chain of them waits longer than it is long. Rules about such are
//
// It is instruction combining in the sense of LLVM's InstCombine, except that every
// rule has to save slots.
//
// # Why the rules are right
//
// Rules of class bits keep the float32 result on every input; rules about words are
// identities modulo 2^32. Rules of class real are identities of the real numbers at
// every point where both sides are defined, and agree in the limits at poles that the
// models define (rcp 0 is infinite). Rounding may differ; how far is for
// verify/rounding to say. Rows marked Tested are identities that the algebra of the
// verifier cannot see (they rest on ranges or on functions of functions); they apply
// only on request.
//
//	mul r0, r1, c0            mad r0, r1, c0, c1
//	add r0, r0, c1
//
//	dp3 r0.x, r1, c0          dp4 r0.x, r1, c3     with c3 = (c0.x, c0.y, c0.z, 1)
//	add r0.x, r0.x, r1.w
//
// trials, which the cost model of the target decides.
package combine
