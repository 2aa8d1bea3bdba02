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
// trials, which the cost model of the target decides.
package combine
