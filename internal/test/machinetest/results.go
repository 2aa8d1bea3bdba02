package machinetest

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
)

// The results of operations, from the instruction set documents ("R600-Family Instruction Set
// Architecture", ALU instructions; "Evergreen Family Instruction Set Architecture" for its own
// operations). Floats flush subnormals. In the legacy multiplication 0 times infinity or NaN is 0.
// Shifts take any count, and approximations are as good as float32 can be.

// Float returns the float that operations read from a word.
func Float(w uint32) float32 {
	if w&0x7F800000 == 0 {
		w &= (1 << 31)
	}
	return math.Float32frombits(w)
}

// FloatWord returns the word that operations write for a float.
func FloatWord(x float32) uint32 {
	if x != x {
		return 0x7FC00000 // the only NaN that operations yield
	}
	w := math.Float32bits(x)
	if w&0x7F800000 == 0 {
		w &= (1 << 31)
	}
	return w
}

// Truth returns the outcome of a comparison of words.
func Truth(b bool) uint32 {
	if b {
		return 0xFFFFFFFF
	}
	return 0
}

// Select returns x if b holds, else y.
func Select(b bool, x, y uint32) uint32 {
	if b {
		return x
	}
	return y
}

// legacyMul computes the multiplication of OP2_INST_MUL: a factor 0 gives 0 whatever the other
// factor.
func legacyMul(a, b float32) float32 {
	if p := a * b; p == p || a != 0 && b != 0 {
		return p
	}
	return 0
}

