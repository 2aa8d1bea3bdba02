package spvs

import (
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// domainMode is the last source of ops with a mode for zero (ir.OpDiv and others): the value outside of the domain is
// undefined. AMD IL has the numbers below.
const domainMode = 16

// lanewiseRow describes an instruction that is one ir.Instr on lanes.
type lanewiseRow struct {
	op       ir.Op
	operands int
	swap     bool // the operands are exchanged
	negate   int  // the operand that is negated, or -1
	not      bool // the result is negated
	mode     bool // the last source is domainMode
	imm      uint32
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
		spirv.OpFAdd:            twoArgs(ir.OpAdd),
		spirv.OpFSub:            {op: ir.OpAdd, operands: 2, negate: 1},
		spirv.OpFMul:            twoArgs(ir.OpMulIEEE),
		spirv.OpFDiv:            {op: ir.OpDiv, operands: 2, negate: -1, mode: true},
		spirv.OpSNegate:         oneArg(ir.OpINeg),
		spirv.OpIAdd:            twoArgs(ir.OpIAdd),
		spirv.OpISub:            twoArgs(ir.OpISub),
		spirv.OpIMul:            twoArgs(ir.OpIMul),
		spirv.OpUDiv:            twoArgs(ir.OpUDiv),
		spirv.OpUMod:            twoArgs(ir.OpUMod),
		spirv.OpBitwiseAnd:      twoArgs(ir.OpIAnd),
		spirv.OpBitwiseOr:       twoArgs(ir.OpIOr),
		spirv.OpBitwiseXor:      twoArgs(ir.OpIXor),
		spirv.OpNot:             oneArg(ir.OpINot),
		spirv.OpBitReverse:      oneArg(ir.OpUBitReverse),
		spirv.OpBitCount:        oneArg(ir.OpICbits),
		spirv.OpLogicalAnd:      twoArgs(ir.OpIAnd),
		spirv.OpLogicalOr:       twoArgs(ir.OpIOr),
		spirv.OpLogicalNot:      oneArg(ir.OpINot),
		spirv.OpLogicalEqual:    twoArgs(ir.OpIEq),
		spirv.OpLogicalNotEqual: twoArgs(ir.OpIXor),

		spirv.OpIEqual:                 twoArgs(ir.OpIEq),
		spirv.OpINotEqual:              twoArgs(ir.OpINe),
		spirv.OpSLessThan:              twoArgs(ir.OpILt),
		spirv.OpSGreaterThan:           swapped(ir.OpILt),
		spirv.OpSGreaterThanEqual:      twoArgs(ir.OpIGe),
		spirv.OpSLessThanEqual:         swapped(ir.OpIGe),
		spirv.OpULessThan:              twoArgs(ir.OpULt),
		spirv.OpUGreaterThan:           swapped(ir.OpULt),
		spirv.OpUGreaterThanEqual:      twoArgs(ir.OpUGe),
		spirv.OpULessThanEqual:         swapped(ir.OpUGe),
		spirv.OpFOrdEqual:              twoArgs(ir.OpFEq),
		spirv.OpFUnordNotEqual:         twoArgs(ir.OpFNe),
		spirv.OpFOrdLessThan:           twoArgs(ir.OpFLt),
		spirv.OpFOrdGreaterThan:        swapped(ir.OpFLt),
		spirv.OpFOrdGreaterThanEqual:   twoArgs(ir.OpFGe),
		spirv.OpFOrdLessThanEqual:      swapped(ir.OpFGe),
		spirv.OpFUnordLessThan:         inverted(ir.OpFGe),
		spirv.OpFUnordGreaterThan:      invertedSwapped(ir.OpFGe),
		spirv.OpFUnordGreaterThanEqual: inverted(ir.OpFLt),
		spirv.OpFUnordLessThanEqual:    invertedSwapped(ir.OpFLt),

		spirv.OpConvertFToU: oneArg(ir.OpFToU),
		spirv.OpConvertFToS: oneArg(ir.OpFToI),
		spirv.OpConvertSToF: oneArg(ir.OpIToF),
		spirv.OpConvertUToF: oneArg(ir.OpUToF),

		spirv.OpDPdx:       derivative(ir.OpDsx, 0),
		spirv.OpDPdy:       derivative(ir.OpDsy, 0),
		spirv.OpDPdxFine:   derivative(ir.OpDsx, 1),
		spirv.OpDPdyFine:   derivative(ir.OpDsy, 1),
		spirv.OpDPdxCoarse: derivative(ir.OpDsx, 2),
		spirv.OpDPdyCoarse: derivative(ir.OpDsy, 2),
	}
}

