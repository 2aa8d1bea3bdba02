package ir

import (
	"math"
	"math/bits"
)

// Prim is a primitive function: any function except plus, minus and times. Algebra assumes only that equal
// arguments give equal results. Rules of passes/combine and verify/law_table_test.go state further laws (log2 of a
// product, the range of frc).
type Prim uint8

// The primitives; the float32 value of each is its row of the table.
const (
	PrimInvalid Prim = iota
	PrimAbs
	PrimSat
	PrimRange
	PrimRcp
	PrimRsq
	PrimExp2
	PrimExp2P
	PrimLog2
	PrimLog2P
	PrimPow
	PrimSin
	PrimCos
	PrimFrc
	PrimFloor
	PrimMin
	PrimMax
	PrimSlt
	PrimSge
	PrimSelGE
	PrimLitSpec
	PrimSgn
	PrimRound
	PrimExponent
	PrimMantissa
	PrimLogpW
	PrimDsx
	PrimDsy
	PrimGT
	PrimEQ
	PrimGE
	PrimLT
	PrimNE
	PrimLE

	// Float32, of AMD IL.
	PrimFma
	PrimMinIEEE
	PrimMaxIEEE
	PrimCeil
	PrimTrunc
	PrimRndne
	primMod
	PrimClamp
	PrimRcpZ
	PrimRsqZ
	PrimLog2Z
	PrimLnZ
	PrimSqrt
	primTan
	primAsin
	primAcos
	primAtan

	// On words: comparisons, conversions, integers, halves of doubles.
	PrimFEq
	PrimFNe
	PrimFLt
	PrimFGe
	PrimSel
	PrimSelF
	PrimFToI
	PrimFToU
	PrimIToF
	PrimUToF
	primF2F16
	primF162F
	primF2DLo
	primF2DHi
	primD2F
	PrimDToI
	PrimDToU
	primIToDLo
	primIToDHi
	primUToDLo
	primUToDHi
	PrimIAdd
	PrimISub
	PrimINeg
	PrimIMul
	PrimIMulHigh
	PrimUMulHigh
	PrimIMad
	PrimIMul24
	PrimUMul24
	PrimIMad24
	PrimUMad24
	PrimIMin
	PrimIMax
	PrimUMin
	PrimUMax
	PrimUDiv
	PrimUMod
	PrimICarry
	PrimIBorrow
	PrimIEq
	PrimINe
	PrimILt
	PrimIGe
	PrimULt
	PrimUGe
	PrimINot
	PrimIAnd
	PrimIOr
	PrimIXor
	PrimIShl
	PrimIShr
	PrimUShr
	PrimUBitExtract
	primIBitExtract
	PrimBfi
	primUBitInsert
	primUBitReverse
	primICbits
	primFfbLo
	primFfbHi
	primFfbShi
	PrimBitAlign
	primByteAlign
	primSad
	primU4Lerp
	primUnpack0
	primUnpack1
	primUnpack2
	primUnpack3
	PrimDAddLo
	PrimDAddHi
	PrimDMulLo
	PrimDMulHi
	PrimDMadLo
	PrimDMadHi
	primDDivLo
	primDDivHi
	primDMinLo
	primDMinHi
	primDMaxLo
	primDMaxHi
	primDFracLo
	primDFracHi
	primDFrexp
	primDFrexpLo
	primDFrexpHi
	primDLdexpLo
	primDLdexpHi
	primDRcpLo
	primDRcpHi
	primDRsqLo
	primDRsqHi
	primDSqrtLo
	primDSqrtHi
	PrimDEq
	PrimDNe
	PrimDLt
	PrimDGe

	// Of SPIR-V.
	primAtan2
	primRoundHalf
	primLdexp
	numPrims
)

