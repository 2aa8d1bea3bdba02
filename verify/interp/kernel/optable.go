package kernel

import (
	"math"
	"sync"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/interp/kernel/internal/eights"
)

// table maps operations to their semantics, from the AMD IL Specification. Some of its instructions cannot
// be executed. noise has no formula. The operands of det, mmul, memexport and memimport are not known. lod,
// sampleinfo and samplepos query state that does not exist here. Transcendental functions are computed in
// float64 and rounded once.
//
// The first call of rowOf fills the table. Its rows refer back to it, and programs that execute no kernel
// do not need it.
var (
	table  []row
	filled sync.Once
)

// rowOf returns the row of op. An unknown op gets a row that cannot be executed.
func rowOf(op il.Op) *row {
	filled.Do(fillTable)
	if int(op) < len(table) {
		return &table[op]
	}
	return &row{}
}

// zero1 returns an instruction of one operand that _zeroop affects.
func zero1(f func(il.ZeroOp) func(uint32) uint32) func(il.ZeroOp) vecFn {
	return func(z il.ZeroOp) vecFn { return each1(f(z)) }
}

// log returns a logarithm to some base.
func log(f func(float64) float64) func(il.ZeroOp) vecFn {
	return zero1(func(z il.ZeroOp) func(uint32) uint32 { return logarithm(z, f) })
}

var (
	floorVec = widely(eights.Floor, each1(inFloat64(math.Floor)))
	rootVec  = widely(eights.Sqrt, each1(inFloat64(math.Sqrt)))
)

// int2 and similar functions return instructions on integers, whose operands negate as integers.
func int2(f func(a, b uint32) uint32) row    { return row{fn: each2(f), integer: true} }
func int3(f func(a, b, c uint32) uint32) row { return row{fn: each3(f), integer: true} }
func intVec(f vecFn) row                     { return row{fn: f, integer: true} }

// bits1 and bits3 take their operands as words; negation flips the sign bit, as for floats.
func bits1(f func(a uint32) uint32) row       { return row{fn: each1(f)} }
func bits3(f func(a, b, c uint32) uint32) row { return row{fn: each3(f)} }

