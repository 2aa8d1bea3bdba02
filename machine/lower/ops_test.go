package lower

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// TestLowerTable checks that exactly the ops of AMD IL are lowered.
func TestLowerTable(t *testing.T) {
	d := &amdil.Dialect{}
	for op := range ir.Op(ir.NumOps) {
		r := rowOf(op)
		has := r.each != nil || r.whole != nil
		switch {
		case has != d.Supports(op):
			t.Errorf("%v has a row in the table: %v; AMD IL has it: %v", op, has, d.Supports(op))
		case has && r.each != nil && r.whole != nil:
			t.Errorf("%v has two rows", op)
		case has && r.from == unknown:
			t.Errorf("%v does not say where it is from", op)
		case r.each != nil && op.Info().Shape == ir.Positional:
			t.Errorf("%v: its lanes differ, but the row is for one", op)
		}
	}
}

// operands is the kind of numbers that an op is tested on.
type operands uint8

const (
	floats operands = iota
	unit            // -1 to 1
	angles
	words
	halves
	float64s
)

// reference is the result of an op that the IR leaves open, with the tolerance of lowering: in
// ulps, or for floats in ulps and plus.
type reference struct {
	kind  operands
	value func(a *[4][4]uint32, i int) uint32 // nil: the result of the IR
	ulps  int64
	plus  float64
}

func of1(f func(x float64) float64) func(a *[4][4]uint32, i int) uint32 {
	return func(a *[4][4]uint32, i int) uint32 {
		return machinetest.FloatWord(float32(f(float64(machinetest.Float(a[0][i])))))
	}
}

func onDoubles(f func(a, b, c float64) float64) func(a *[4][4]uint32, i int) uint32 {
	return func(a *[4][4]uint32, i int) uint32 {
		var x [3]float64
		for s := range x {
			x[s] = machinetest.Double(a[s][i&2], a[s][i&2+1])
		}
		b := math.Float64bits(f(x[0], x[1], x[2]))
		return uint32(b >> (32 * (i & 1)))
	}
}

func onWords3(f func(a, b, c uint32) uint32) func(a *[4][4]uint32, i int) uint32 {
	return func(a *[4][4]uint32, i int) uint32 { return f(a[0][i], a[1][i], a[2][i]) }
}

