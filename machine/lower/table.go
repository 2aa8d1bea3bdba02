package lower

import (
	"sync"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// lowering is how an op becomes hardware operations: one lane at a time, from that lane
// of each source (the first where all lanes are the same), or as a whole.
type lowering struct {
	each  func(l *lowerer, s [4]mir.Arg) mir.Arg
	whole func(l *lowerer, in *ir.Instr)
	from  source
	folds bool // on literals the compiler computes it
}

// source is where a row's sequence is from.
type source uint8

const (
	unknown    source = iota
	documented        // the operation of the instruction set with that meaning, or the reference
	drivers           // the sequence open drivers of these chips use
	assumed           // a plausible sequence: AMD's own is not known
)

// direct is the row of an op that is one operation, with the sources in the given order as its
// operands.
func direct(op r600.Op, order ...int) lowering {
	return lowering{from: documented, each: func(l *lowerer, s [4]mir.Arg) mir.Arg {
		var args [3]mir.Arg
		for i, k := range order {
			args[i] = s[k]
		}
		return l.op(op, args[:len(order)]...)
	}}
}

// exact marks a row that is folded on literals: the IR's evaluation gives the very bits of the
// hardware.
func exact(r lowering) lowering {
	r.folds = true
	return r
}

func each(from source, f func(l *lowerer, s [4]mir.Arg) mir.Arg) lowering {
	return lowering{each: f, from: from}
}

func whole(from source, f func(l *lowerer, in *ir.Instr)) lowering {
	return lowering{whole: f, from: from}
}

// lowerTable is what every op of AMD IL becomes, once it is filled; rowOf reads it.
// Only rows of ops that AMD IL has are filled; another op is a diagnostic.
var (
	lowerTable [ir.NumOps]lowering
	filled     sync.Once
)

// rowOf is the row of op. The first call fills the table: rows and the table refer to each other,
// and who lowers nothing does not need it.
func rowOf(op ir.Op) *lowering {
	filled.Do(fill)
	return &lowerTable[op]
}

func fill() {
	lowerTable = [ir.NumOps]lowering{
		ir.OpMov:     exact(each(documented, func(_ *lowerer, s [4]mir.Arg) mir.Arg { return s[0] })),
		ir.OpAdd:     exact(direct(r600.OpAdd, 0, 1)),
		ir.OpMul:     exact(direct(r600.OpMul, 0, 1)),
		ir.OpMulIEEE: exact(direct(r600.OpMulIEEE, 0, 1)),
		ir.OpMad:     exact(direct(r600.OpMulAdd, 0, 1, 2)),
		ir.OpMadIEEE: exact(direct(r600.OpMulAddIEEE, 0, 1, 2)),
		ir.OpFma:     exact(each(assumed, fusedMultiplyAdd)),
		ir.OpMin:     exact(direct(r600.OpMin, 0, 1)),
		ir.OpMax:     exact(direct(r600.OpMax, 0, 1)),
		ir.OpMinIEEE: exact(direct(r600.OpMinDX10, 0, 1)),
		ir.OpMaxIEEE: exact(direct(r600.OpMaxDX10, 0, 1)),
		ir.OpAbs:     exact(each(documented, func(_ *lowerer, s [4]mir.Arg) mir.Arg { return withMods(s[0], ir.Abs) })),
		ir.OpFrc:     exact(direct(r600.OpFract, 0)),
		ir.OpFloor:   exact(direct(r600.OpFloor, 0)),
		ir.OpCeil:    exact(direct(r600.OpCeil, 0)),
		ir.OpTrunc:   exact(direct(r600.OpTrunc, 0)),
		ir.OpRndne:   exact(direct(r600.OpRndNE, 0)),
		ir.OpMod:     each(assumed, floatModulo),
		ir.OpClamp:   each(assumed, clamped),
		ir.OpSgn:     exact(each(assumed, sign)),
		ir.OpLrp:     each(drivers, interpolated),

		ir.OpDp2:        whole(documented, dot(r600.OpDot4, 2)),
		ir.OpDp3:        whole(documented, dot(r600.OpDot4, 3)),
		ir.OpDp4:        whole(documented, dot(r600.OpDot4, 4)),
		ir.OpDp2IEEE:    whole(documented, dot(r600.OpDot4IEEE, 2)),
		ir.OpDp3IEEE:    whole(documented, dot(r600.OpDot4IEEE, 3)),
		ir.OpDp4IEEE:    whole(documented, dot(r600.OpDot4IEEE, 4)),
		ir.OpDp2Add:     whole(drivers, dotAdd(r600.OpDot4)),
		ir.OpDp2AddIEEE: whole(drivers, dotAdd(r600.OpDot4IEEE)),
		ir.OpLen:        whole(assumed, length),
		ir.OpDist:       whole(assumed, distance),
		ir.OpNrmZ:       whole(drivers, normal),
		ir.OpReflect:    whole(assumed, reflection),

		ir.OpRcpZ:   each(documented, func(l *lowerer, s [4]mir.Arg) mir.Arg { return l.op(recips[zeroMode(s[1])], s[0]) }),
		ir.OpRsqZ:   each(documented, func(l *lowerer, s [4]mir.Arg) mir.Arg { return l.op(recipSqrts[zeroMode(s[1])], s[0]) }),
		ir.OpDiv:    each(assumed, quotient),
		ir.OpSqrt:   direct(r600.OpSqrtIEEE, 0),
		ir.OpExpVec: direct(r600.OpExpIEEE, 0),
		ir.OpLogZ:   each(documented, logarithm),
		ir.OpLnZ:    each(assumed, naturalLog),
		ir.OpPow:    each(drivers, power),
		ir.OpSin:    each(drivers, func(l *lowerer, s [4]mir.Arg) mir.Arg { return l.op(r600.OpSin, l.turned(s[0])) }),
		ir.OpCos:    each(drivers, func(l *lowerer, s [4]mir.Arg) mir.Arg { return l.op(r600.OpCos, l.turned(s[0])) }),
		ir.OpTan:    each(assumed, tangent),
		ir.OpAsin:   each(assumed, arcsine),
		ir.OpAcos:   each(assumed, arccosine),
		ir.OpAtan:   each(assumed, arctangent),
		ir.OpDsx:    whole(drivers, derivative(r600.FetchGradientsH)),
		ir.OpDsy:    whole(drivers, derivative(r600.FetchGradientsV)),

		ir.OpFEq:  exact(direct(r600.OpSetEDX10, 0, 1)),
		ir.OpFNe:  exact(direct(r600.OpSetNEDX10, 0, 1)),
		ir.OpFLt:  exact(direct(r600.OpSetGTDX10, 1, 0)),
		ir.OpFGe:  exact(direct(r600.OpSetGEDX10, 0, 1)),
		ir.OpSel:  exact(direct(r600.OpCndEInt, 0, 2, 1)),
		ir.OpSelF: exact(direct(r600.OpCndE, 0, 2, 1)),

		ir.OpFToI:  exact(each(drivers, truncated(r600.OpFltToInt))),
		ir.OpFToU:  exact(each(drivers, truncated(r600.OpFltToUint))),
		ir.OpIToF:  exact(direct(r600.OpIntToFlt, 0)),
		ir.OpUToF:  exact(direct(r600.OpUintToFlt, 0)),
		ir.OpF2F16: each(assumed, toHalf),
		ir.OpF162F: each(assumed, fromHalf),

		ir.OpIAdd:     exact(direct(r600.OpAddInt, 0, 1)),
		ir.OpISub:     exact(direct(r600.OpSubInt, 0, 1)),
		ir.OpINeg:     exact(each(documented, func(l *lowerer, s [4]mir.Arg) mir.Arg { return l.op(r600.OpSubInt, mir.L(0), s[0]) })),
		ir.OpIMul:     exact(direct(r600.OpMulLoInt, 0, 1)),
		ir.OpIMulHigh: exact(direct(r600.OpMulHiInt, 0, 1)),
		ir.OpUMulHigh: exact(direct(r600.OpMulHiUint, 0, 1)),
		ir.OpIMad: exact(each(drivers, func(l *lowerer, s [4]mir.Arg) mir.Arg {
			return l.op(r600.OpAddInt, l.op(r600.OpMulLoInt, s[0], s[1]), s[2])
		})),
		ir.OpIMul24:  exact(each(assumed, signedMul24)),
		ir.OpUMul24:  exact(each(assumed, unsignedMul24)),
		ir.OpIMad24:  exact(each(assumed, func(l *lowerer, s [4]mir.Arg) mir.Arg { return l.op(r600.OpAddInt, signedMul24(l, s), s[2]) })),
		ir.OpUMad24:  exact(each(assumed, unsignedMad24)),
		ir.OpIMin:    exact(direct(r600.OpMinInt, 0, 1)),
		ir.OpIMax:    exact(direct(r600.OpMaxInt, 0, 1)),
		ir.OpUMin:    exact(direct(r600.OpMinUint, 0, 1)),
		ir.OpUMax:    exact(direct(r600.OpMaxUint, 0, 1)),
		ir.OpUDiv:    exact(each(drivers, unsignedQuotient)),
		ir.OpUMod:    exact(each(drivers, unsignedRemainder)),
		ir.OpICarry:  each(assumed, carry),
		ir.OpIBorrow: each(assumed, borrow),
		ir.OpIEq:     exact(direct(r600.OpSetEInt, 0, 1)),
		ir.OpINe:     exact(direct(r600.OpSetNEInt, 0, 1)),
		ir.OpILt:     exact(direct(r600.OpSetGTInt, 1, 0)),
		ir.OpIGe:     exact(direct(r600.OpSetGEInt, 0, 1)),
		ir.OpULt:     exact(direct(r600.OpSetGTUint, 1, 0)),
		ir.OpUGe:     exact(direct(r600.OpSetGEUint, 0, 1)),
		ir.OpINot:    exact(direct(r600.OpNotInt, 0)),
		ir.OpIAnd:    exact(direct(r600.OpAndInt, 0, 1)),
		ir.OpIOr:     exact(direct(r600.OpOrInt, 0, 1)),
		ir.OpIXor:    exact(direct(r600.OpXorInt, 0, 1)),
		ir.OpIShl:    exact(each(assumed, shift(r600.OpLShlInt))),
		ir.OpIShr:    exact(each(assumed, shift(r600.OpAShrInt))),
		ir.OpUShr:    exact(each(assumed, shift(r600.OpLShrInt))),

		ir.OpUBitExtract: each(assumed, unsignedExtract),
		ir.OpIBitExtract: each(assumed, signedExtract),
		ir.OpBfi:         exact(each(assumed, merge)),
		ir.OpUBitInsert:  each(assumed, insert),
		ir.OpUBitReverse: exact(each(assumed, reverse)),
		ir.OpICbits:      exact(each(assumed, countBits)),
		ir.OpFfbLo:       each(assumed, firstLow),
		ir.OpFfbHi:       each(assumed, firstHigh),
		ir.OpFfbShi:      each(assumed, firstHighSigned),
		ir.OpBitAlign:    each(assumed, bitAlign),
		ir.OpByteAlign:   each(assumed, byteAlign),
		ir.OpSad:         each(assumed, sumOfDifferences),
		ir.OpU4Lerp:      each(assumed, byteAverages),
		ir.OpUnpack0:     each(documented, unpack(0)),
		ir.OpUnpack1:     each(documented, unpack(1)),
		ir.OpUnpack2:     each(documented, unpack(2)),
		ir.OpUnpack3:     each(documented, unpack(3)),

		ir.OpF2D:    whole(drivers, widened),
		ir.OpIToD:   whole(assumed, fromInteger(true)),
		ir.OpUToD:   whole(assumed, fromInteger(false)),
		ir.OpD2F:    whole(drivers, narrowed),
		ir.OpDToI:   whole(assumed, toInteger(true)),
		ir.OpDToU:   whole(assumed, toInteger(false)),
		ir.OpDAdd:   whole(documented, doubles(r600.OpAdd64)),
		ir.OpDMin:   whole(documented, doubles(r600.OpMin64)),
		ir.OpDMax:   whole(documented, doubles(r600.OpMax64)),
		ir.OpDMul:   whole(documented, doubles(r600.OpMul64)),
		ir.OpDMad:   whole(documented, doubleMad),
		ir.OpDFrac:  whole(documented, doubles(r600.OpFract64)),
		ir.OpDFrexp: whole(drivers, doubleParts),
		ir.OpDLdexp: whole(documented, doubleScale),
		ir.OpDRcp:   whole(assumed, doubleReciprocal),
		ir.OpDDiv:   whole(assumed, doubleQuotient),
		ir.OpDRsq:   whole(assumed, doubleRecipSqrt),
		ir.OpDSqrt:  whole(assumed, doubleSqrt),
		ir.OpDEq:    whole(documented, doubleCompare(r600.OpSetE64, false)),
		ir.OpDNe:    whole(documented, doubleCompare(r600.OpSetNE64, false)),
		ir.OpDLt:    whole(documented, doubleCompare(r600.OpSetGT64, true)),
		ir.OpDGe:    whole(documented, doubleCompare(r600.OpSetGE64, false)),

		ir.OpFetch:     whole(documented, sampler(r600.FetchSample)),
		ir.OpFetchBias: whole(documented, sampler(r600.FetchSampleLB)),
		ir.OpFetchLod:  whole(documented, sampler(r600.FetchSampleL)),
		ir.OpFetchGrad: whole(documented, gradients),
		ir.OpTexelLoad: whole(documented, sampler(r600.FetchLD)),
		ir.OpFetchX:    whole(assumed, rareFetch),
		ir.OpLoad:      whole(documented, arrayLoad),
		ir.OpMemLoad:   whole(assumed, memoryLoad),
		ir.OpMemStore:  whole(assumed, memoryStore),
		ir.OpMemAtomic: whole(assumed, memoryAtomic),
		ir.OpFence:     whole(assumed, fence),
		ir.OpDiscard:   whole(documented, (*lowerer).discard),
		ir.OpKill:      whole(documented, (*lowerer).kill),
		ir.OpIf:        whole(documented, (*lowerer).branch),
		ir.OpLoop:      whole(documented, (*lowerer).loop),
		ir.OpBreak:     whole(documented, (*lowerer).leave),
	}
}