// The tables by operation. aluFloat1 and aluFloat2 are operations on one and two floats, which are
// flushed on input and output. aluWords are operations on plain words. aluDouble and
// aluDoubleCompare are operations on doubles in two slots.
var (
	aluFloat1 = map[r600.Op]func(a float32) float32{
		r600.OpMov:   func(a float32) float32 { return a },
		r600.OpFract: func(a float32) float32 { return a - float32(math.Floor(float64(a))) },
		r600.OpTrunc: func(a float32) float32 { return float32(math.Trunc(float64(a))) },
		r600.OpCeil:  func(a float32) float32 { return float32(math.Ceil(float64(a))) },
		r600.OpFloor: func(a float32) float32 { return float32(math.Floor(float64(a))) },
		r600.OpRndNE: func(a float32) float32 { return float32(math.RoundToEven(float64(a))) },

		r600.OpExpIEEE:          func(a float32) float32 { return float32(math.Exp2(float64(a))) },
		r600.OpLogIEEE:          func(a float32) float32 { return float32(math.Log2(float64(a))) },
		r600.OpLogClamped:       func(a float32) float32 { return atMost(float32(math.Log2(float64(a)))) },
		r600.OpRecipIEEE:        func(a float32) float32 { return 1 / a },
		r600.OpRecipClamped:     func(a float32) float32 { return atMost(1 / a) },
		r600.OpRecipFF:          func(a float32) float32 { return noInfinity(1 / a) },
		r600.OpRecipSqrtIEEE:    func(a float32) float32 { return float32(1 / math.Sqrt(float64(a))) },
		r600.OpRecipSqrtClamped: func(a float32) float32 { return atMost(float32(1 / math.Sqrt(float64(a)))) },
		r600.OpRecipSqrtFF:      func(a float32) float32 { return noInfinity(float32(1 / math.Sqrt(float64(a)))) },
		r600.OpSqrtIEEE:         func(a float32) float32 { return float32(math.Sqrt(float64(a))) },
	}
	aluFloat2 = map[r600.Op]func(a, b float32) float32{
		r600.OpAdd:     func(a, b float32) float32 { return a + b },
		r600.OpMul:     legacyMul,
		r600.OpMulIEEE: func(a, b float32) float32 { return a * b },
		r600.OpMax:     func(a, b float32) float32 { return PickFloat(a >= b, a, b) },
		r600.OpMin:     func(a, b float32) float32 { return PickFloat(a < b, a, b) },
		r600.OpMaxDX10: func(a, b float32) float32 { return PickFloat(a >= b || b != b, a, b) },
		r600.OpMinDX10: func(a, b float32) float32 { return PickFloat(a < b || b != b, a, b) },
		r600.OpSetE:    func(a, b float32) float32 { return PickFloat(a == b, 1, 0) },
		r600.OpSetGT:   func(a, b float32) float32 { return PickFloat(a > b, 1, 0) },
		r600.OpSetGE:   func(a, b float32) float32 { return PickFloat(a >= b, 1, 0) },
		r600.OpSetNE:   func(a, b float32) float32 { return PickFloat(a != b, 1, 0) },
	}
	aluWords = map[r600.Op]func(a, b, c uint32) uint32{
		r600.OpMulAdd:     func(a, b, c uint32) uint32 { return FloatWord(legacyMul(Float(a), Float(b)) + Float(c)) },
		r600.OpMulAddIEEE: func(a, b, c uint32) uint32 { return FloatWord(float32(Float(a)*Float(b)) + Float(c)) },
		r600.OpFma: func(a, b, c uint32) uint32 {
			return FloatWord(float32(math.FMA(float64(Float(a)), float64(Float(b)), float64(Float(c)))))
		},
		r600.OpCndE:  func(a, b, c uint32) uint32 { return Select(Float(a) == 0, b, c) },
		r600.OpCndGT: func(a, b, c uint32) uint32 { return Select(Float(a) > 0, b, c) },
		r600.OpCndGE: func(a, b, c uint32) uint32 { return Select(Float(a) >= 0, b, c) },
		// MUL_LIT is for the specular term of lit: -MAX replaces minus infinity of the logarithm.
		r600.OpMulLit: func(a, b, c uint32) uint32 {
			x, y, z := Float(a), Float(b), Float(c)
			if y == -math.MaxFloat32 || y != y || math.IsInf(float64(y), -1) || z <= 0 || z != z {
				return FloatWord(-math.MaxFloat32)
			}
			return FloatWord(legacyMul(x, y))
		},
		r600.OpSetEDX10:  func(a, b, _ uint32) uint32 { return Truth(Float(a) == Float(b)) },
		r600.OpSetGTDX10: func(a, b, _ uint32) uint32 { return Truth(Float(a) > Float(b)) },
		r600.OpSetGEDX10: func(a, b, _ uint32) uint32 { return Truth(Float(a) >= Float(b)) },
		r600.OpSetNEDX10: func(a, b, _ uint32) uint32 { return Truth(Float(a) != Float(b)) },

		r600.OpAndInt:    func(a, b, _ uint32) uint32 { return a & b },
		r600.OpOrInt:     func(a, b, _ uint32) uint32 { return a | b },
		r600.OpXorInt:    func(a, b, _ uint32) uint32 { return a ^ b },
		r600.OpNotInt:    func(a, _, _ uint32) uint32 { return ^a },
		r600.OpAddInt:    func(a, b, _ uint32) uint32 { return a + b },
		r600.OpSubInt:    func(a, b, _ uint32) uint32 { return a - b },
		r600.OpMaxInt:    func(a, b, _ uint32) uint32 { return uint32(max(int32(a), int32(b))) },
		r600.OpMinInt:    func(a, b, _ uint32) uint32 { return uint32(min(int32(a), int32(b))) },
		r600.OpMaxUint:   func(a, b, _ uint32) uint32 { return max(a, b) },
		r600.OpMinUint:   func(a, b, _ uint32) uint32 { return min(a, b) },
		r600.OpSetEInt:   func(a, b, _ uint32) uint32 { return Truth(a == b) },
		r600.OpSetNEInt:  func(a, b, _ uint32) uint32 { return Truth(a != b) },
		r600.OpSetGTInt:  func(a, b, _ uint32) uint32 { return Truth(int32(a) > int32(b)) },
		r600.OpSetGEInt:  func(a, b, _ uint32) uint32 { return Truth(int32(a) >= int32(b)) },
		r600.OpSetGTUint: func(a, b, _ uint32) uint32 { return Truth(a > b) },
		r600.OpSetGEUint: func(a, b, _ uint32) uint32 { return Truth(a >= b) },
		r600.OpCndEInt:   func(a, b, c uint32) uint32 { return Select(a == 0, b, c) },
		r600.OpLShlInt:   func(a, b, _ uint32) uint32 { return a << b },
		r600.OpLShrInt:   func(a, b, _ uint32) uint32 { return a >> b },
		r600.OpAShrInt:   func(a, b, _ uint32) uint32 { return uint32(int32(a) >> b) },
		r600.OpMulLoInt:  func(a, b, _ uint32) uint32 { return a * b },
		r600.OpMulLoUint: func(a, b, _ uint32) uint32 { return a * b },
		r600.OpMulHiInt:  func(a, b, _ uint32) uint32 { return uint32(int64(int32(a)) * int64(int32(b)) >> 32) },
		r600.OpMulHiUint: func(a, b, _ uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) },
		r600.OpRecipUint: func(a, _, _ uint32) uint32 {
			return uint32(min(math.Round(0x1p32*float64(1/float32(a))), math.MaxUint32)) // of floats, so slightly off
		},
		r600.OpAddcUint:  func(a, b, _ uint32) uint32 { return Truth(a+b < a) & 1 },
		r600.OpSubbUint:  func(a, b, _ uint32) uint32 { return Truth(a < b) & 1 },
		r600.OpFltToInt:  func(a, _, _ uint32) uint32 { return uint32(roundedInt(Float(a))) },
		r600.OpFltToUint: func(a, _, _ uint32) uint32 { return roundedUint(Float(a)) },
		r600.OpIntToFlt:  func(a, _, _ uint32) uint32 { return FloatWord(float32(int32(a))) },
		r600.OpUintToFlt: func(a, _, _ uint32) uint32 { return FloatWord(float32(a)) },

		// Width 0 gives 0. A field that ends at the top is a plain arithmetic shift.
		r600.OpBFEUint: func(a, b, c uint32) uint32 { return a >> (b & 31) & (1<<(c&31) - 1) },
		r600.OpBFEInt: func(a, b, c uint32) uint32 {
			if c&31 == 0 {
				return 0
			}
			if o, w := b&31, c&31; o+w < 32 {
				return uint32(int32(a<<(32-o-w)) >> (32 - w))
			}
			return uint32(int32(a) >> (b & 31))
		},
		r600.OpBFIInt:   func(a, b, c uint32) uint32 { return a&b | ^a&c },
		r600.OpBFMInt:   func(a, b, _ uint32) uint32 { return (1<<(a&31) - 1) << (b & 31) },
		r600.OpBFRevInt: func(a, _, _ uint32) uint32 { return bits.Reverse32(a) },
		r600.OpBCNTInt:  func(a, _, _ uint32) uint32 { return uint32(bits.OnesCount32(a)) },
		r600.OpFFBHUint: func(a, _, _ uint32) uint32 { return FirstOne(a) },
		r600.OpFFBHInt:  func(a, _, _ uint32) uint32 { return FirstOne(a ^ uint32(int32(a)>>31)) },
		r600.OpFFBLInt: func(a, _, _ uint32) uint32 {
			return Select(a == 0, 0xFFFFFFFF,
				uint32(bits.TrailingZeros32(a)))
		},
		r600.OpBitAlignInt:  func(a, b, c uint32) uint32 { return uint32((uint64(a)<<32 | uint64(b)) >> (c & 31)) },
		r600.OpByteAlignInt: func(a, b, c uint32) uint32 { return uint32((uint64(a)<<32 | uint64(b)) >> (8 * (c & 3))) },
		r600.OpMulUint24:    func(a, b, _ uint32) uint32 { return (a & 0xFFFFFF) * (b & 0xFFFFFF) },
		r600.OpMulAddUint24: func(a, b, c uint32) uint32 { return (a&0xFFFFFF)*(b&0xFFFFFF) + c },
		r600.OpSadAccumUint: AbsoluteDifferences,
		r600.OpLerpUint:     Averages,
		r600.OpUbyte0Flt:    func(a, _, _ uint32) uint32 { return FloatWord(float32(a & 255)) },
		r600.OpUbyte1Flt:    func(a, _, _ uint32) uint32 { return FloatWord(float32(a >> 8 & 255)) },
		r600.OpUbyte2Flt:    func(a, _, _ uint32) uint32 { return FloatWord(float32(a >> 16 & 255)) },
		r600.OpUbyte3Flt:    func(a, _, _ uint32) uint32 { return FloatWord(float32(a >> 24)) },
		r600.OpFlt16ToFlt32: func(a, _, _ uint32) uint32 { return FloatWord(float32(HalfValue(a))) },
		r600.OpFlt32ToFlt16: func(a, _, _ uint32) uint32 { return NearestHalf(a) },
	}
	aluDouble = map[r600.Op]func(a, b, c float64) float64{
		r600.OpAdd64:    func(a, b, _ float64) float64 { return a + b },
		r600.OpMul64:    func(a, b, _ float64) float64 { return a * b },
		r600.OpMin64:    func(a, b, _ float64) float64 { return pickDouble(a < b || b != b, a, b) },
		r600.OpMax64:    func(a, b, _ float64) float64 { return pickDouble(a >= b || b != b, a, b) },
		r600.OpFract64:  func(a, _, _ float64) float64 { return a - math.Floor(a) },
		r600.OpMulAdd64: math.FMA,
		r600.OpFma64:    math.FMA,
	}
	aluDoubleCompare = map[r600.Op]func(a, b float64) bool{
		r600.OpSetE64:  func(a, b float64) bool { return a == b },
		r600.OpSetNE64: func(a, b float64) bool { return a != b },
		r600.OpSetGT64: func(a, b float64) bool { return a > b },
		r600.OpSetGE64: func(a, b float64) bool { return a >= b },
	}
)