var references = map[ir.Op]reference{
	ir.OpMod: {value: func(a *[4][4]uint32, i int) uint32 {
		x, y := machinetest.Float(a[0][i]), machinetest.Float(a[1][i])
		return machinetest.FloatWord(x - y*float32(math.Trunc(float64(x*float32(1/y)))))
	}},
	ir.OpClamp: {value: func(a *[4][4]uint32, i int) uint32 {
		return machinetest.FloatWord(min(max(machinetest.Float(a[0][i]), machinetest.Float(a[1][i])),
			machinetest.Float(a[2][i])))
	}},
	ir.OpDiv: {ulps: 2, value: func(a *[4][4]uint32, i int) uint32 {
		return machinetest.FloatWord(machinetest.Float(a[0][i]) / machinetest.Float(a[1][i]))
	}},
	ir.OpRcpZ: {value: of1(func(x float64) float64 { return 1 / x })},
	ir.OpRsqZ: {value: of1(func(x float64) float64 { return 1 / math.Sqrt(x) })},
	ir.OpSqrt: {value: of1(math.Sqrt)},
	ir.OpLogZ: {value: of1(math.Log2)},
	ir.OpLnZ:  {ulps: 4, value: of1(math.Log)},
	ir.OpPow:  {ulps: 512},
	ir.OpNrmZ: {ulps: 4, value: func(a *[4][4]uint32, i int) uint32 {
		x, y, z := machinetest.Float(a[0][0]), machinetest.Float(a[0][1]), machinetest.Float(a[0][2])
		return machinetest.FloatWord(float32(float64(machinetest.Float(a[0][i])) / math.Sqrt(float64(x*x+y*y+z*z))))
	}},
	ir.OpLen: {ulps: 2}, ir.OpDist: {ulps: 2},
	ir.OpReflect: {plus: 1e-4},
	ir.OpSin:     {kind: angles, plus: 4e-6}, ir.OpCos: {kind: angles, plus: 4e-6},
	ir.OpTan:  {kind: unit, plus: 4e-6, value: of1(math.Tan)},
	ir.OpAsin: {kind: unit, plus: 1e-6, value: of1(math.Asin)},
	ir.OpAcos: {kind: unit, plus: 1e-6, value: of1(math.Acos)},
	ir.OpAtan: {plus: 1e-6, value: of1(math.Atan)},
	ir.OpFma:  {plus: 1e-4},

	ir.OpFToI: {kind: floats}, ir.OpFToU: {kind: floats},
	ir.OpF162F: {kind: halves, value: func(a *[4][4]uint32,
		i int) uint32 {
		return math.Float32bits(float32(machinetest.HalfValue(a[0][i])))
	}},
	ir.OpF2F16: {kind: halves, value: func(a *[4][4]uint32, i int) uint32 { return machinetest.NearestHalf(a[0][i]) }},
	ir.OpD2F: {kind: float64s, value: func(a *[4][4]uint32, _ int) uint32 {
		return machinetest.FloatWord(float32(machinetest.Double(a[0][0], a[0][1])))
	}},

	ir.OpICarry:      {value: onWords3(func(a, b, _ uint32) uint32 { return machinetest.Truth(a+b < a) & 1 })},
	ir.OpIBorrow:     {value: onWords3(func(a, b, _ uint32) uint32 { return machinetest.Truth(a < b) & 1 })},
	ir.OpUBitExtract: {value: onWords3(func(w, o, x uint32) uint32 { return x >> (o & 31) & (1<<(w&31) - 1) })},
	ir.OpIBitExtract: {value: onWords3(func(w, o, x uint32) uint32 {
		w, o = w&31, o&31
		if w == 0 {
			return 0
		}
		return uint32(int64(int32(x)) >> o << (64 - w) >> (64 - w))
	})},
	ir.OpUBitInsert: {value: func(a *[4][4]uint32, i int) uint32 {
		m := uint32(1<<(a[0][i]&31)-1) << (a[1][i] & 31)
		return a[2][i]<<(a[1][i]&31)&m | a[3][i]&^m
	}},
	ir.OpFfbLo: {value: onWords3(func(a, _, _ uint32) uint32 {
		return machinetest.Select(a == 0, 0xFFFFFFFF, uint32(bits.TrailingZeros32(a)))
	})},
	ir.OpFfbHi: {value: onWords3(func(a, _, _ uint32) uint32 { return machinetest.FirstOne(a) })},
	ir.OpFfbShi: {value: onWords3(func(a, _,
		_ uint32) uint32 {
		return machinetest.FirstOne(a ^ uint32(int32(a)>>31))
	})},
	ir.OpBitAlign: {value: onWords3(func(a, b,
		c uint32) uint32 {
		return uint32((uint64(a)<<32 | uint64(b)) >> (c & 31))
	})},
	ir.OpByteAlign: {value: onWords3(func(a, b,
		c uint32) uint32 {
		return uint32((uint64(a)<<32 | uint64(b)) >> (8 * (c & 3)))
	})},
	ir.OpSad:     {value: onWords3(machinetest.AbsoluteDifferences)},
	ir.OpU4Lerp:  {value: onWords3(machinetest.Averages)},
	ir.OpUnpack0: {value: onWords3(func(a, _, _ uint32) uint32 { return machinetest.FloatWord(float32(a & 255)) })},
	ir.OpUnpack1: {value: onWords3(func(a, _, _ uint32) uint32 { return machinetest.FloatWord(float32(a >> 8 & 255)) })},
	ir.OpUnpack2: {value: onWords3(func(a, _,
		_ uint32) uint32 {
		return machinetest.FloatWord(float32(a >> 16 & 255))
	})},
	ir.OpUnpack3: {value: onWords3(func(a, _, _ uint32) uint32 { return machinetest.FloatWord(float32(a >> 24)) })},

	ir.OpDAdd:  {kind: float64s, value: onDoubles(func(a, b, _ float64) float64 { return a + b })},
	ir.OpDMul:  {kind: float64s, value: onDoubles(func(a, b, _ float64) float64 { return a * b })},
	ir.OpDMad:  {kind: float64s, value: onDoubles(math.FMA)},
	ir.OpDMin:  {kind: float64s, value: onDoubles(func(a, b, _ float64) float64 { return min(a, b) })},
	ir.OpDMax:  {kind: float64s, value: onDoubles(func(a, b, _ float64) float64 { return max(a, b) })},
	ir.OpDFrac: {kind: float64s, value: onDoubles(func(a, _, _ float64) float64 { return a - math.Floor(a) })},
	ir.OpDDiv:  {kind: float64s, ulps: 1, value: onDoubles(func(a, b, _ float64) float64 { return a / b })},
	ir.OpDRcp:  {kind: float64s, ulps: 1, value: onDoubles(func(a, _, _ float64) float64 { return 1 / a })},
	ir.OpDRsq: {kind: float64s, ulps: 2, value: onDoubles(func(a, _,
		_ float64) float64 {
		return 1 / math.Sqrt(math.Abs(a))
	})},
	ir.OpDSqrt: {kind: float64s, ulps: 1, value: onDoubles(func(a, _,
		_ float64) float64 {
		return math.Sqrt(math.Abs(a))
	})},
	ir.OpDFrexp: {kind: float64s, value: func(a *[4][4]uint32, i int) uint32 {
		frac, exp := math.Frexp(machinetest.Double(a[0][0], a[0][1]))
		b := math.Float64bits(frac)
		return [4]uint32{0, uint32(exp), uint32(b), uint32(b >> 32)}[i]
	}},
	ir.OpDLdexp: {kind: float64s, value: func(a *[4][4]uint32, i int) uint32 {
		b := math.Float64bits(math.Ldexp(machinetest.Double(a[0][i&2], a[0][i&2+1]), int(int32(a[1][i&2]))))
		return uint32(b >> (32 * (i & 1)))
	}},
	ir.OpDEq: {kind: float64s}, ir.OpDNe: {kind: float64s}, ir.OpDLt: {kind: float64s}, ir.OpDGe: {kind: float64s},
	ir.OpDToI: {kind: float64s}, ir.OpDToU: {kind: float64s},
}