// supported are the ops that have an instruction of SPIR-V, or a few.
var supported = [ir.NumOps]bool{ir.OpMov: true, ir.OpAdd: true, ir.OpMulIEEE: true, ir.OpMadIEEE: true,
	ir.OpDp2IEEE: true, ir.OpDp3IEEE: true, ir.OpDp4IEEE: true, ir.OpMinIEEE: true, ir.OpMaxIEEE: true, ir.OpMin: true,
	ir.OpMax: true, ir.OpClamp: true, ir.OpFloor: true, ir.OpCeil: true, ir.OpTrunc: true, ir.OpRndne: true,
	ir.OpFrc: true, ir.OpAbs: true, ir.OpSgn: true, ir.OpSge: true, ir.OpLrp: true, ir.OpDiv: true, ir.OpRcpZ: true,
	ir.OpRsqZ: true, ir.OpLogZ: true, ir.OpLnZ: true, ir.OpNrmZ: true, ir.OpSqrt: true, ir.OpExpVec: true,
	ir.OpSin: true,
	ir.OpCos: true, ir.OpTan: true, ir.OpAsin: true, ir.OpAcos: true, ir.OpAtan: true, ir.OpLen: true, ir.OpDist: true,
	ir.OpReflect: true, ir.OpCrs: true, ir.OpFma: true, ir.OpDsx: true, ir.OpDsy: true, ir.OpFEq: true, ir.OpFNe: true,
	ir.OpFLt: true, ir.OpFGe: true, ir.OpSel: true, ir.OpFToI: true, ir.OpFToU: true, ir.OpIToF: true, ir.OpUToF: true,
	ir.OpF2F16: true, ir.OpF162F: true, ir.OpIAdd: true, ir.OpISub: true, ir.OpINeg: true, ir.OpIMul: true,
	ir.OpIMulHigh: true, ir.OpUMulHigh: true, ir.OpIMin: true, ir.OpIMax: true, ir.OpUMin: true, ir.OpUMax: true,
	ir.OpUDiv: true, ir.OpUMod: true, ir.OpICarry: true, ir.OpIBorrow: true, ir.OpIEq: true, ir.OpINe: true,
	ir.OpILt: true, ir.OpIGe: true, ir.OpULt: true, ir.OpUGe: true, ir.OpINot: true, ir.OpIAnd: true, ir.OpIOr: true,
	ir.OpIXor: true, ir.OpIShl: true, ir.OpIShr: true, ir.OpUShr: true, ir.OpUBitExtract: true, ir.OpIBitExtract: true,
	ir.OpUBitInsert: true, ir.OpUBitReverse: true, ir.OpICbits: true, ir.OpFfbLo: true, ir.OpFfbHi: true,
	ir.OpFfbShi: true, ir.OpLoad: true, ir.OpFetch: true, ir.OpFetchBias: true, ir.OpFetchLod: true,
	ir.OpFetchGrad: true,
	ir.OpTexelLoad: true, ir.OpFetchX: true, ir.OpMemLoad: true, ir.OpMemStore: true, ir.OpMemAtomic: true,
	ir.OpDiscard: true, ir.OpAtan2: true, ir.OpRound: true, ir.OpLdexp: true, ir.OpIf: true, ir.OpLoop: true, ir.OpBreak: true}