// PickFloat returns a if c holds, else b.
func PickFloat(c bool, a, b float32) float32 {
	if c {
		return a
	}
	return b
}

// pickDouble returns a if c holds, else b.
func pickDouble(c bool, a, b float64) float64 {
	if c {
		return a
	}
	return b
}

// atMost clamps infinities to the largest number (the _CLAMPED operations).
func atMost(x float32) float32 {
	if math.IsInf(float64(x), 0) {
		return float32(math.Copysign(math.MaxFloat32, float64(x)))
	}
	return x
}

// noInfinity converts infinities to zeros with their sign (the _FF operations).
func noInfinity(x float32) float32 {
	if math.IsInf(float64(x), 0) {
		return float32(math.Copysign(0, float64(x)))
	}
	return x
}

// roundedInt rounds to the nearest, which is why lowering truncates first.
func roundedInt(x float32) int32 {
	r := math.RoundToEven(float64(x))
	switch {
	case r != r:
		return 0
	case r >= math.MaxInt32:
		return math.MaxInt32
	case r <= math.MinInt32:
		return math.MinInt32
	}
	return int32(r)
}

// roundedUint rounds to the nearest unsigned integer.
func roundedUint(x float32) uint32 {
	r := math.RoundToEven(float64(x))
	switch {
	case !(r > 0):
		return 0
	case r >= math.MaxUint32:
		return math.MaxUint32
	}
	return uint32(r)
}

