package spirv

import (
	"math"
	"math/bits"
)

// This is the only definition of the operations on lanes. Floats are float32 with denormals, rounded to nearest even.
// Vulkan leaves more open (Vulkan specification, "Precision and Operation of SPIR-V Instructions"); the choices are:
//
//	Dot, products of matrices  sums from left to right, each product and sum rounded
//	FDiv                       correctly rounded
//	FMod, FRem                 x - y*floor(x/y), x - y*trunc(x/y) in float64, rounded once
//	exp, log, sin, ...         in float64, rounded once
//	Fma                        the product is rounded, then the sum
//	FMix                       x*(1-a) + y*a
//	FMin, FMax, FClamp         b < a ? b : a; a < b ? b : a; with a NaN, a filling selects the other operand
//	Normalize                  x / length(x)
//
// A result that the specification leaves undefined is the word of these formulas without a filling, and pseudo-random
// with one: shifts by 32 and more (0), integer division by zero (0, the remainder is the dividend), conversions out of
// range (saturated, NaN gives 0), bit fields beyond 32 bits, Pow and Log of numbers below 0, Sqrt below 0, and clamps
// with min > max. SRem and SMod of negative numbers give the arithmetic result.

func float(w uint32) float32 { return math.Float32frombits(w) }

func word(x float32) uint32 { return math.Float32bits(x) }