// kindOf returns the test data of an op without a reference.
func kindOf(op ir.Op) reference {
	if r, ok := references[op]; ok {
		if r.kind == floats && op.Has(ir.Integers) {
			r.kind = words
		}
		return r
	}
	if op.Has(ir.Integers) || op == ir.OpSel || op == ir.OpMov {
		return reference{kind: words}
	}
	return reference{kind: floats}
}

// zeroed are the ops whose last source selects the replacement for the reciprocal of zero.
var zeroed = map[ir.Op]bool{ir.OpDiv: true, ir.OpRcpZ: true, ir.OpRsqZ: true, ir.OpLogZ: true, ir.OpLnZ: true,
	ir.OpNrmZ: true,
	ir.OpDDiv: true, ir.OpDRcp: true, ir.OpDRsq: true}

// draw returns a random number of a kind.
func draw(r *rand.Rand, kind operands, op ir.Op, lane int) uint32 {
	switch kind {
	case words:
		switch r.IntN(6) {
		case 0:
			return []uint32{0, 1, 2, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF}[r.IntN(8)]
		case 1:
			return r.Uint32N(40)
		case 2:
			return r.Uint32() >> r.IntN(32)
		}
		return r.Uint32()
	case unit:
		return machinetest.FloatWord(r.Float32()*2 - 1)
	case angles:
		return machinetest.FloatWord((r.Float32()*2 - 1) * 20)
	case halves:
		if op == ir.OpF162F {
			return r.Uint32N(1 << 16)
		}
		return []uint32{machinetest.FloatWord(r.Float32() * 100), machinetest.FloatWord(-r.Float32() * 1e-6),
			machinetest.FloatWord(65519.9), machinetest.FloatWord(65520), 0x7F800000, 0xFFC00000, 0,
			0x38000000 + r.Uint32N(1<<20), 0x477FE000 + r.Uint32N(1<<13)}[r.IntN(9)]
	case float64s:
		if op == ir.OpDLdexp && lane >= 4 {
			return uint32(r.IntN(40) - 20)
		}
		if lane&1 == 0 {
			return r.Uint32()
		}
		x := uint32(1023-25+r.IntN(60))<<20 | r.Uint32N(1<<20)
		return x | r.Uint32N(2)<<31
	}
	x := (r.Float32()*2 - 1) * []float32{1, 10, 100}[r.IntN(3)]
	if r.IntN(8) == 0 {
		x = float32(math.Round(float64(x)))
	}
	switch op {
	case ir.OpLogZ, ir.OpLnZ, ir.OpSqrt, ir.OpRsqZ:
		x = max(x, -x)
	case ir.OpPow:
		x = max(x, -x) / 16
	case ir.OpExpVec:
		x /= 4
	}
	return machinetest.FloatWord(x)
}