// prims is the table of primitives. eval is the float32 value, nil where it depends on more than the
// arguments. The flag fold allows a call on finite arguments to be replaced by a finite value. The reference
// demands at least that precision of hardware, and the compilers that wrote the input do it. Primitives on
// words have word instead, which always folds, because integers leave nothing open.
//
// Functions are computed in float64 and rounded once, so folded values are within half an ulp, except in
// cases that round twice. Hardware may be less precise: the reference demands 2^-22 or so of rcp and rsq,
// 2^-21 of exp and log, 2^-15 of pow.
var prims = [numPrims]struct {
	name string
	eval func(a []float32) float32
	fold bool
	word func(a []uint32) uint32
}{
	PrimAbs:      {"abs", func(a []float32) float32 { return float32(math.Abs(float64(a[0]))) }, true, nil},
	PrimSat:      {"sat", func(a []float32) float32 { return min(max(a[0], 0), 1) }, true, nil},
	PrimRange:    {"range", nil, false, nil}, // the identity from -1 to 1; the hardware may extend the range
	PrimRcp:      {"rcp", func(a []float32) float32 { return 1 / a[0] }, true, nil},
	PrimRsq:      {"rsq", func(a []float32) float32 { return float32(1 / math.Sqrt(math.Abs(float64(a[0])))) }, true, nil},
	PrimExp2:     {"exp2", func(a []float32) float32 { return float32(math.Exp2(float64(a[0]))) }, true, nil},
	PrimExp2P:    {"exp2p", nil, false, nil}, // partial precision: the value is the hardware's
	PrimLog2:     {"log2", func(a []float32) float32 { return float32(math.Log2(math.Abs(float64(a[0])))) }, true, nil},
	PrimLog2P:    {"log2p", nil, false, nil},
	PrimPow:      {"pow", evalPow, true, nil},
	PrimSin:      {"sin", func(a []float32) float32 { return float32(math.Sin(float64(a[0]))) }, true, nil},
	PrimCos:      {"cos", func(a []float32) float32 { return float32(math.Cos(float64(a[0]))) }, true, nil},
	PrimFrc:      {"frc", func(a []float32) float32 { return a[0] - float32(math.Floor(float64(a[0]))) }, true, nil},
	PrimFloor:    {"floor", func(a []float32) float32 { return float32(math.Floor(float64(a[0]))) }, true, nil},
	PrimMin:      {"min", func(a []float32) float32 { return choose(a[0] < a[1], a[0], a[1]) }, true, nil},
	PrimMax:      {"max", func(a []float32) float32 { return choose(a[0] >= a[1], a[0], a[1]) }, true, nil},
	PrimSlt:      {"slt", func(a []float32) float32 { return choose(a[0] < a[1], 1, 0) }, true, nil},
	PrimSge:      {"sge", func(a []float32) float32 { return choose(a[0] >= a[1], 1, 0) }, true, nil},
	PrimSelGE:    {"selge", func(a []float32) float32 { return choose(a[0] >= 0, a[1], a[2]) }, true, nil},
	PrimLitSpec:  {"litspec", nil, false, nil},
	PrimSgn:      {"sgn", func(a []float32) float32 { return choose(a[0] > 0, 1, choose(a[0] < 0, -1, 0)) }, true, nil},
	PrimRound:    {"round", nil, false, nil}, // to an address: an integer, not a float
	PrimExponent: {"exponent", nil, false, nil},
	PrimMantissa: {"mantissa", nil, false, nil},
	PrimLogpW:    {"logpw", nil, false, nil}, // 1 as in Direct3D 8, or the logarithm: descriptions differ
	PrimDsx:      {"dsx", nil, false, nil},   // neighbours' values, not just the arguments
	PrimDsy:      {"dsy", nil, false, nil},
	// Booleans: 1 where the comparison holds.
	PrimGT:      {"gt", func(a []float32) float32 { return choose(a[0] > a[1], 1, 0) }, true, nil},
	PrimEQ:      {"eq", func(a []float32) float32 { return choose(a[0] == a[1], 1, 0) }, true, nil},
	PrimGE:      {"ge", func(a []float32) float32 { return choose(a[0] >= a[1], 1, 0) }, true, nil},
	PrimLT:      {"lt", func(a []float32) float32 { return choose(a[0] < a[1], 1, 0) }, true, nil},
	PrimNE:      {"ne", func(a []float32) float32 { return choose(a[0] != a[1], 1, 0) }, true, nil},
	PrimLE:      {"le", func(a []float32) float32 { return choose(a[0] <= a[1], 1, 0) }, true, nil},
	PrimFma:     {"fma", func(a []float32) float32 { return fma(a[0], a[1], a[2]) }, true, nil},
	PrimMinIEEE: {"minieee", func(a []float32) float32 { return choose(a[0] < a[1], a[0], a[1]) }, true, nil},
	PrimMaxIEEE: {"maxieee", func(a []float32) float32 { return choose(a[0] >= a[1], a[0], a[1]) }, true, nil},
	PrimCeil:    {"ceil", func(a []float32) float32 { return float32(math.Ceil(float64(a[0]))) }, true, nil},
	PrimTrunc:   {"trunc", func(a []float32) float32 { return float32(math.Trunc(float64(a[0]))) }, true, nil},
	PrimRndne:   {"rndne", func(a []float32) float32 { return float32(math.RoundToEven(float64(a[0]))) }, true, nil},
	primMod:     {"mod", nil, false, nil},
	PrimClamp:   {"clamp", nil, false, nil},
	PrimRcpZ:    {"rcpz", nil, false, nil},
	PrimRsqZ:    {"rsqz", nil, false, nil},
	PrimLog2Z:   {"log2z", nil, false, nil},
	PrimLnZ:     {"lnz", nil, false, nil},
	PrimSqrt:    {"sqrt", func(a []float32) float32 { return float32(math.Sqrt(float64(a[0]))) }, true, nil},
	primTan:     {"tan", nil, false, nil},
	primAsin:    {"asin", nil, false, nil},
	primAcos:    {"acos", nil, false, nil},
	primAtan:    {"atan", nil, false, nil},
	PrimFEq:     {"feq", nil, false, func(a []uint32) uint32 { return flag(float(a[0]) == float(a[1])) }},
	PrimFNe:     {"fne", nil, false, func(a []uint32) uint32 { return flag(float(a[0]) != float(a[1])) }},
	PrimFLt:     {"flt", nil, false, func(a []uint32) uint32 { return flag(float(a[0]) < float(a[1])) }},
	PrimFGe:     {"fge", nil, false, func(a []uint32) uint32 { return flag(float(a[0]) >= float(a[1])) }},
	PrimSel:     {"sel", nil, false, func(a []uint32) uint32 { return selectWord(a[0] != 0, a[1], a[2]) }},
	PrimSelF:    {"self", nil, false, func(a []uint32) uint32 { return selectWord(float(a[0]) != 0, a[1], a[2]) }},
	PrimFToI:    {"ftoi", nil, false, func(a []uint32) uint32 { return uint32(toInt(float64(float(a[0])))) }},
	PrimFToU:    {"ftou", nil, false, func(a []uint32) uint32 { return toUint(float64(float(a[0]))) }},
	PrimIToF:    {"itof", nil, false, func(a []uint32) uint32 { return math.Float32bits(float32(int32(a[0]))) }},
	PrimUToF:    {"utof", nil, false, func(a []uint32) uint32 { return math.Float32bits(float32(a[0])) }},
	primF2F16:   {"f2f16", nil, false, nil},
	primF162F:   {"f162f", nil, false, nil},
	primF2DLo:   {"f2dlo", nil, false, func(a []uint32) uint32 { return lowWord(float64(float(a[0]))) }},
	primF2DHi:   {"f2dhi", nil, false, func(a []uint32) uint32 { return highWord(float64(float(a[0]))) }},
	primD2F:     {"d2f", nil, false, nil},
	PrimDToI:    {"dtoi", nil, false, func(a []uint32) uint32 { return uint32(toInt(doubleOf(a))) }},
	PrimDToU:    {"dtou", nil, false, func(a []uint32) uint32 { return toUint(doubleOf(a)) }},
	primIToDLo:  {"itodlo", nil, false, func(a []uint32) uint32 { return lowWord(float64(int32(a[0]))) }},
	primIToDHi:  {"itodhi", nil, false, func(a []uint32) uint32 { return highWord(float64(int32(a[0]))) }},
	primUToDLo:  {"utodlo", nil, false, func(a []uint32) uint32 { return lowWord(float64(a[0])) }},
	primUToDHi:  {"utodhi", nil, false, func(a []uint32) uint32 { return highWord(float64(a[0])) }},
	PrimIAdd:    {"iadd", nil, false, func(a []uint32) uint32 { return a[0] + a[1] }},
	PrimISub:    {"isub", nil, false, func(a []uint32) uint32 { return a[0] - a[1] }},
	PrimINeg:    {"ineg", nil, false, func(a []uint32) uint32 { return -a[0] }},
	PrimIMul:    {"imul", nil, false, func(a []uint32) uint32 { return a[0] * a[1] }},
	PrimIMulHigh: {"imulhigh", nil, false,
		func(a []uint32) uint32 { return uint32(int64(int32(a[0])) * int64(int32(a[1])) >> 32) }},
	PrimUMulHigh: {"umulhigh", nil, false,
		func(a []uint32) uint32 { return uint32(uint64(a[0]) * uint64(a[1]) >> 32) }},
	PrimIMad:        {"imad", nil, false, func(a []uint32) uint32 { return a[0]*a[1] + a[2] }},
	PrimIMul24:      {"imul24", nil, false, func(a []uint32) uint32 { return uint32(int24(a[0]) * int24(a[1])) }},
	PrimUMul24:      {"umul24", nil, false, func(a []uint32) uint32 { return a[0] & low24 * (a[1] & low24) }},
	PrimIMad24:      {"imad24", nil, false, func(a []uint32) uint32 { return uint32(int24(a[0])*int24(a[1])) + a[2] }},
	PrimUMad24:      {"umad24", nil, false, func(a []uint32) uint32 { return a[0]&low24*(a[1]&low24) + a[2] }},
	PrimIMin:        {"imin", nil, false, func(a []uint32) uint32 { return uint32(min(int32(a[0]), int32(a[1]))) }},
	PrimIMax:        {"imax", nil, false, func(a []uint32) uint32 { return uint32(max(int32(a[0]), int32(a[1]))) }},
	PrimUMin:        {"umin", nil, false, func(a []uint32) uint32 { return min(a[0], a[1]) }},
	PrimUMax:        {"umax", nil, false, func(a []uint32) uint32 { return max(a[0], a[1]) }},
	PrimUDiv:        {"udiv", nil, false, func(a []uint32) uint32 { return divide(a[0], a[1]) }},
	PrimUMod:        {"umod", nil, false, func(a []uint32) uint32 { return modulo(a[0], a[1]) }},
	PrimICarry:      {"icarry", nil, false, nil},
	PrimIBorrow:     {"iborrow", nil, false, nil},
	PrimIEq:         {"ieq", nil, false, func(a []uint32) uint32 { return flag(a[0] == a[1]) }},
	PrimINe:         {"ine", nil, false, func(a []uint32) uint32 { return flag(a[0] != a[1]) }},
	PrimILt:         {"ilt", nil, false, func(a []uint32) uint32 { return flag(int32(a[0]) < int32(a[1])) }},
	PrimIGe:         {"ige", nil, false, func(a []uint32) uint32 { return flag(int32(a[0]) >= int32(a[1])) }},
	PrimULt:         {"ult", nil, false, func(a []uint32) uint32 { return flag(a[0] < a[1]) }},
	PrimUGe:         {"uge", nil, false, func(a []uint32) uint32 { return flag(a[0] >= a[1]) }},
	PrimINot:        {"inot", nil, false, func(a []uint32) uint32 { return ^a[0] }},
	PrimIAnd:        {"iand", nil, false, func(a []uint32) uint32 { return a[0] & a[1] }},
	PrimIOr:         {"ior", nil, false, func(a []uint32) uint32 { return a[0] | a[1] }},
	PrimIXor:        {"ixor", nil, false, func(a []uint32) uint32 { return a[0] ^ a[1] }},
	PrimIShl:        {"ishl", nil, false, func(a []uint32) uint32 { return a[0] << (a[1] & 31) }},
	PrimIShr:        {"ishr", nil, false, func(a []uint32) uint32 { return uint32(int32(a[0]) >> (a[1] & 31)) }},
	PrimUShr:        {"ushr", nil, false, func(a []uint32) uint32 { return a[0] >> (a[1] & 31) }},
	PrimUBitExtract: {"ubitextract", nil, false, nil},
	primIBitExtract: {"ibitextract", nil, false, nil},
	PrimBfi:         {"bfi", nil, false, func(a []uint32) uint32 { return a[0]&a[1] | ^a[0]&a[2] }},
	primUBitInsert:  {"ubitinsert", nil, false, nil},
	primUBitReverse: {"ubitreverse", nil, false, func(a []uint32) uint32 { return bits.Reverse32(a[0]) }},
	primICbits:      {"icbits", nil, false, func(a []uint32) uint32 { return uint32(bits.OnesCount32(a[0])) }},
	primFfbLo:       {"ffblo", nil, false, nil},
	primFfbHi:       {"ffbhi", nil, false, nil},
	primFfbShi:      {"ffbshi", nil, false, nil},
	PrimBitAlign:    {"bitalign", nil, false, nil},
	primByteAlign:   {"bytealign", nil, false, nil},
	primSad:         {"sad", nil, false, nil},
	primU4Lerp:      {"u4lerp", nil, false, nil},
	primUnpack0:     {"unpack0", nil, false, nil},
	primUnpack1:     {"unpack1", nil, false, nil},
	primUnpack2:     {"unpack2", nil, false, nil},
	primUnpack3:     {"unpack3", nil, false, nil},
	PrimDAddLo:      {"daddlo", nil, false, nil},
	PrimDAddHi:      {"daddhi", nil, false, nil},
	PrimDMulLo:      {"dmullo", nil, false, nil},
	PrimDMulHi:      {"dmulhi", nil, false, nil},
	PrimDMadLo:      {"dmadlo", nil, false, nil},
	PrimDMadHi:      {"dmadhi", nil, false, nil},
	primDDivLo:      {"ddivlo", nil, false, nil},
	primDDivHi:      {"ddivhi", nil, false, nil},
	primDMinLo:      {"dminlo", nil, false, nil},
	primDMinHi:      {"dminhi", nil, false, nil},
	primDMaxLo:      {"dmaxlo", nil, false, nil},
	primDMaxHi:      {"dmaxhi", nil, false, nil},
	primDFracLo:     {"dfraclo", nil, false, nil},
	primDFracHi:     {"dfrachi", nil, false, nil},
	primDFrexp:      {"dfrexp", nil, false, nil},
	primDFrexpLo:    {"dfrexplo", nil, false, nil},
	primDFrexpHi:    {"dfrexphi", nil, false, nil},
	primDLdexpLo:    {"dldexplo", nil, false, nil},
	primDLdexpHi:    {"dldexphi", nil, false, nil},
	primDRcpLo:      {"drcplo", nil, false, nil},
	primDRcpHi:      {"drcphi", nil, false, nil},
	primDRsqLo:      {"drsqlo", nil, false, nil},
	primDRsqHi:      {"drsqhi", nil, false, nil},
	primDSqrtLo:     {"dsqrtlo", nil, false, nil},
	primDSqrtHi:     {"dsqrthi", nil, false, nil},
	PrimDEq:         {"deq", nil, false, func(a []uint32) uint32 { return flag(doubleOf(a) == doubleOf(a[2:])) }},
	PrimDNe:         {"dne", nil, false, func(a []uint32) uint32 { return flag(doubleOf(a) != doubleOf(a[2:])) }},
	PrimDLt:         {"dlt", nil, false, func(a []uint32) uint32 { return flag(doubleOf(a) < doubleOf(a[2:])) }},
	PrimDGe:         {"dge", nil, false, func(a []uint32) uint32 { return flag(doubleOf(a) >= doubleOf(a[2:])) }},
	primAtan2:       {"atan2", nil, false, nil},
	primRoundHalf:   {"roundhalf", nil, false, nil}, // the direction from one half is the driver's
	primLdexp:       {"ldexp", nil, false, nil},
}