func boolWord(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func abs32(x float32) float32 { return float(word(x) &^ (1 << 31)) }

func selectWord(c, a, b uint32) uint32 {
	if c != 0 {
		return a
	}
	return b
}

// double returns an operation that computes in float64 and rounds once.
func double(f func(float64) float64) laneOp {
	return laneOp{operands: 1, total: func(a, _, _ uint32) uint32 { return word(float32(f(float64(float(a))))) }}
}

// within returns an operation like double that is defined where ok reports true.
func within(f func(float64) float64, ok func(float64) bool) laneOp {
	return laneOp{operands: 1, partial: func(a, _, _ uint32) (uint32, bool) {
		x := float64(float(a))
		return word(float32(f(x))), ok(x)
	}}
}

func oneWord(f func(a uint32) uint32) laneOp {
	return laneOp{operands: 1, total: func(a, _, _ uint32) uint32 { return f(a) }}
}

func twoWords(f func(a, b uint32) uint32) laneOp {
	return laneOp{operands: 2, total: func(a, b, _ uint32) uint32 { return f(a, b) }}
}

func partial(f func(a, b uint32) (uint32, bool)) laneOp {
	return laneOp{operands: 2, partial: func(a, b, _ uint32) (uint32, bool) { return f(a, b) }}
}

// compareFloats returns a comparison. It gives unordered if an operand is NaN.
func compareFloats(unordered bool, f func(a, b float32) bool) laneOp {
	return twoWords(func(a, b uint32) uint32 {
		x, y := float(a), float(b)
		if x != x || y != y {
			return boolWord(unordered)
		}
		return boolWord(f(x, y))
	})
}

func compare(f func(a, b uint32) bool) laneOp {
	return twoWords(func(a, b uint32) uint32 { return boolWord(f(a, b)) })
}

func equalFloats(a, b float32) bool  { return a == b }
func unequal(a, b float32) bool      { return a != b }
func less(a, b float32) bool         { return a < b }
func greater(a, b float32) bool      { return a > b }
func lessEqual(a, b float32) bool    { return a <= b }
func greaterEqual(a, b float32) bool { return a >= b }

// makeLaneOps returns the core instructions that work on each lane alone, by opcode.
func makeLaneOps() map[uint16]laneOp {
	return map[uint16]laneOp{
		109: {operands: 1, partial: convertToU},
		110: {operands: 1, partial: convertToS},
		111: oneWord(func(a uint32) uint32 { return word(float32(int32(a))) }), // ConvertSToF
		112: oneWord(func(a uint32) uint32 { return word(float32(a)) }),        // ConvertUToF
		113: oneWord(func(a uint32) uint32 { return a }),                       // UConvert and SConvert of 32 bits
		114: oneWord(func(a uint32) uint32 { return a }),
		116: oneWord(func(a uint32) uint32 { return word(halfToFloat(floatToHalf(float(a)))) }), // QuantizeToF16
		124: oneWord(func(a uint32) uint32 { return a }),                                        // Bitcast
		126: oneWord(func(a uint32) uint32 { return -a }),
		127: oneWord(func(a uint32) uint32 { return a ^ 1<<31 }),
		128: twoWords(func(a, b uint32) uint32 { return a + b }),
		129: {operands: 2, run: addLanes},
		130: twoWords(func(a, b uint32) uint32 { return a - b }),
		131: {operands: 2, run: subLanes},
		132: twoWords(func(a, b uint32) uint32 { return a * b }),
		133: {operands: 2, run: mulLanes},
		134: partial(func(a, b uint32) (uint32, bool) { // UDiv
			if b == 0 {
				return 0, false
			}
			return a / b, true
		}),
		135: partial(func(a, b uint32) (uint32, bool) { return divide(int32(a), int32(b)) }),
		136: twoWords(func(a, b uint32) uint32 { return word(float(a) / float(b)) }),
		137: partial(func(a, b uint32) (uint32, bool) { // UMod
			if b == 0 {
				return a, false
			}
			return a % b, true
		}),
		138: partial(func(a, b uint32) (uint32, bool) { // SRem
			q, ok := divide(int32(a), int32(b))
			return a - q*b, ok
		}),
		139: partial(func(a, b uint32) (uint32, bool) { // SMod
			q, ok := divide(int32(a), int32(b))
			r := a - q*b
			if r != 0 && (r^b)>>31 != 0 {
				r += b
			}
			return r, ok
		}),
		140: twoWords(func(a, b uint32) uint32 { return remainder(a, b, math.Trunc) }),
		141: twoWords(func(a, b uint32) uint32 { return remainder(a, b, math.Floor) }),
		156: oneWord(func(a uint32) uint32 { return boolWord(a<<1 > 0xff<<24) }),  // IsNan
		157: oneWord(func(a uint32) uint32 { return boolWord(a<<1 == 0xff<<24) }), // IsInf
		164: compare(func(a, b uint32) bool { return a == b }),                    // LogicalEqual
		165: compare(func(a, b uint32) bool { return a != b }),
		166: twoWords(func(a, b uint32) uint32 { return a | b }),
		167: twoWords(func(a, b uint32) uint32 { return a & b }),
		168: oneWord(func(a uint32) uint32 { return a ^ 1 }),
		170: compare(func(a, b uint32) bool { return a == b }), // IEqual
		171: compare(func(a, b uint32) bool { return a != b }),
		172: compare(func(a, b uint32) bool { return a > b }),
		173: compare(func(a, b uint32) bool { return int32(a) > int32(b) }),
		174: compare(func(a, b uint32) bool { return a >= b }),
		175: compare(func(a, b uint32) bool { return int32(a) >= int32(b) }),
		176: compare(func(a, b uint32) bool { return a < b }),
		177: compare(func(a, b uint32) bool { return int32(a) < int32(b) }),
		178: compare(func(a, b uint32) bool { return a <= b }),
		179: compare(func(a, b uint32) bool { return int32(a) <= int32(b) }),
		180: compareFloats(false, equalFloats),
		181: compareFloats(true, equalFloats),
		182: compareFloats(false, unequal),
		183: compareFloats(true, unequal),
		184: compareFloats(false, less),
		185: compareFloats(true, less),
		186: compareFloats(false, greater),
		187: compareFloats(true, greater),
		188: compareFloats(false, lessEqual),
		189: compareFloats(true, lessEqual),
		190: compareFloats(false, greaterEqual),
		191: compareFloats(true, greaterEqual),
		194: partial(func(a, b uint32) (uint32, bool) { return a >> b, b < 32 }),
		195: partial(func(a, b uint32) (uint32, bool) { return uint32(int32(a) >> b), b < 32 }),
		196: partial(func(a, b uint32) (uint32, bool) { return a << b, b < 32 }),
		197: twoWords(func(a, b uint32) uint32 { return a | b }),
		198: twoWords(func(a, b uint32) uint32 { return a ^ b }),
		199: twoWords(func(a, b uint32) uint32 { return a & b }),
		200: oneWord(func(a uint32) uint32 { return ^a }),
		204: oneWord(bits.Reverse32),
		205: oneWord(func(a uint32) uint32 { return uint32(bits.OnesCount32(a)) }),
	}
}

// wideOps holds the low and the high word of OpIAddCarry, OpISubBorrow, OpUMulExtended and OpSMulExtended.
var wideOps = [4][2]func(a, b, _ uint32) uint32{
	{func(a, b, _ uint32) uint32 { return a + b }, func(a, b, _ uint32) uint32 { return boolWord(a+b < a) }},
	{func(a, b, _ uint32) uint32 { return a - b }, func(a, b, _ uint32) uint32 { return boolWord(a < b) }},
	{func(a, b, _ uint32) uint32 { return a * b }, func(a, b, _ uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }},
	{func(a, b, _ uint32) uint32 { return a * b },
		func(a, b, _ uint32) uint32 { return uint32(uint64(int64(int32(a))*int64(int32(b))) >> 32) }},
}

// divide returns the quotient, truncated, and whether it is defined.
func divide(a, b int32) (uint32, bool) {
	switch {
	case b == 0:
		return 0, false
	case b == -1:
		return uint32(-a), a != math.MinInt32
	}
	return uint32(a / b), true
}

func remainder(a, b uint32, round func(float64) float64) uint32 {
	x, y := float64(float(a)), float64(float(b))
	return word(float32(x - y*round(x/y)))
}

func convertToU(a, _, _ uint32) (uint32, bool) {
	x := float(a)
	switch {
	case x != x || x <= -1:
		return 0, false
	case x >= 1<<32:
		return math.MaxUint32, false
	}
	return uint32(int64(x)), true
}

func convertToS(a, _, _ uint32) (uint32, bool) {
	x := float(a)
	switch {
	case x != x:
		return 0, false
	case x >= 1<<31:
		return math.MaxInt32, false
	case x < -1<<31:
		return 1 << 31, false
	}
	return uint32(int32(x)), true
}

// signedField and unsignedField extract count bits from offset on.
func signedField(base, offset, count uint32) (uint32, bool) {
	if uint64(offset)+uint64(count) > 32 {
		return 0, false
	}
	if count == 0 {
		return 0, true
	}
	return uint32(int32(base<<(32-offset-count)) >> (32 - count)), true
}

func unsignedField(base, offset, count uint32) (uint32, bool) {
	mask, ok := lowBits(0, 0, count)
	return base >> offset & mask, ok && uint64(offset)+uint64(count) <= 32
}

// floatToHalf rounds to the nearest number of 16 bits, to even between two.
func floatToHalf(x float32) uint32 {
	w := word(x)
	sign, w := w>>16&0x8000, w&^(1<<31)
	switch {
	case w > 0x7f800000:
		return sign | 0x7e00
	case w >= 0x477ff000: // 65520 and more round to infinity
		return sign | 0x7c00
	case w < 0x38800000: // below 2^-14: a multiple of 2^-24
		return sign | uint32(math.RoundToEven(float64(float(w))*(1<<24)))
	}
	w += 0xfff + w>>13&1
	return sign | (w-0x38000000)>>13
}

func halfToFloat(h uint32) float32 {
	sign, exponent, fraction := h>>15&1<<31, h>>10&31, h&0x3ff
	switch exponent {
	case 0:
		return float(sign | word(float32(fraction)/(1<<24)))
	case 31:
		return float(sign | 0x7f800000 | fraction<<13)
	}
	return float(sign | (exponent+112)<<23 | fraction<<13)
}

// lowBits returns a word with count ones from offset on.
func lowBits(_, offset, count uint32) (uint32, bool) {
	if uint64(offset)+uint64(count) > 32 {
		return 0, false
	}
	return uint32(uint64(1)<<count-1) << offset, true
}
