package spvs

import (
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// opRule says how to write an op that no instruction of the input describes.
type opRule struct {
	op     spirv.Op
	glsl   spirv.GLSL // if op is OpExtInst
	result Scalar
	source Scalar // NoScalar: as the result
	arity  int    // operands that are written, 0 for all
	order  []int  // of the operands, if it is another
	whole  bool   // operands and results have three lanes, whichever are needed
}

// words marks operands and results of any kind of words, which the values themselves decide.
const words = Bool + 1

func onFloats(op spirv.GLSL) opRule { return opRule{op: spirv.OpExtInst, glsl: op, result: Float} }
func floats(op spirv.Op) opRule     { return opRule{op: op, result: Float} }
func compares(op spirv.Op, source Scalar) opRule {
	return opRule{op: op, result: Bool, source: source}
}
func integers(op spirv.Op, k Scalar) opRule { return opRule{op: op, result: k} }

// makeOpRules returns the table opRules, which are the ops that passes may make. The ops of Direct3D 9 have none.
func makeOpRules() map[ir.Op]opRule {
	return map[ir.Op]opRule{
		ir.OpAdd: floats(spirv.OpFAdd), ir.OpMulIEEE: floats(spirv.OpFMul),
		ir.OpDiv:     {op: spirv.OpFDiv, result: Float, arity: 2},
		ir.OpDp2IEEE: floats(spirv.OpDot), ir.OpDp3IEEE: floats(spirv.OpDot), ir.OpDp4IEEE: floats(spirv.OpDot),
		ir.OpFma: onFloats(spirv.GLSLFma), ir.OpMadIEEE: onFloats(spirv.GLSLFma),
		ir.OpMinIEEE: onFloats(spirv.GLSLFMin), ir.OpMaxIEEE: onFloats(spirv.GLSLFMax),
		ir.OpMin: onFloats(spirv.GLSLNMin), ir.OpMax: onFloats(spirv.GLSLNMax), ir.OpClamp: onFloats(spirv.GLSLFClamp),
		ir.OpFloor: onFloats(spirv.GLSLFloor), ir.OpCeil: onFloats(spirv.GLSLCeil), ir.OpTrunc: onFloats(spirv.GLSLTrunc),
		ir.OpRndne: onFloats(spirv.GLSLRoundEven), ir.OpFrc: onFloats(spirv.GLSLFract), ir.OpAbs: onFloats(spirv.GLSLFAbs),
		ir.OpSgn: onFloats(spirv.GLSLFSign), ir.OpSqrt: onFloats(spirv.GLSLSqrt),
		ir.OpRcpZ:   floats(spirv.OpFDiv),
		ir.OpRsqZ:   {op: spirv.OpExtInst, glsl: spirv.GLSLInverseSqrt, result: Float, arity: 1},
		ir.OpExpVec: onFloats(spirv.GLSLExp2), ir.OpExp: onFloats(spirv.GLSLExp2),
		ir.OpLogZ: {op: spirv.OpExtInst, glsl: spirv.GLSLLog2, result: Float, arity: 1},
		ir.OpLnZ:  {op: spirv.OpExtInst, glsl: spirv.GLSLLog, result: Float, arity: 1},
		ir.OpPow:  onFloats(spirv.GLSLPow), ir.OpSin: onFloats(spirv.GLSLSin), ir.OpCos: onFloats(spirv.GLSLCos),
		ir.OpTan: onFloats(spirv.GLSLTan), ir.OpAsin: onFloats(spirv.GLSLAsin), ir.OpAcos: onFloats(spirv.GLSLAcos),
		ir.OpAtan: onFloats(spirv.GLSLAtan), ir.OpAtan2: onFloats(spirv.GLSLAtan2), ir.OpRound: onFloats(spirv.GLSLRound),

		ir.OpFEq: compares(spirv.OpFOrdEqual, Float), ir.OpFNe: compares(spirv.OpFUnordNotEqual, Float),
		ir.OpFLt: compares(spirv.OpFOrdLessThan, Float), ir.OpFGe: compares(spirv.OpFOrdGreaterThanEqual, Float),
		ir.OpIEq: compares(spirv.OpIEqual, words), ir.OpINe: compares(spirv.OpINotEqual, words),
		ir.OpILt: compares(spirv.OpSLessThan, Int), ir.OpIGe: compares(spirv.OpSGreaterThanEqual, Int),
		ir.OpULt: compares(spirv.OpULessThan, Uint), ir.OpUGe: compares(spirv.OpUGreaterThanEqual, Uint),

		ir.OpFToI: {op: spirv.OpConvertFToS, result: Int, source: Float},
		ir.OpFToU: {op: spirv.OpConvertFToU, result: Uint, source: Float},
		ir.OpIToF: {op: spirv.OpConvertSToF, result: Float, source: Int},
		ir.OpUToF: {op: spirv.OpConvertUToF, result: Float, source: Uint},

		ir.OpIAdd: integers(spirv.OpIAdd, words), ir.OpISub: integers(spirv.OpISub, words),
		ir.OpINeg: integers(spirv.OpSNegate, words), ir.OpIMul: integers(spirv.OpIMul, words),
		ir.OpIMin: integers(spirv.OpExtInst, Int), ir.OpIMax: integers(spirv.OpExtInst, Int),
		ir.OpUMin: integers(spirv.OpExtInst, Uint), ir.OpUMax: integers(spirv.OpExtInst, Uint),
		ir.OpUDiv: integers(spirv.OpUDiv, Uint), ir.OpUMod: integers(spirv.OpUMod, Uint),
		ir.OpINot: integers(spirv.OpNot, words), ir.OpIAnd: integers(spirv.OpBitwiseAnd, words),
		ir.OpIOr: integers(spirv.OpBitwiseOr, words), ir.OpIXor: integers(spirv.OpBitwiseXor, words),
		ir.OpIShl: integers(spirv.OpShiftLeftLogical, words), ir.OpIShr: integers(spirv.OpShiftRightArithmetic, Int),
		ir.OpUShr: integers(spirv.OpShiftRightLogical, Uint), ir.OpUBitReverse: integers(spirv.OpBitReverse, words),
		ir.OpICbits: integers(spirv.OpBitCount, words),

		ir.OpMov: integers(spirv.OpCopyObject, words), ir.OpSel: integers(spirv.OpSelect, words),
		ir.OpSge: {op: spirv.OpExtInst, glsl: spirv.GLSLStep, result: Float, order: []int{1, 0}},
		ir.OpLrp: {op: spirv.OpExtInst, glsl: spirv.GLSLFMix, result: Float, order: []int{2, 1, 0}},
		ir.OpLen: onFloats(spirv.GLSLLength), ir.OpDist: onFloats(spirv.GLSLDistance),
		ir.OpNrmZ:    {op: spirv.OpExtInst, glsl: spirv.GLSLNormalize, result: Float, arity: 1, whole: true},
		ir.OpReflect: {op: spirv.OpExtInst, glsl: spirv.GLSLReflect, result: Float, whole: true},
		ir.OpCrs:     {op: spirv.OpExtInst, glsl: spirv.GLSLCross, result: Float, whole: true},
		ir.OpDsx:     floats(spirv.OpDPdx), ir.OpDsy: floats(spirv.OpDPdy),
	}
}

// makeMinima returns the table minima, which are the instructions of GLSL.std.450 for integers.
func makeMinima() map[ir.Op]spirv.GLSL {
	return map[ir.Op]spirv.GLSL{ir.OpIMin: spirv.GLSLSMin, ir.OpIMax: spirv.GLSLSMax, ir.OpUMin: spirv.GLSLUMin,
		ir.OpUMax: spirv.GLSLUMax}
}

// makeLogical returns the table logical, which are the opcodes for operands that are all boolean.
func makeLogical() map[ir.Op]spirv.Op {
	return map[ir.Op]spirv.Op{ir.OpIAnd: spirv.OpLogicalAnd, ir.OpIOr: spirv.OpLogicalOr,
		ir.OpIXor: spirv.OpLogicalNotEqual, ir.OpINot: spirv.OpLogicalNot, ir.OpIEq: spirv.OpLogicalEqual,
		ir.OpINe: spirv.OpLogicalNotEqual}
}