// singleOp returns a function of one instruction: each lane of each source is an input.
func singleOp(op ir.Op, mode il.ZeroOp) (*ir.Func, [4]bool) {
	f := ir.NewFunc("op", ir.Abstract{})
	n := op.Info().NSrc
	in := &ir.Instr{Op: op, Src: make([]ir.Operand, n)}
	var writes [4]bool
	for i := range 4 {
		if op.Writes(i) {
			writes[i] = true
			v := f.Define(in, i, ir.Reg{})
			f.Outs = append(f.Outs, ir.Output{Reg: ir.Reg{File: ir.File(il.Output), Comp: uint8(i)}, V: v})
		}
	}
	for s := range n {
		reads := in.Reads(s)
		for i := range 4 {
			if reads>>i&1 == 0 {
				continue
			}
			in.Src[s][i].V = f.Leaf(ir.Input, ir.Reg{File: ir.File(il.Input), Index: uint16(s), Comp: uint8(i)})
			if zeroed[op] && s == n-1 {
				in.Src[s][i].V = f.Const(uint32(mode))
			}
		}
	}
	f.Body.Code = []*ir.Instr{in}
	return f, writes
}

// apart returns the distance of two floats in ulps.
func apart(a, b uint32) int64 {
	order := func(w uint32) int64 {
		if w&signBit != 0 {
			return -int64(w &^ signBit)
		}
		return int64(w)
	}
	return max(order(a)-order(b), order(b)-order(a))
}