// choose returns a if c, else b. min and max use it as the reference spells them: min is a < b ? a : b. The
// second operand results for two zeros of either sign and for a NaN.
func choose(c bool, a, b float32) float32 {
	if c {
		return a
	}
	return b
}

// evalPow computes the power of an absolute value. pow(x, 0) is 1 for every x, NaN included, as in
// implementations.
func evalPow(a []float32) float32 {
	if a[1] == 0 {
		return 1
	}
	return float32(math.Pow(math.Abs(float64(a[0])), float64(a[1])))
}

// primNamed returns the primitive that formulas call by name. It runs at start-up only.
func primNamed(name string) Prim {
	for p := range prims {
		if prims[p].name == name {
			return Prim(p)
		}
	}
	panic("ir: no primitive " + name)
}

func (p Prim) String() string { return prims[p].name }

// CondPrim returns the primitive that decides c on two operands. Conditions and primitives are listed in the
// same order. c must not be CondNone.
func CondPrim(c Cond) Prim { return PrimGT + Prim(c-CondGT) }

// Words is the algebra of 32-bit words, used for constant folding. Sums and products are float32 operations
// in the order of the formulas, each step rounded. Set Fold before the evaluation; afterwards it reports
// whether the result may be folded at compile time. Float operands and results must be finite and not
// subnormal, because hardware differs on subnormals and infinities. No primitive may have a hardware-specific
// value.
type Words struct {
	Fold bool
	// Fusable reports that the formula adds to a product that was rounded: hardware that fuses the two has
	// another result. It is not valid if Fold is false.
	Fusable bool
	// rounded are the products that were inexact, without their sign. It is empty without Fold, because an
	// Add takes as long as the list.
	rounded []uint32
}