func fillTable() {
	table = []row{
		il.OpMov:         {fn: moveVec},
		il.OpCmov:        {fn: each3(choose)},
		il.OpCmovLogical: {fn: selectVec},
		il.OpTranspose:   {fn: moveVec},

		il.OpAbs:          {fn: absVec},
		il.OpAcos:         bits1(inFloat64(math.Acos)),
		il.OpAdd:          {fn: addVec},
		il.OpAsin:         bits1(inFloat64(math.Asin)),
		il.OpAtan:         bits1(inFloat64(math.Atan)),
		il.OpClamp:        bits3(clamp),
		il.OpCos:          {fn: cosVec},
		il.OpCosVec:       {fn: cosVec},
		il.OpCrs:          {whole: cross},
		il.OpDist:         {whole: distance},
		il.OpDiv:          {zero: func(z il.ZeroOp) vecFn { return each2(quotient(z)) }},
		il.OpDp2:          {whole: dot(2)},
		il.OpDp2Add:       {whole: dotAdd},
		il.OpDp3:          {whole: dot(3)},
		il.OpDp4:          {whole: dot(4)},
		il.OpDsx:          {whole: derivative(1)},
		il.OpDsy:          {whole: derivative(2)},
		il.OpEq:           {fn: eqVec},
		il.OpExp:          bits1(inFloat64(math.Exp2)),
		il.OpExpVec:       bits1(inFloat64(math.Exp2)),
		il.OpFlr:          {fn: floorVec},
		il.OpFma:          bits3(fusedMad),
		il.OpFrc:          {fn: fractionVec},
		il.OpGe:           {fn: geVec},
		il.OpLen:          {whole: length},
		il.OpLit:          {whole: lighting},
		il.OpLn:           {zero: log(math.Log)},
		il.OpLog:          {zero: log(math.Log2)},
		il.OpLogVec:       {zero: log(math.Log2)},
		il.OpLrp:          bits3(lerp),
		il.OpLt:           {fn: ltVec},
		il.OpMad:          {fn: madVec, ieee: madIEEEVec},
		il.OpMax:          {fn: maxVec, ieee: widely(eights.MaxIEEE, each2(maxIEEE))},
		il.OpMin:          {fn: minVec, ieee: widely(eights.MinIEEE, each2(minIEEE))},
		il.OpMod:          {fn: each2(modulo)},
		il.OpMul:          {fn: mulVec, ieee: mulIEEEVec},
		il.OpNe:           {fn: neVec},
		il.OpNrm:          {whole: normal},
		il.OpPow:          {fn: each2(power)},
		il.OpRcp:          {zero: zero1(reciprocal)},
		il.OpRcpVec:       {zero: zero1(reciprocal)},
		il.OpReflect:      {whole: reflection},
		il.OpRnd:          bits1(inFloat64(math.RoundToEven)),
		il.OpRoundNear:    bits1(inFloat64(math.RoundToEven)),
		il.OpRoundNegInf:  {fn: floorVec},
		il.OpRoundPlusInf: bits1(inFloat64(math.Ceil)),
		il.OpRoundZ:       bits1(inFloat64(math.Trunc)),
		il.OpRsq:          {zero: zero1(reciprocalRoot)},
		il.OpRsqVec:       {zero: zero1(reciprocalRoot)},
		il.OpSgn:          bits1(sign),
		il.OpSin:          {fn: sinVec},
		il.OpSinVec:       {fn: sinVec},
		il.OpSqrt:         {fn: rootVec},
		il.OpSqrtVec:      {fn: rootVec},
		il.OpSub:          {fn: subVec},
		il.OpTan:          bits1(inFloat64(math.Tan)),
		il.OpTanVec:       bits1(inFloat64(math.Tan)),
		il.OpTrc:          bits1(inFloat64(math.Trunc)),

		il.OpBfi:         bits3(bitSelect),
		il.OpBitAlign:    bits3(bitAlign),
		il.OpByteAlign:   bits3(byteAlign),
		il.OpFfbHi:       bits1(firstHigh),
		il.OpFfbLo:       bits1(firstLow),
		il.OpFfbShi:      bits1(firstHighSigned),
		il.OpIAdd:        intVec(iaddVec),
		il.OpIAnd:        {fn: iandVec},
		il.OpIBitExtract: bits3(signedBitExtract),
		il.OpIBorrow:     int2(borrow),
		il.OpICarry:      int2(carry),
		il.OpICbits:      bits1(countBits),
		il.OpIEq:         intVec(ieqVec),
		il.OpIGe:         intVec(igeVec),
		il.OpILt:         intVec(iltVec),
		il.OpIMad:        intVec(imadVec),
		il.OpIMad24:      int3(mad24),
		il.OpIMax:        int2(imax),
		il.OpIMin:        int2(imin),
		il.OpIMul:        intVec(imulVec),
		il.OpIMul24:      int2(mul24),
		il.OpIMulHigh:    int2(mulHigh),
		il.OpINe:         intVec(ineVec),
		il.OpINegate:     intVec(inegVec),
		il.OpINot:        bits1(not),
		il.OpIOr:         {fn: iorVec},
		il.OpIShl:        {fn: ishlVec},
		il.OpIShr:        {fn: ishrVec},
		il.OpIXor:        {fn: ixorVec},
		il.OpSad:         bits3(sumOfDifferences),
		il.OpU4Lerp:      bits3(byteAverages),
		il.OpUBitExtract: bits3(bitExtract),
		il.OpUBitInsert:  {whole: insertion},
		il.OpUBitReverse: bits1(reverseBits),
		il.OpUDiv:        int2(divide),
		il.OpUGe:         intVec(ugeVec),
		il.OpULt:         intVec(ultVec),
		il.OpUMad:        intVec(imadVec),
		il.OpUMad24:      int3(umad24),
		il.OpUMax:        int2(umax),
		il.OpUMin:        int2(umin),
		il.OpUMod:        int2(remainder),
		il.OpUMul:        intVec(imulVec),
		il.OpUMul24:      int2(umul24),
		il.OpUMulHigh:    int2(umulHigh),
		il.OpUnpack0:     bits1(byteToFloat(0)),
		il.OpUnpack1:     bits1(byteToFloat(1)),
		il.OpUnpack2:     bits1(byteToFloat(2)),
		il.OpUnpack3:     bits1(byteToFloat(3)),
		il.OpUShr:        {fn: ushrVec},

		il.OpDAdd:   {whole: pairs(daddVec)},
		il.OpDDiv:   {whole: pairsOrZero(doubleQuotient)},
		il.OpDEq:    {whole: compared(func(x, y float64) bool { return x == y })},
		il.OpDFrac:  {whole: pairs(eachPair(dfrac))},
		il.OpDFrexp: {whole: fractionExponent},
		il.OpDGe:    {whole: compared(func(x, y float64) bool { return x >= y })},
		il.OpDLdexp: {whole: scaledPairs},
		il.OpDLt:    {whole: compared(func(x, y float64) bool { return x < y })},
		il.OpDMad:   {whole: pairs(dmadVec)},
		il.OpDMax:   {whole: pairs(eachPair(dmax))},
		il.OpDMin:   {whole: pairs(eachPair(dmin))},
		il.OpDMov:   {fn: moveVec},
		il.OpDMovc:  {fn: selectVec},
		il.OpDMul:   {whole: pairs(dmulVec)},
		il.OpDNe:    {whole: compared(func(x, y float64) bool { return x != y })},
		il.OpDRcp:   {whole: pairsOrZero(doubleReciprocal)},
		il.OpDRsq:   {whole: pairsOrZero(doubleReciprocalRoot)},
		il.OpDSqrt:  {whole: pairs(eachPair(dsqrt))},

		il.OpD2F:   {whole: narrowed(func(x float64) uint32 { return resultWord(float32(x)) })},
		il.OpDToI:  {whole: narrowed(truncatedInt)},
		il.OpDToU:  {whole: narrowed(truncatedUint)},
		il.OpF2D:   {whole: widened(func(w uint32) float64 { return float64(float(w)) })},
		il.OpF2F16: bits1(toHalf),
		il.OpF162F: bits1(fromHalf),
		il.OpFToI:  {fn: ftoiVec},
		il.OpFToU:  bits1(func(w uint32) uint32 { return truncatedUint(float64(float(w))) }),
		il.OpIToD:  {whole: widened(func(w uint32) float64 { return float64(int32(w)) }), integer: true},
		il.OpIToF:  intVec(itofVec),
		il.OpUToD:  {whole: widened(func(w uint32) float64 { return float64(w) }), integer: true},
		il.OpUToF:  intVec(utofVec),

		il.OpFetch4:    {whole: gatherFour},
		il.OpLoad:      {whole: loadTexel},
		il.OpResInfo:   {whole: resourceInfo},
		il.OpSample:    {whole: sample},
		il.OpSampleB:   {whole: sample},
		il.OpSampleC:   {whole: sampleCompared},
		il.OpSampleCB:  {whole: sampleCompared},
		il.OpSampleCG:  {whole: sampleCompared},
		il.OpSampleCL:  {whole: sampleCompared},
		il.OpSampleCLz: {whole: sampleCompared},
		il.OpSampleG:   {whole: sample},
		il.OpSampleL:   {whole: sample},

		il.OpAppendAlloc:    {whole: appended, effect: true},
		il.OpAppendConsume:  {whole: appended, effect: true},
		il.OpGdsAtomic:      {whole: localAtomic, effect: true},
		il.OpGdsCmp:         {whole: localAtomic, effect: true},
		il.OpGdsLoad:        {whole: localLoad},
		il.OpGdsReadAtomic:  {whole: localAtomic, effect: true},
		il.OpGdsReadCmpXchg: {whole: localAtomic, effect: true},
		il.OpGdsStore:       {whole: localStore, effect: true},
		il.OpLdsAtomic:      {whole: localAtomic, effect: true},
		il.OpLdsCmp:         {whole: localAtomic, effect: true},
		il.OpLdsLoad:        {whole: localLoad},
		il.OpLdsLoadVec:     {whole: localLoad},
		il.OpLdsReadAtomic:  {whole: localAtomic, effect: true},
		il.OpLdsReadCmpXchg: {whole: localAtomic, effect: true},
		il.OpLdsReadVec:     {whole: localReadVec},
		il.OpLdsStore:       {whole: localStore, effect: true},
		il.OpLdsStoreVec:    {whole: localStore, effect: true},
		il.OpLdsWriteVec:    {whole: localWriteVec, effect: true},
		il.OpUavArenaLoad:   {whole: viewLoad},
		il.OpUavArenaStore:  {whole: viewStore, effect: true},
		il.OpUavAtomic:      {whole: viewAtomic, effect: true},
		il.OpUavCmp:         {whole: viewAtomic, effect: true},
		il.OpUavLoad:        {whole: viewLoad},
		il.OpUavRawLoad:     {whole: viewLoad},
		il.OpUavRawStore:    {whole: viewStore, effect: true},
		il.OpUavReadAtomic:  {whole: viewAtomic, effect: true},
		il.OpUavReadCmpXchg: {whole: viewAtomic, effect: true},
		il.OpUavStore:       {whole: viewStore, effect: true},
		il.OpUavStructLoad:  {whole: viewLoad},
		il.OpUavStructStore: {whole: viewStore, effect: true},
	}
}