// FirstOne returns the number of zeros above the highest one of a word, or all ones for 0.
func FirstOne(a uint32) uint32 { return Select(a == 0, 0xFFFFFFFF, uint32(bits.LeadingZeros32(a))) }

// AbsoluteDifferences adds the differences of the bytes of a and b to c.
func AbsoluteDifferences(a, b, c uint32) uint32 {
	for i := range 4 {
		x, y := int(a>>(8*i)&255), int(b>>(8*i)&255)
		c += uint32(max(x-y, y-x))
	}
	return c
}

// Averages computes the means of the bytes of a and b, rounded up if c has the bit.
func Averages(a, b, c uint32) (out uint32) {
	for i := range 4 {
		out |= ((a>>(8*i)&255 + b>>(8*i)&255 + c>>(8*i)&1) >> 1) << (8 * i)
	}
	return out
}

// HalfValue returns the value of a half float: 10 bits of mantissa, 5 of exponent with a bias of
// 15.
func HalfValue(h uint32) float64 {
	m, e := float64(h&1023), int(h>>10&31)
	x := math.Ldexp(m+1024, e-25)
	switch {
	case e == 0:
		x = math.Ldexp(m, -24)
	case e == 31 && m == 0:
		x = math.Inf(1)
	case e == 31:
		x = math.NaN()
	}
	if h&0x8000 != 0 {
		x = -x
	}
	return x
}

