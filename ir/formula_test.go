package ir

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// spell is the algebra of expressions, fully parenthesised.
type spell struct{}

func (spell) Const(f float32) string { return fmt.Sprint(f) }
func (spell) Add(a, b string) string { return "(" + a + "+" + b + ")" }
func (spell) Mul(a, b string) string { return "(" + a + "*" + b + ")" }
func (spell) Neg(a string) string    { return "-" + a }
func (spell) Call(p Prim, args []string) string {
	return p.String() + "(" + strings.Join(args, ",") + ")"
}

func spelt(f formula, lane int) string {
	saved := ops[OpMov]
	defer func() { ops[OpMov] = saved }()
	ops[OpMov].lanes[lane] = f
	return Eval(spell{}, OpMov, lane, func(src, l int) string { return fmt.Sprintf("%c%c", "abcd"[src], "xyzw"[l]) })
}

func TestFormula(t *testing.T) {
	for _, test := range []struct {
		src  string
		lane int
		want string
	}{
		{"a", 2, "az"},
		{"a.x + b", 3, "(ax+bw)"},
		{"a + b*c", 0, "(ax+(bx*cx))"},
		{"a*b + c", 0, "((ax*bx)+cx)"},
		{"a - b - c", 0, "((ax+-bx)+-cx)"},
		{"a*(b - c) + c", 1, "((ay*(by+-cy))+cy)"},
		{"-a.w*b", 0, "(-aw*bx)"},
		{"max( a , 0.5 )", 0, "max(ax,0.5)"},
		{"selge(a, b + 1, -c)", 0, "selge(ax,(bx+1),-cx)"},
	} {
		if got := spelt(mustFormula(test.src), test.lane); got != test.want {
			t.Errorf("%s: %s, not %s", test.src, got, test.want)
		}
	}
}

func TestFormulaMistakes(t *testing.T) {
	for _, src := range []string{"", "a +", "(a", "a)", "nosuch(a)", "a.q", "ab", "max(a", "a b", "e", "1x"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was accepted", src)
				}
			}()
			mustFormula(src)
		}()
	}
}

// The float32 values of the ops, worked out by hand.
func TestEvalFloats(t *testing.T) {
	a, b, c := [4]float32{1, 2, 3, 4}, [4]float32{5, -6, 7, 0.5}, [4]float32{0.25, -1, 2, 8}
	nrm := 1 / float32(math.Sqrt(14))
	for op, want := range map[Op][4]float32{
		OpMov: {1, 2, 3, 4}, OpAdd: {6, -4, 10, 4.5}, OpMul: {5, -12, 21, 2}, OpMad: {5.25, -13, 23, 10},
		OpDp2Add: {-6.75, -6.75, -6.75, -6.75}, OpDp3: {14, 14, 14, 14}, OpDp4: {16, 16, 16, 16},
		OpMin: {1, -6, 3, 0.5}, OpMax: {5, 2, 7, 4}, OpSlt: {1, 0, 1, 0}, OpSge: {0, 1, 0, 1},
		OpCmp: {5, -6, 7, 0.5}, OpLrp: {5, -11, 17, -22}, OpFrc: {0, 0, 0, 0}, OpAbs: {1, 2, 3, 4},
		OpRcp: {1, 1, 1, 1}, OpRsq: {1, 1, 1, 1}, OpExp: {2, 2, 2, 2}, OpLog: {0, 0, 0, 0}, OpPow: {1, 1, 1, 1},
		OpNrm: {1 * nrm, 2 * nrm, 3 * nrm, 4 * nrm}, OpCrs: {2*7 - 3*-6, 3*5 - 1*7, 1*-6 - 2*5},
		OpDst: {1, -12, 3, 0.5}, OpSgn: {1, 1, 1, 1}, OpMovaFloor: {1, 2, 3, 4},
		OpSinCos: {float32(math.Cos(1)), float32(math.Sin(1))},
	} {
		for lane := range 4 {
			if !op.Writes(lane) {
				continue
			}
			alg := Words{Fold: true}
			got := math.Float32frombits(Eval(&alg, op, lane,
				func(src, l int) uint32 { return math.Float32bits([][4]float32{a, b, c}[src][l]) }))
			if got != want[lane] {
				t.Errorf("%v lane %d: %v, not %v", op, lane, got, want[lane])
			}
			if !alg.Fold {
				t.Errorf("%v lane %d: %v may be folded", op, lane, got)
			}
		}
	}
}

