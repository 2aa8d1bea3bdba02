package ir

import (
	"math"
	"math/rand/v2"
	"testing"
)

type sources [4][4]float32 // by source, by lane

func lanewise(f func(a, b, c float32) float32) func(int, sources) float32 {
	return func(i int, s sources) float32 { return f(s[0][i], s[1][i], s[2][i]) }
}

func ofX(f func(a, b float64) float64) func(int, sources) float32 {
	return func(_ int, s sources) float32 { return float32(f(float64(s[0][0]), float64(s[1][0]))) }
}

func truth(c bool) float32 {
	if c {
		return 1
	}
	return 0
}

func dot(s sources, n int) float32 {
	sum := float32(s[0][0] * s[1][0])
	for i := 1; i < n; i++ {
		sum += float32(s[0][i] * s[1][i])
	}
	return sum
}

func floor(a float32) float32 { return float32(math.Floor(float64(a))) }

// plain holds the values of the ops, written as Go.
var plain = map[Op]func(lane int, s sources) float32{
	OpMov: lanewise(func(a, _, _ float32) float32 { return a }),
	OpAdd: lanewise(func(a, b, _ float32) float32 { return a + b }),
	OpMul: lanewise(func(a, b, _ float32) float32 { return a * b }),
	OpMad: lanewise(func(a, b, c float32) float32 { return float32(a*b) + c }),
	OpMin: lanewise(func(a, b, _ float32) float32 { return min(a, b) }),
	OpMax: lanewise(func(a, b, _ float32) float32 { return max(a, b) }),
	OpSlt: lanewise(func(a, b, _ float32) float32 { return truth(a < b) }),
	OpSge: lanewise(func(a, b, _ float32) float32 { return truth(a >= b) }),
	OpCmp: lanewise(func(a, b, c float32) float32 {
		if a >= 0 {
			return b
		}
		return c
	}),
	OpLrp:       lanewise(func(a, b, c float32) float32 { return float32(a*float32(b-c)) + c }),
	OpFrc:       lanewise(func(a, _, _ float32) float32 { return a - floor(a) }),
	OpAbs:       lanewise(func(a, _, _ float32) float32 { return max(a, -a) }),
	OpSgn:       lanewise(func(a, _, _ float32) float32 { return truth(a > 0) - truth(a < 0) }),
	OpMovaFloor: lanewise(func(a, _, _ float32) float32 { return floor(a) }),
	OpRcp:       ofX(func(a, _ float64) float64 { return float64(1 / float32(a)) }),
	OpRsq:       ofX(func(a, _ float64) float64 { return 1 / math.Sqrt(math.Abs(a)) }),
	OpExp:       ofX(func(a, _ float64) float64 { return math.Exp2(a) }),
	OpLog:       ofX(func(a, _ float64) float64 { return math.Log2(math.Abs(a)) }),
	OpPow:       ofX(func(a, b float64) float64 { return math.Pow(math.Abs(a), b) }),
	OpDp2Add:    func(_ int, s sources) float32 { return dot(s, 2) + s[2][0] },
	OpDp3:       func(_ int, s sources) float32 { return dot(s, 3) },
	OpDp4:       func(_ int, s sources) float32 { return dot(s, 4) },
	OpNrm: func(i int, s sources) float32 {
		s[1] = s[0]
		return s[0][i] * float32(1/math.Sqrt(float64(dot(s, 3))))
	},
	OpCrs: func(i int, s sources) float32 {
		j, k := (i+1)%3, (i+2)%3
		return float32(s[0][j]*s[1][k]) - float32(s[0][k]*s[1][j])
	},
	OpSinCos: func(i int, s sources) float32 {
		sin, cos := math.Sincos(float64(s[0][0]))
		return float32([]float64{cos, sin}[i])
	},
	OpDst: func(i int, s sources) float32 { return [4]float32{1, s[0][1] * s[1][1], s[0][2], s[1][3]}[i] },
	OpLit: func(i int, s sources) float32 { return [4]float32{1, max(s[0][0], 0), 0, 1}[i] },
	OpExppVec: func(i int, s sources) float32 {
		return [4]float32{exp2(floor(s[0][0])), s[0][0] - floor(s[0][0]), 0, 1}[i]
	},
}

func exp2(a float32) float32 { return float32(math.Exp2(float64(a))) }

// hardware holds the lanes whose value is hardware-specific, or not a float.
var hardware = map[Op]uint8{OpLit: 0b0100, OpExppVec: 0b0100,
	OpExpp: 0b1111, OpLogp: 0b1111, OpLogpVec: 0b1111, OpMova: 0b1111, OpDsx: 0b1111, OpDsy: 0b1111, OpRange: 0b1111}

// Every formula computes the value of its op, and does not fold hardware-specific lanes. The ops after
// OpBreak are those of AMD IL, whose lift is compared with an interpreter.
func TestEvalPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for op := OpMov; op <= OpBreak; op++ {
		want := plain[op]
		if op.HasFormula() && want == nil && hardware[op] != 0b1111 {
			t.Errorf("%v has a formula, but no value in plain or hardware to compare with", op)
			continue
		}
		for lane := range 4 {
			if !op.HasFormula() || !op.Writes(lane) {
				continue
			}
			own := hardware[op]>>lane&1 != 0
			for range 100 {
				var s sources
				for i := range s {
					for k := range s[i] {
						s[i][k] = float32(r.IntN(64)-32)/8 + 1.0/32
					}
				}
				alg := Words{Fold: true}
				got := math.Float32frombits(Eval(&alg, op, lane, func(src, l int) uint32 { return math.Float32bits(s[src][l]) }))
				if alg.Fold == own {
					t.Fatalf("%v: lane %d of %v may be folded: %v", op, lane, s, alg.Fold)
				}
				if !own && got != want(lane, s) {
					t.Fatalf("%v: lane %d of %v is %v, not %v", op, lane, s, got, want(lane, s))
				}
			}
		}
	}
}
