package sim

import (
	"math"
	"math/bits"

	"github.com/shaderlift/shaderlift/asm/r600"
)

// eval computes one slot of one thread.
type eval = func(a, b, c uint32) uint32

// evals returns the operations that addresses and conditions use. It excludes doubles, the local
// data share, cube maps and interpolation. Results equal those of the hardware except for the last
// bits of transcendentals.
//
// Floats are computed in float64 and rounded if that gives the same result. A product and a sum are
// rounded separately, as MULADD does. Explicit conversions and named products keep the Go compiler
// from fusing them.
func evals() (t [r600.Ops]eval) {
	for op, f := range map[r600.Op]func(a, b float32) float32{
		r600.OpAdd: func(a, b float32) float32 { return a + b },
		r600.OpMul: mulZero, r600.OpMulIEEE: func(a, b float32) float32 { return a * b },
		r600.OpMax: maxFloat, r600.OpMaxDX10: maxFloat, r600.OpMin: minFloat, r600.OpMinDX10: minFloat,
	} {
		t[op] = func(a, b, _ uint32) uint32 { return floatWord(f(float(a), float(b))) }
	}
	for op, f := range map[r600.Op]func(float64) float64{
		r600.OpFract: func(x float64) float64 { return x - math.Floor(x) },
		r600.OpTrunc: math.Trunc, r600.OpCeil: math.Ceil, r600.OpRndNE: math.RoundToEven, r600.OpFloor: math.Floor,
		r600.OpExpIEEE: math.Exp2, r600.OpLogIEEE: math.Log2, r600.OpLogClamped: math.Log2,
		r600.OpRecipIEEE: inverse, r600.OpRecipClamped: inverse, r600.OpRecipFF: inverse,
		r600.OpRecipSqrtIEEE: inverseRoot, r600.OpRecipSqrtClamped: inverseRoot, r600.OpRecipSqrtFF: inverseRoot,
		r600.OpSqrtIEEE: math.Sqrt,
	} {
		t[op] = func(a, _, _ uint32) uint32 { return floatWord(float32(f(float64(float(a))))) }
	}
	for op, scale := range map[r600.Op]float32{
		r600.OpMulAdd: 1, r600.OpMulAddIEEE: 1, r600.OpMulAddM2: 2, r600.OpMulAddIEEEM2: 2,
		r600.OpMulAddM4: 4, r600.OpMulAddIEEEM4: 4, r600.OpMulAddD2: 0.5, r600.OpMulAddIEEED2: 0.5,
	} {
		t[op] = func(a, b, c uint32) uint32 {
			product := float(a) * float(b)
			return floatWord((product + float(c)) * scale)
		}
	}
	t[r600.OpFma] = func(a, b, c uint32) uint32 {
		return floatWord(float32(math.FMA(float64(float(a)), float64(float(b)), float64(float(c)))))
	}
	compare(&t)
	integer(&t)
	return t
}