func TestLowerOps(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for op := range ir.Op(ir.NumOps) {
		if !op.HasFormula() || rowOf(op).each == nil && rowOf(op).whole == nil || op == ir.OpDsx || op == ir.OpDsy {
			continue
		}
	next:
		for _, name := range []string{"rv670", "rv770", "cypress"} {
			target, _ := chip.ByName(name)
			f, writes := singleOp(op, il.ZeroInfinity)
			if err := f.Check(); err != nil {
				t.Fatal(err)
			}
			c, err := Kernel(f, target)
			if err != nil {
				t.Fatalf("%v: %v", op, err)
			}
			if err := c.Complete(target); err != nil {
				t.Fatalf("%v for %s: %v", op, name, err)
			}
			ref := kindOf(op)
			compared := 0
			for range 300 {
				var a [4][4]uint32
				for s := range a {
					for i := range a[s] {
						a[s][i] = draw(rng, ref.kind, op, 4*s+i)
					}
				}
				run := runCode(t, c, target.Family, func(reg, ch int) uint32 { return a[reg][ch] })
				for i := range 4 {
					if !writes[i] {
						continue
					}
					got := run.out[0][i]
					var want uint32
					if ref.value != nil {
						want = ref.value(&a, i)
					} else {
						w := ir.Words{Fold: true}
						want = ir.Eval(&w, op, i, func(s, k int) uint32 { return a[s][k] })
						if !w.Fold {
							continue
						}
					}
					compared++
					if !agrees(&ref, run.out[0], got, want, i, func(k int) uint32 { return ref.value(&a, k) }) {
						t.Errorf("%v for %s, lane %d of %x: %#x (%v), not %#x (%v)", op, name, i, a, got, machinetest.Float(got), want,
							machinetest.Float(want))
						continue next
					}
				}
			}
			if compared < 100 {
				t.Errorf("%v for %s: only %d results could be compared", op, name, compared)
			}
		}
	}
}

func agrees(ref *reference, out [4]uint32, got, want uint32, i int, value func(k int) uint32) bool {
	switch {
	case got == want:
		return true
	case ref.kind == float64s && ref.ulps > 0:
		x := uint64(out[i&2|1])<<32 | uint64(out[i&2])
		y := uint64(value(i&2|1))<<32 | uint64(value(i&2))
		return max(x-y, y-x) <= uint64(ref.ulps) || y-x <= uint64(ref.ulps) || x-y <= uint64(ref.ulps)
	case ref.kind == words || ref.kind == float64s:
		return false
	case got<<1 == 0 && want<<1 == 0:
		return true
	case machinetest.Float(got) != machinetest.Float(got) && machinetest.Float(want) != machinetest.Float(want):
		return true
	case ref.plus > 0:
		return math.Abs(float64(machinetest.Float(got))-float64(machinetest.Float(want))) <= ref.plus*max(1,
			math.Abs(float64(machinetest.Float(want))))
	}
	return apart(got, want) <= ref.ulps
}

// TestLowerZero checks the replacements for the reciprocal of zero.
func TestLowerZero(t *testing.T) {
	inf, least, most := math.Inf(1), -math.MaxFloat32, math.MaxFloat64
	for _, test := range []struct {
		op   ir.Op
		want [5]float64 // by mode
	}{
		{ir.OpRcpZ, [5]float64{-least, -least, 0, inf, inf}},
		{ir.OpRsqZ, [5]float64{-least, -least, 0, inf, inf}},
		{ir.OpDiv, [5]float64{-least, -least, 0, inf, inf}},
		{ir.OpLogZ, [5]float64{-inf, least, 0, -inf, -inf}},
		{ir.OpDRcp, [5]float64{inf, most, 0, inf, inf}},
		{ir.OpDRsq, [5]float64{inf, most, 0, inf, inf}},
		{ir.OpDDiv, [5]float64{inf, most, 0, inf, inf}},
	} {
		double := test.op.Info().Shape == ir.Positional
		one := [2]uint32{machinetest.FloatWord(1), machinetest.FloatWord(1)}
		if double {
			one = [2]uint32{0, highOfOne}
		}
		for mode, want := range test.want {
			f, _ := singleOp(test.op, il.ZeroOp(mode))
			target, _ := chip.ByName("rv770")
			c, err := Kernel(f, target)
			if err != nil {
				t.Fatal(err)
			}
			run := runCode(t, c, target.Family, func(reg, ch int) uint32 {
				if reg == 0 && test.op.Info().NSrc == 3 { // the dividend
					return one[ch&1]
				}
				return 0
			})
			got := float64(machinetest.Float(run.out[0][0]))
			if double {
				got = machinetest.Double(run.out[0][0], run.out[0][1])
			}
			if got != want {
				t.Errorf("%v in mode %v: %v, not %v", test.op, il.ZeroOp(mode), got, want)
			}
		}
	}
}