// recordOperand records an operand: infinity, NaN or a subnormal number clears Fold.
func (w *Words) recordOperand(bits uint32) float32 {
	x := math.Float32frombits(bits)
	a := math.Abs(float64(x))
	if !(a == 0 || a >= 0x1p-126 && a <= math.MaxFloat32) {
		w.Fold = false
	}
	return x
}

// recordResult records a result.
func (w *Words) recordResult(x float32) uint32 {
	bits := math.Float32bits(x)
	w.recordOperand(bits)
	return bits
}

// Const implements Algebra.
func (w *Words) Const(x float32) uint32 { return w.recordResult(x) }

// Add implements Algebra. It compares operands by value with the inexact products recorded so far. A product
// that another sum happens to equal sets Fusable unnecessarily, which only keeps a pass from folding.
func (w *Words) Add(a, b uint32) uint32 {
	for _, p := range w.rounded {
		w.Fusable = w.Fusable || p == a&^(1<<31) || p == b&^(1<<31)
	}
	return w.recordResult(w.recordOperand(a) + w.recordOperand(b))
}

// Mul implements Algebra. A product of two float32 is exact in float64, so the comparison detects a rounding
// to float32 that was inexact.
func (w *Words) Mul(a, b uint32) uint32 {
	x, y := w.recordOperand(a), w.recordOperand(b)
	p := float32(x * y)
	if w.Fold && float64(p) != float64(x)*float64(y) {
		w.rounded = append(w.rounded, math.Float32bits(p)&^(1<<31))
	}
	return w.recordResult(p)
}

// Neg implements Algebra.
func (w *Words) Neg(a uint32) uint32 { return w.recordResult(-w.recordOperand(a)) }

// Call implements Algebra. It records nothing for primitives on words: they are exact on all bits.
func (w *Words) Call(p Prim, args []uint32) uint32 {
	row := &prims[p]
	switch {
	case row.word != nil:
		return row.word(args)
	case row.eval == nil || !row.fold:
		w.Fold = false
		return 0
	}
	var floats [4]float32
	for i, a := range args {
		floats[i] = w.recordOperand(a)
	}
	return w.recordResult(row.eval(floats[:len(args)]))
}