// compare adds comparisons in all forms of the hardware: a number (SETGT: 1.0 or 0.0), a mask
// (DX10), a predicate and a kill.
func compare(t *[r600.Ops]eval) {
	type test struct {
		set, dx10, pred, kill r600.Op
		holds                 func(a, b float32) bool
	}
	for _, c := range []test{
		{r600.OpSetE, r600.OpSetEDX10, r600.OpPredSetE, r600.OpKillE, func(a, b float32) bool { return a == b }},
		{r600.OpSetGT, r600.OpSetGTDX10, r600.OpPredSetGT, r600.OpKillGT, func(a, b float32) bool { return a > b }},
		{r600.OpSetGE, r600.OpSetGEDX10, r600.OpPredSetGE, r600.OpKillGE, func(a, b float32) bool { return a >= b }},
		{r600.OpSetNE, r600.OpSetNEDX10, r600.OpPredSetNE, r600.OpKillNE, func(a, b float32) bool { return a != b }},
	} {
		for op, yes := range map[r600.Op]uint32{c.set: floatWord(1), c.dx10: ^uint32(0), c.pred: 1, c.kill: 1} {
			t[op] = func(a, b, _ uint32) uint32 { return choose(c.holds(float(a), float(b)), yes, 0) }
		}
	}
	type integerTest struct {
		set, pred, kill r600.Op
		holds           func(a, b uint32) bool
	}
	for _, c := range []integerTest{
		{r600.OpSetEInt, r600.OpPredSetEInt, r600.OpKillEInt, func(a, b uint32) bool { return a == b }},
		{r600.OpSetGTInt, r600.OpPredSetGTInt, r600.OpKillGTInt, func(a, b uint32) bool { return int32(a) > int32(b) }},
		{r600.OpSetGEInt, r600.OpPredSetGEInt, r600.OpKillGEInt, func(a, b uint32) bool { return int32(a) >= int32(b) }},
		{r600.OpSetNEInt, r600.OpPredSetNEInt, r600.OpKillNEInt, func(a, b uint32) bool { return a != b }},
		{r600.OpSetGTUint, r600.OpPredSetGTUint, r600.OpKillGTUint, func(a, b uint32) bool { return a > b }},
		{r600.OpSetGEUint, r600.OpPredSetGEUint, r600.OpKillGEUint, func(a, b uint32) bool { return a >= b }},
	} {
		for _, op := range []r600.Op{c.set, c.pred, c.kill} {
			t[op] = func(a, b, _ uint32) uint32 { return choose(c.holds(a, b), ^uint32(0), 0) }
		}
	}
	for op, holds := range map[r600.Op]func(uint32) bool{
		r600.OpCndE:     func(a uint32) bool { return float(a) == 0 },
		r600.OpCndGT:    func(a uint32) bool { return float(a) > 0 },
		r600.OpCndGE:    func(a uint32) bool { return float(a) >= 0 },
		r600.OpCndEInt:  func(a uint32) bool { return a == 0 },
		r600.OpCndGTInt: func(a uint32) bool { return int32(a) > 0 },
		r600.OpCndGEInt: func(a uint32) bool { return int32(a) >= 0 },
	} {
		t[op] = func(a, b, c uint32) uint32 { return choose(holds(a), b, c) }
	}
}

// integer adds the operations on words.
func integer(t *[r600.Ops]eval) {
	high := func(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }
	highSigned := func(a, b uint32) uint32 { return uint32(int64(int32(a)) * int64(int32(b)) >> 32) }
	for op, f := range map[r600.Op]func(a, b uint32) uint32{
		r600.OpAndInt:   func(a, b uint32) uint32 { return a & b },
		r600.OpOrInt:    func(a, b uint32) uint32 { return a | b },
		r600.OpXorInt:   func(a, b uint32) uint32 { return a ^ b },
		r600.OpAddInt:   func(a, b uint32) uint32 { return a + b },
		r600.OpSubInt:   func(a, b uint32) uint32 { return a - b },
		r600.OpMaxUint:  func(a, b uint32) uint32 { return max(a, b) },
		r600.OpMinUint:  func(a, b uint32) uint32 { return min(a, b) },
		r600.OpMaxInt:   func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) },
		r600.OpMinInt:   func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) },
		r600.OpAShrInt:  func(a, b uint32) uint32 { return uint32(int32(a) >> (b & 31)) },
		r600.OpLShrInt:  func(a, b uint32) uint32 { return a >> (b & 31) },
		r600.OpLShlInt:  func(a, b uint32) uint32 { return a << (b & 31) },
		r600.OpMulLoInt: func(a, b uint32) uint32 { return a * b }, r600.OpMulLoUint: func(a,
			b uint32) uint32 {
			return a * b
		},
		r600.OpMulHiInt: highSigned, r600.OpMulHiUint: high,
		r600.OpMulUint24: func(a, b uint32) uint32 { return a & 0xFFFFFF * (b & 0xFFFFFF) },
		r600.OpAddcUint:  func(a, b uint32) uint32 { _, c := bits.Add32(a, b, 0); return c },
		r600.OpSubbUint:  func(a, b uint32) uint32 { _, c := bits.Sub32(a, b, 0); return c },
		r600.OpBFMInt:    func(a, b uint32) uint32 { return (1<<(a&31) - 1) << (b & 31) },
	} {
		t[op] = func(a, b, _ uint32) uint32 { return f(a, b) }
	}
	for op, f := range map[r600.Op]func(uint32) uint32{
		r600.OpMov:       func(a uint32) uint32 { return a },
		r600.OpNotInt:    func(a uint32) uint32 { return ^a },
		r600.OpBFRevInt:  bits.Reverse32,
		r600.OpFltToInt:  func(a uint32) uint32 { return uint32(toInt(float(a))) },
		r600.OpFltToUint: func(a uint32) uint32 { return toUint(float(a)) },
		r600.OpIntToFlt:  func(a uint32) uint32 { return floatWord(float32(int32(a))) },
		r600.OpUintToFlt: func(a uint32) uint32 { return floatWord(float32(a)) },
		r600.OpRecipUint: func(a uint32) uint32 {
			if a == 0 {
				return ^uint32(0)
			}
			return uint32(min(1<<32/uint64(a), math.MaxUint32))
		},
		r600.OpBCNTInt:    func(a uint32) uint32 { return uint32(bits.OnesCount32(a)) },
		r600.OpMova:       func(a uint32) uint32 { return uint32(toInt(float32(math.Round(float64(float(a)))))) },
		r600.OpMovaFloor:  func(a uint32) uint32 { return uint32(toInt(float32(math.Floor(float64(float(a)))))) },
		r600.OpMovaInt:    func(a uint32) uint32 { return a },
		r600.OpMovaGprInt: func(a uint32) uint32 { return a },
	} {
		t[op] = func(a, _, _ uint32) uint32 { return f(a) }
	}
	t[r600.OpBFEUint] = func(a, b, c uint32) uint32 { return a >> (b & 31) & (1<<(c&31) - 1) }
	t[r600.OpBFEInt] = func(a, b, c uint32) uint32 {
		width := c & 31
		if width == 0 {
			return 0
		}
		return uint32(int32(a>>(b&31)<<(32-width)) >> (32 - width))
	}
	t[r600.OpBFIInt] = func(a, b, c uint32) uint32 { return a&b | ^a&c }
	t[r600.OpBitAlignInt] = func(a, b, c uint32) uint32 { return uint32((uint64(a)<<32 | uint64(b)) >> (c & 31)) }
	t[r600.OpMulAddUint24] = func(a, b, c uint32) uint32 { return a&0xFFFFFF*(b&0xFFFFFF) + c }
}