// Values that are not finite and normal, or that are hardware-specific, are not folded.
func TestFoldRefuses(t *testing.T) {
	inf, tiny := float32(math.Inf(1)), float32(1e-40)
	for _, test := range []struct {
		op   Op
		x, y float32
	}{
		{OpRcp, 0, 0}, {OpMul, inf, 0}, {OpAdd, inf, -inf}, {OpMul, 1e38, 10}, {OpAdd, tiny, 0}, {OpMul, 1e-20, 1e-20},
		{OpExpp, 1, 0}, {OpLogp, 1, 0}, {OpDsx, 1, 0}, {OpMova, 1, 0}, {OpLog, 0, 0}, {OpMin, float32(math.NaN()), 0},
	} {
		alg := Words{Fold: true}
		Eval(&alg, test.op, 0, func(src, _ int) uint32 { return math.Float32bits([3]float32{test.x, test.y, 0}[src]) })
		if alg.Fold {
			t.Errorf("%v of %g and %g was folded", test.op, test.x, test.y)
		}
	}
}

// The table has no gaps, and every lane lists the lanes it reads.
func TestOpTable(t *testing.T) {
	for op := OpMov; op < numOps; op++ {
		info := op.Info()
		if info.name == "" || op.String() != info.name {
			t.Errorf("op %d has no name", op)
		}
		if !op.HasFormula() {
			if info.Shape != Positional {
				t.Errorf("%v: what its lanes are is not told by a formula, and is %v", op, info.Shape)
			}
			continue
		}
		for lane := range 4 {
			if !op.Writes(lane) {
				continue
			}
			var read [4]uint8
			Eval(spell{}, op, lane, func(src, l int) string {
				read[src] |= 1 << l
				return ""
			})
			in := Instr{Op: op, Src: make([]Operand, info.NSrc)}
			for src := range 4 {
				if got := in.ReadsFor(src, 1<<lane); got != read[src] {
					t.Errorf("%v lane %d: reads %04b of source %d, not %04b", op, lane, read[src], src, got)
				}
				if read[src] != 0 && src >= info.NSrc {
					t.Errorf("%v reads source %d of %d", op, src, info.NSrc)
				}
				if moves := read[src] != 0 && read[src] != 1<<lane; info.Shape == Lanewise && moves {
					t.Errorf("%v is not lane-wise: lane %d reads %04b", op, lane, read[src])
				}
			}
		}
	}
}

// The lanes that a fetch reads depend on the texture.
func TestReadsOfFetch(t *testing.T) {
	for _, test := range []struct {
		op   Op
		dim  Dim
		want uint8
	}{
		{OpFetch, Dim2D, 0b0011}, {OpFetch, DimCube, 0b0111}, {OpFetch, Dim1D, 0b0001}, {OpFetchProj, Dim2D, 0b1011},
		{OpFetchBias, DimVolume, 0b1111}, {OpFetchLod, Dim2D, 0b1011}, {OpFetchGrad, DimCube, 0b0111},
	} {
		in := Instr{Op: test.op, Res: Resource{Dim: test.dim}}
		if got := in.Reads(0); got != test.want {
			t.Errorf("%v of %v reads %04b, not %04b", test.op, test.dim, got, test.want)
		}
	}
}

func TestLaneModThen(t *testing.T) {
	apply := func(m LaneMod, x float64) float64 {
		if m&Abs != 0 {
			x = math.Abs(x)
		}
		if m&Neg != 0 {
			x = -x
		}
		return x
	}
	for m := range LaneMod(4) {
		for n := range LaneMod(4) {
			for _, x := range []float64{3, -3} {
				if got, want := apply(m.ComposeWith(n), x), apply(n, apply(m, x)); got != want {
					t.Errorf("%d then %d of %v: %v, not %v", m, n, x, got, want)
				}
			}
		}
	}
}
