// Package combine replaces small groups of instructions by fewer ones: peephole optimization over dataflow
// instead of program text.
//
// Every rule looks at one instruction and the definitions of its operands, and applies only where that saves
// slots. Inner instructions must have no other reader, so that they die. The savings follow from the slot
// costs of the models, which the dialect states. Forms of equal cost are left alone, since a rewrite would
// lose the input's spelling for nothing:
//
//   - a*(b-c)+c and lrp take two slots each;
//   - dp3, rsq and mul cost as much as nrm; log, mul and exp as much as pow;
//   - two mads cost as much as dp2add; mul and mad as much as crs; x+x as much as x*2;
//   - a*b - a*c costs as much as a*(b-c) once it has become mul and mad;
//   - in kernels, imad costs as much as imul and iadd, and a dot product of four terms as much as the four
//     products and sums.
//
// The rules are rows ([github.com/shaderlift/shaderlift/passes/internal/rules] defines their language): rules
// about numbers in floats.go, rules about words in words.go. A test proves each row in programs made from its
// pattern, so adding a rule is adding a row. Other rewrites are code, in a file each: sums of many products,
// and rewrites of a whole loop or block.
//
// The number of operations alone does not determine the cost on a VLIW5 chip: some operations need a
// particular slot, and a chain has latency. Rules that depend on this are trials, which the cost model of the
// target decides.
//
// It is instruction combining in the sense of LLVM's InstCombine, except that every rule has to save slots.
//
// # Why the rules are right
//
// Rules of class Bits keep the float32 result on every input; rules about words are identities modulo 2^32.
// Rules of class Real are identities of the real numbers at every point where both sides are defined. They
// agree in the limits at poles that the models define (rcp 0 is infinite). Rounding may differ;
// verify/rounding bounds the difference.
//
//	mul r0, r1, c0            mad r0, r1, c0, c1
//	add r0, r0, c1
//
//	dp3 r0.x, r1, c0          dp4 r0.x, r1, c3     with c3 = (c0.x, c0.y, c0.z, 1)
//	add r0.x, r0.x, r1.w
package combine
