package lower

import (
	"sync"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// lowering is the translation of an op to hardware operations, one lane at a time or as a whole. A
// lane is computed from that lane of each source, or from the first if all lanes are equal.
type lowering struct {
	each  func(l *lowerer, s [4]mir.Arg) mir.Arg
	whole func(l *lowerer, in *ir.Instr)
	from  source
	folds bool // the compiler folds it on literals
}

// source is the origin of a row's sequence.
type source uint8

const (
	unknown    source = iota
	documented        // the operation of the instruction set with that meaning, or the reference
	drivers           // the sequence that open drivers of these chips use
	assumed           // a plausible sequence: AMD's own is unknown
)

// direct returns the row of an op that is one operation, with the sources in the given order as its
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

// exact marks a row that is folded on literals: the IR's evaluation gives the same bits as the
// hardware.
func exact(r lowering) lowering {
	r.folds = true
	return r
}

func eachLane(from source, f func(l *lowerer, s [4]mir.Arg) mir.Arg) lowering {
	return lowering{each: f, from: from}
}

func whole(from source, f func(l *lowerer, in *ir.Instr)) lowering {
	return lowering{whole: f, from: from}
}

// lowerTable holds the row of every op of AMD IL, after it is filled; rowOf reads it. Other ops
// have an empty row and give a diagnostic.
var (
	lowerTable [ir.NumOps]lowering
	filled     sync.Once
)

// rowOf returns the row of op. The first call fills the table: rows and the table refer to each
// other, and programs that lower nothing do not need it.
func rowOf(op ir.Op) *lowering {
	filled.Do(fillTable)
	return &lowerTable[op]
}

func fillTable() {
	lowerTable = [ir.NumOps]lowering{
		ir.OpMov:     exact(eachLane(documented, func(_ *lowerer, s [4]mir.Arg) mir.Arg { return s[0] })),
		ir.OpAdd:     exact(direct(r600.OpAdd, 0, 1)),
		ir.OpMul:     exact(direct(r600.OpMul, 0, 1)),
		ir.OpMulIEEE: exact(direct(r600.OpMulIEEE, 0, 1)),
		ir.OpMad:     exact(direct(r600.OpMulAdd, 0, 1, 2)),
		ir.OpMadIEEE: exact(direct(r600.OpMulAddIEEE, 0, 1, 2)),
		ir.OpFma:     exact(eachLane(assumed, fusedMultiplyAdd)),
		ir.OpMin:     exact(direct(r600.OpMin, 0, 1)),
		ir.OpMax:     exact(direct(r600.OpMax, 0, 1)),
		ir.OpMinIEEE: exact(direct(r600.OpMinDX10, 0, 1)),
		ir.OpMaxIEEE: exact(direct(r600.OpMaxDX10, 0, 1)),
		ir.OpAbs:     exact(eachLane(documented, func(_ *lowerer, s [4]mir.Arg) mir.Arg { return withMods(s[0], ir.Abs) })),
		ir.OpFrc:     exact(direct(r600.OpFract, 0)),
		ir.OpFloor:   exact(direct(r600.OpFloor, 0)),
		ir.OpCeil:    exact(direct(r600.OpCeil, 0)),
		ir.OpTrunc:   exact(direct(r600.OpTrunc, 0)),
		ir.OpRndne:   exact(direct(r600.OpRndNE, 0)),
		ir.OpMod:     eachLane(assumed, floatModulo),
		ir.OpClamp:   eachLane(assumed, clamped),
		ir.OpSgn:     exact(eachLane(assumed, lowerSign)),
		ir.OpLrp:     eachLane(drivers, interpolated),

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

		ir.OpRcpZ: eachLane(documented, func(l *lowerer,
			s [4]mir.Arg) mir.Arg {
			return l.op(recips[zeroMode(s[1])], s[0])
		}),
		ir.OpRsqZ: eachLane(documented, func(l *lowerer,
			s [4]mir.Arg) mir.Arg {
			return l.op(recipSqrts[zeroMode(s[1])], s[0])
		}),
		ir.OpDiv:    eachLane(assumed, quotient),
		ir.OpSqrt:   direct(r600.OpSqrtIEEE, 0),
		ir.OpExpVec: direct(r600.OpExpIEEE, 0),
		ir.OpLogZ:   eachLane(documented, logarithm),
		ir.OpLnZ:    eachLane(assumed, naturalLog),
		ir.OpPow:    eachLane(drivers, power),
		ir.OpSin:    eachLane(drivers, func(l *lowerer, s [4]mir.Arg) mir.Arg { return l.op(r600.OpSin, l.turned(s[0])) }),
		ir.OpCos:    eachLane(drivers, func(l *lowerer, s [4]mir.Arg) mir.Arg { return l.op(r600.OpCos, l.turned(s[0])) }),
		ir.OpTan:    eachLane(assumed, tangent),
		ir.OpAsin:   eachLane(assumed, arcsine),
		ir.OpAcos:   eachLane(assumed, arccosine),
		ir.OpAtan:   eachLane(assumed, arctangent),
		ir.OpDsx:    whole(drivers, derivative(r600.FetchGradientsH)),
		ir.OpDsy:    whole(drivers, derivative(r600.FetchGradientsV)),

		ir.OpFEq:  exact(direct(r600.OpSetEDX10, 0, 1)),
		ir.OpFNe:  exact(direct(r600.OpSetNEDX10, 0, 1)),
		ir.OpFLt:  exact(direct(r600.OpSetGTDX10, 1, 0)),
		ir.OpFGe:  exact(direct(r600.OpSetGEDX10, 0, 1)),
		ir.OpSel:  exact(direct(r600.OpCndEInt, 0, 2, 1)),
		ir.OpSelF: exact(direct(r600.OpCndE, 0, 2, 1)),

		ir.OpFToI:  exact(eachLane(drivers, truncated(r600.OpFltToInt))),
		ir.OpFToU:  exact(eachLane(drivers, truncated(r600.OpFltToUint))),
		ir.OpIToF:  exact(direct(r600.OpIntToFlt, 0)),
		ir.OpUToF:  exact(direct(r600.OpUintToFlt, 0)),
		ir.OpF2F16: eachLane(assumed, toHalf),
		ir.OpF162F: eachLane(assumed, fromHalf),

		ir.OpIAdd: exact(direct(r600.OpAddInt, 0, 1)),
		ir.OpISub: exact(direct(r600.OpSubInt, 0, 1)),
		ir.OpINeg: exact(eachLane(documented,
			func(l *lowerer, s [4]mir.Arg) mir.Arg { return l.op(r600.OpSubInt, mir.L(0), s[0]) })),
		ir.OpIMul:     exact(direct(r600.OpMulLoInt, 0, 1)),
		ir.OpIMulHigh: exact(direct(r600.OpMulHiInt, 0, 1)),
		ir.OpUMulHigh: exact(direct(r600.OpMulHiUint, 0, 1)),
		ir.OpIMad: exact(eachLane(drivers, func(l *lowerer, s [4]mir.Arg) mir.Arg {
			return l.op(r600.OpAddInt, l.op(r600.OpMulLoInt, s[0], s[1]), s[2])
		})),
		ir.OpIMul24: exact(eachLane(assumed, signedMul24)),
		ir.OpUMul24: exact(eachLane(assumed, unsignedMul24)),
		ir.OpIMad24: exact(eachLane(assumed, func(l *lowerer,
			s [4]mir.Arg) mir.Arg {
			return l.op(r600.OpAddInt, signedMul24(l, s), s[2])
		})),
		ir.OpUMad24:  exact(eachLane(assumed, unsignedMad24)),
		ir.OpIMin:    exact(direct(r600.OpMinInt, 0, 1)),
		ir.OpIMax:    exact(direct(r600.OpMaxInt, 0, 1)),
		ir.OpUMin:    exact(direct(r600.OpMinUint, 0, 1)),
		ir.OpUMax:    exact(direct(r600.OpMaxUint, 0, 1)),
		ir.OpUDiv:    exact(eachLane(drivers, unsignedQuotient)),
		ir.OpUMod:    exact(eachLane(drivers, unsignedRemainder)),
		ir.OpICarry:  eachLane(assumed, carry),
		ir.OpIBorrow: eachLane(assumed, borrow),
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
		ir.OpIShl:    exact(eachLane(assumed, shift(r600.OpLShlInt))),
		ir.OpIShr:    exact(eachLane(assumed, shift(r600.OpAShrInt))),
		ir.OpUShr:    exact(eachLane(assumed, shift(r600.OpLShrInt))),

		ir.OpUBitExtract: eachLane(assumed, unsignedExtract),
		ir.OpIBitExtract: eachLane(assumed, signedExtract),
		ir.OpBfi:         exact(eachLane(assumed, merge)),
		ir.OpUBitInsert:  eachLane(assumed, insert),
		ir.OpUBitReverse: exact(eachLane(assumed, reverse)),
		ir.OpICbits:      exact(eachLane(assumed, countBits)),
		ir.OpFfbLo:       eachLane(assumed, firstLow),
		ir.OpFfbHi:       eachLane(assumed, firstHigh),
		ir.OpFfbShi:      eachLane(assumed, firstHighSigned),
		ir.OpBitAlign:    eachLane(assumed, bitAlign),
		ir.OpByteAlign:   eachLane(assumed, byteAlign),
		ir.OpSad:         eachLane(assumed, sumOfDifferences),
		ir.OpU4Lerp:      eachLane(assumed, byteAverages),
		ir.OpUnpack0:     eachLane(documented, unpack(0)),
		ir.OpUnpack1:     eachLane(documented, unpack(1)),
		ir.OpUnpack2:     eachLane(documented, unpack(2)),
		ir.OpUnpack3:     eachLane(documented, unpack(3)),

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
		ir.OpKill:      whole(documented, (*lowerer).lowerKill),
		ir.OpIf:        whole(documented, (*lowerer).branch),
		ir.OpLoop:      whole(documented, (*lowerer).lowerLoop),
		ir.OpBreak:     whole(documented, (*lowerer).leave),
	}
}
