package spvs

import (
	"maps"

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

// makeOpRules returns the table opRules, which are the ops that passes may make. The ops of Direct3D 9 have none. Most are
// the inverse of rows of the lift.
func makeOpRules() map[ir.Op]opRule {
	onFloats := func(op spirv.GLSL) opRule { return opRule{op: spirv.OpExtInst, glsl: op, result: Float} }
	whole := func(op spirv.GLSL) opRule { return opRule{op: spirv.OpExtInst, glsl: op, result: Float, whole: true} }
	rules := map[ir.Op]opRule{}
	add := func(row *lanewiseRow, r opRule) {
		r.result, r.source = row.result, row.source
		if row.mode {
			r.arity = row.operands
		}
		if row.swap {
			r.order = []int{1, 0}
		}
		if row.result != NoScalar {
			rules[row.op] = r
		}
	}
	for op := range lanewise {
		add(&lanewise[op], opRule{op: spirv.Op(op)})
	}
	for op := range glslLanewise {
		add(&glslLanewise[op], opRule{op: spirv.OpExtInst, glsl: spirv.GLSL(op)})
	}
	maps.Copy(rules, map[ir.Op]opRule{
		ir.OpDp2IEEE: {op: spirv.OpDot, result: Float}, ir.OpDp3IEEE: {op: spirv.OpDot, result: Float},
		ir.OpDp4IEEE: {op: spirv.OpDot, result: Float}, ir.OpRcpZ: {op: spirv.OpFDiv, result: Float},
		ir.OpIShl: {op: spirv.OpShiftLeftLogical, result: words}, ir.OpIShr: {op: spirv.OpShiftRightArithmetic, result: Int},
		ir.OpUShr: {op: spirv.OpShiftRightLogical, result: Uint},
		ir.OpMov:  {op: spirv.OpCopyObject, result: words}, ir.OpSel: {op: spirv.OpSelect, result: words},
		ir.OpLrp: {op: spirv.OpExtInst, glsl: spirv.GLSLFMix, result: Float, order: []int{2, 1, 0}},
		ir.OpFma: onFloats(spirv.GLSLFma), ir.OpLen: onFloats(spirv.GLSLLength), ir.OpDist: onFloats(spirv.GLSLDistance),
		ir.OpNrmZ:    {op: spirv.OpExtInst, glsl: spirv.GLSLNormalize, result: Float, arity: 1, whole: true},
		ir.OpReflect: whole(spirv.GLSLReflect), ir.OpCrs: whole(spirv.GLSLCross),
	})
	return rules
}

// makeLogical returns the table logical, which are the opcodes for operands that are all boolean.
func makeLogical() map[ir.Op]spirv.Op {
	return map[ir.Op]spirv.Op{ir.OpIAnd: spirv.OpLogicalAnd, ir.OpIOr: spirv.OpLogicalOr,
		ir.OpIXor: spirv.OpLogicalNotEqual, ir.OpINot: spirv.OpLogicalNot, ir.OpIEq: spirv.OpLogicalEqual,
		ir.OpINe: spirv.OpLogicalNotEqual}
}