// NearestHalf returns the half nearest to a float, the even one of a tie. It bisects over the bit
// patterns, which are ordered like the numbers, and so shares nothing with the tested conversion.
// From 65520 on the result is infinity.
func NearestHalf(w uint32) uint32 {
	x, s := math.Abs(float64(Float(w))), w>>16&0x8000
	switch {
	case x != x:
		return s | 0x7E00
	case x >= 65520:
		return s | 0x7C00
	}
	lo, hi := uint32(0), uint32(0x7C00)
	for hi-lo > 1 {
		if m := (lo + hi) / 2; HalfValue(m) <= x {
			lo = m
		} else {
			hi = m
		}
	}
	up := 65536.0
	if hi < 0x7C00 {
		up = HalfValue(hi)
	}
	if d, e := x-HalfValue(lo), up-x; d > e || d == e && lo&1 != 0 {
		lo = hi
	}
	return s | lo
}

// Double returns the number in two words.
func Double(lo, hi uint32) float64 { return math.Float64frombits(uint64(hi)<<32 | uint64(lo)) }

// Results returns the results of the slots of a unit for operands with modifiers applied.
func Results(t testing.TB, f r600.Family, op r600.Op, a [][3]uint32) (out [4]uint32) {
	// spread splits a double into two words.
	spread := func(x float64) {
		b := math.Float64bits(x)
		if x != x {
			b = 0x7FF8000000000000
		}
		out[0], out[1] = uint32(b), uint32(b>>32)
	}
	// The upper words are in the first slot, the lower in the last.
	operand := func(j int) float64 { return Double(a[len(a)-1][j], a[0][j]) }
	switch {
	case op == r600.OpMov: // no arithmetic: subnormals stay
		out[0] = a[0][0]
	case aluFloat1[op] != nil:
		out[0] = FloatWord(aluFloat1[op](Float(a[0][0])))
	case aluFloat2[op] != nil:
		out[0] = FloatWord(aluFloat2[op](Float(a[0][0]), Float(a[0][1])))
	case aluWords[op] != nil:
		out[0] = aluWords[op](a[0][0], a[0][1], a[0][2])
	case aluDouble[op] != nil:
		spread(aluDouble[op](operand(0), operand(1), operand(2)))
	case aluDoubleCompare[op] != nil:
		out[0] = Truth(aluDoubleCompare[op](operand(0), operand(1)))
	// R700 and later take turns, R600 radians.
	case op == r600.OpSin || op == r600.OpCos:
		x := float64(Float(a[0][0]))
		if f != r600.R600 {
			x *= 2 * math.Pi
		}
		if math.Abs(x) > math.Pi*1.001 {
			t.Errorf("%v of %v: out of range", op, x)
		}
		if op == r600.OpCos {
			x += math.Pi / 2
		}
		out[0] = FloatWord(float32(math.Sin(x)))
	// The products are added in the order of the slots.
	case op == r600.OpDot4 || op == r600.OpDot4IEEE:
		for i := range a {
			p := Float(a[i][0]) * Float(a[i][1])
			if op == r600.OpDot4 {
				p = legacyMul(Float(a[i][0]), Float(a[i][1]))
			}
			out[0] = Select(i == 0, FloatWord(p), FloatWord(Float(out[0])+p))
		}
	case op == r600.OpFlt32ToFlt64:
		spread(float64(Float(a[0][0])))
	case op == r600.OpFlt64ToFlt32:
		out[0] = FloatWord(float32(operand(0)))
	case op == r600.OpLdexp64:
		spread(math.Ldexp(operand(0), int(int32(a[0][1]))))
	case op == r600.OpFrexp64:
		frac, exp := math.Frexp(operand(0))
		spread(frac)
		out = [4]uint32{0, uint32(exp), out[0], out[1]}
	default:
		panic(fmt.Sprintf("no meaning of %v here", op))
	}
	return out
}

// Holds returns the outcome of an operation that sets the predicate or kills.
func Holds(op r600.Op, a [3]uint32) bool {
	switch op {
	case r600.OpPredSetEInt, r600.OpKillEInt:
		return a[0] == a[1]
	case r600.OpPredSetNEInt, r600.OpKillNEInt:
		return a[0] != a[1]
	case r600.OpKillGT:
		return Float(a[0]) > Float(a[1])
	}
	panic("no meaning of " + op.String())
}

// Modified returns an operand with its modifiers applied.
func Modified(w uint32, neg, abs bool) uint32 {
	if abs {
		w &^= 1 << 31
	}
	if neg {
		w ^= 1 << 31
	}
	return w
}
