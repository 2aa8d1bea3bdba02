package spvs

import (
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// domainMode is the last source of ops with a mode for zero (ir.OpDiv and others): the value outside of the domain is
// undefined. AMD IL has the numbers below.
const domainMode = 16

// lanewiseRow describes an instruction that is one ir.Instr on lanes. The table opRules has the inverse of the rows with a
// result.
type lanewiseRow struct {
	op       ir.Op
	operands int
	swap     bool // the operands are exchanged
	negate   int  // the operand that is negated, or -1
	not      bool // the result is negated
	mode     bool // the last source is domainMode
	imm      uint32
	// result and source are the kinds of lanes that emission writes; NoScalar as a source is the kind of the result.
	result, source Scalar
}

// on returns the row with the kinds of lanes for emission.
func (r lanewiseRow) on(result, source Scalar) lanewiseRow {
	r.result, r.source = result, source
	return r
}

func oneArg(op ir.Op) lanewiseRow  { return lanewiseRow{op: op, operands: 1, negate: -1} }
func twoArgs(op ir.Op) lanewiseRow { return lanewiseRow{op: op, operands: 2, negate: -1} }

// swapped, inverted and invertedSwapped are for comparisons that have no op: a > b is b < a, and an unordered a < b is
// not a >= b.
func swapped(op ir.Op) lanewiseRow  { return lanewiseRow{op: op, operands: 2, negate: -1, swap: true} }
func inverted(op ir.Op) lanewiseRow { return lanewiseRow{op: op, operands: 2, negate: -1, not: true} }
func invertedSwapped(op ir.Op) lanewiseRow {
	return lanewiseRow{op: op, operands: 2, negate: -1, swap: true, not: true}
}

// derivative returns the row of a derivative. Imm is 0 for plain, 1 for fine, and 2 for coarse ones.
func derivative(op ir.Op, imm uint32) lanewiseRow {
	return lanewiseRow{op: op, operands: 1, negate: -1, imm: imm}
}

// makeLanewise returns the table lanewise, which is the table of instructions that are one ir.Instr, by opcode.
func makeLanewise() [512]lanewiseRow {
	return [512]lanewiseRow{
		spirv.OpFNegate:         {op: ir.OpMov, operands: 1, negate: 0},
		spirv.OpFAdd:            twoArgs(ir.OpAdd).on(Float, NoScalar),
		spirv.OpFSub:            {op: ir.OpAdd, operands: 2, negate: 1},
		spirv.OpFMul:            twoArgs(ir.OpMulIEEE).on(Float, NoScalar),
		spirv.OpFDiv:            {op: ir.OpDiv, operands: 2, negate: -1, mode: true, result: Float},
		spirv.OpSNegate:         oneArg(ir.OpINeg).on(words, NoScalar),
		spirv.OpIAdd:            twoArgs(ir.OpIAdd).on(words, NoScalar),
		spirv.OpISub:            twoArgs(ir.OpISub).on(words, NoScalar),
		spirv.OpIMul:            twoArgs(ir.OpIMul).on(words, NoScalar),
		spirv.OpUDiv:            twoArgs(ir.OpUDiv).on(Uint, NoScalar),
		spirv.OpUMod:            twoArgs(ir.OpUMod).on(Uint, NoScalar),
		spirv.OpBitwiseAnd:      twoArgs(ir.OpIAnd).on(words, NoScalar),
		spirv.OpBitwiseOr:       twoArgs(ir.OpIOr).on(words, NoScalar),
		spirv.OpBitwiseXor:      twoArgs(ir.OpIXor).on(words, NoScalar),
		spirv.OpNot:             oneArg(ir.OpINot).on(words, NoScalar),
		spirv.OpBitReverse:      oneArg(ir.OpUBitReverse).on(words, NoScalar),
		spirv.OpBitCount:        oneArg(ir.OpICbits).on(words, NoScalar),
		spirv.OpLogicalAnd:      twoArgs(ir.OpIAnd),
		spirv.OpLogicalOr:       twoArgs(ir.OpIOr),
		spirv.OpLogicalNot:      oneArg(ir.OpINot),
		spirv.OpLogicalEqual:    twoArgs(ir.OpIEq),
		spirv.OpLogicalNotEqual: twoArgs(ir.OpIXor),

		spirv.OpIEqual:                 twoArgs(ir.OpIEq).on(Bool, words),
		spirv.OpINotEqual:              twoArgs(ir.OpINe).on(Bool, words),
		spirv.OpSLessThan:              twoArgs(ir.OpILt).on(Bool, Int),
		spirv.OpSGreaterThan:           swapped(ir.OpILt),
		spirv.OpSGreaterThanEqual:      twoArgs(ir.OpIGe).on(Bool, Int),
		spirv.OpSLessThanEqual:         swapped(ir.OpIGe),
		spirv.OpULessThan:              twoArgs(ir.OpULt).on(Bool, Uint),
		spirv.OpUGreaterThan:           swapped(ir.OpULt),
		spirv.OpUGreaterThanEqual:      twoArgs(ir.OpUGe).on(Bool, Uint),
		spirv.OpULessThanEqual:         swapped(ir.OpUGe),
		spirv.OpFOrdEqual:              twoArgs(ir.OpFEq).on(Bool, Float),
		spirv.OpFUnordNotEqual:         twoArgs(ir.OpFNe).on(Bool, Float),
		spirv.OpFOrdLessThan:           twoArgs(ir.OpFLt).on(Bool, Float),
		spirv.OpFOrdGreaterThan:        swapped(ir.OpFLt),
		spirv.OpFOrdGreaterThanEqual:   twoArgs(ir.OpFGe).on(Bool, Float),
		spirv.OpFOrdLessThanEqual:      swapped(ir.OpFGe),
		spirv.OpFUnordLessThan:         inverted(ir.OpFGe),
		spirv.OpFUnordGreaterThan:      invertedSwapped(ir.OpFGe),
		spirv.OpFUnordGreaterThanEqual: inverted(ir.OpFLt),
		spirv.OpFUnordLessThanEqual:    invertedSwapped(ir.OpFLt),

		spirv.OpConvertFToU: oneArg(ir.OpFToU).on(Uint, Float),
		spirv.OpConvertFToS: oneArg(ir.OpFToI).on(Int, Float),
		spirv.OpConvertSToF: oneArg(ir.OpIToF).on(Float, Int),
		spirv.OpConvertUToF: oneArg(ir.OpUToF).on(Float, Uint),

		spirv.OpDPdx:       derivative(ir.OpDsx, 0).on(Float, NoScalar),
		spirv.OpDPdy:       derivative(ir.OpDsy, 0).on(Float, NoScalar),
		spirv.OpDPdxFine:   derivative(ir.OpDsx, 1),
		spirv.OpDPdyFine:   derivative(ir.OpDsy, 1),
		spirv.OpDPdxCoarse: derivative(ir.OpDsx, 2),
		spirv.OpDPdyCoarse: derivative(ir.OpDsy, 2),
	}
}

// makeSupported returns the ops that have an instruction of SPIR-V, or a few: those of opRules, and those that only
// instructions of the input have.
func makeSupported() (ops [ir.NumOps]bool) {
	for op := range opRules {
		ops[op] = true
	}
	for _, op := range []ir.Op{ir.OpF2F16, ir.OpF162F, ir.OpIMulHigh, ir.OpUMulHigh, ir.OpICarry, ir.OpIBorrow,
		ir.OpUBitExtract, ir.OpIBitExtract, ir.OpUBitInsert, ir.OpFfbLo, ir.OpFfbHi, ir.OpFfbShi, ir.OpLoad, ir.OpFetch,
		ir.OpFetchBias, ir.OpFetchLod, ir.OpFetchGrad, ir.OpTexelLoad, ir.OpFetchX, ir.OpMemLoad, ir.OpMemStore,
		ir.OpMemAtomic, ir.OpDiscard, ir.OpLdexp, ir.OpIf, ir.OpLoop, ir.OpBreak} {
		ops[op] = true
	}
	return ops
}