// modifies reports whether an instruction has output modifiers.
func modifies(inst *r600.Inst) bool { return inst.OMod != r600.OModNone || inst.Clamp }

// modify applies the output modifiers of an instruction, first the scale and then the clamp to
// 0..1.
func modify(v *lanes, inst *r600.Inst) {
	scale := [...]float32{r600.OModNone: 1, r600.OModMul2: 2, r600.OModMul4: 4, r600.OModDiv2: 0.5}[inst.OMod]
	for lane := range v {
		x := float(v[lane]) * scale
		if inst.Clamp {
			x = minFloat(maxFloat(x, 0), 1)
		}
		v[lane] = floatWord(x)
	}
}

// flops returns the number of float additions and multiplications of an operation.
func flops(op r600.Op) int {
	switch op {
	case r600.OpAdd, r600.OpMul, r600.OpMulIEEE, r600.OpAdd64, r600.OpMul64:
		return 1
	case r600.OpMulAdd, r600.OpMulAddIEEE, r600.OpMulAddM2, r600.OpMulAddM4, r600.OpMulAddD2,
		r600.OpMulAddIEEEM2, r600.OpMulAddIEEEM4, r600.OpMulAddIEEED2, r600.OpFma, r600.OpMulAdd64, r600.OpFma64:
		return 2
	case r600.OpDot4, r600.OpDot4IEEE:
		return 7
	}
	return 0
}

func float(w uint32) float32     { return math.Float32frombits(w) }
func floatWord(f float32) uint32 { return math.Float32bits(f) }

func choose(c bool, yes, no uint32) uint32 {
	if c {
		return yes
	}
	return no
}

func mulZero(a, b float32) float32 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// maxFloat and minFloat return the other operand if one is NaN.
func maxFloat(a, b float32) float32 {
	if a >= b || b != b {
		return a
	}
	return b
}

func minFloat(a, b float32) float32 {
	if a < b || b != b {
		return a
	}
	return b
}

func inverse(x float64) float64     { return 1 / x }
func inverseRoot(x float64) float64 { return 1 / math.Sqrt(x) }

// toInt and toUint truncate and saturate, as D3D10 requires.
func toInt(f float32) int32 {
	switch {
	case f != f:
		return 0
	case f >= 1<<31:
		return math.MaxInt32
	case f <= -1<<31:
		return math.MinInt32
	}
	return int32(f)
}

func toUint(f float32) uint32 {
	switch {
	case !(f > 0):
		return 0
	case f >= 1<<32:
		return math.MaxUint32
	}
	return uint32(f)
}
