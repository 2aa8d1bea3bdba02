package interp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestFuseMad compares fma32 with exact arithmetic rounded once.
func TestFuseMad(t *testing.T) {
	exact := func(a, b, c float32) float32 {
		x := new(big.Float).SetPrec(2000).SetFloat64(float64(a))
		x.Mul(x, new(big.Float).SetFloat64(float64(b)))
		x.Add(x, new(big.Float).SetFloat64(float64(c)))
		f, _ := x.Float32()
		return f
	}
	r := rand.New(rand.NewPCG(1, 2))
	random := func() float32 {
		for {
			if x := math.Float32frombits(r.Uint32()); x == x && !math.IsInf(float64(x), 0) {
				return x
			}
		}
	}
	check := func(a, b, c float32) {
		t.Helper()
		if got, want := fma32(a, b, c), exact(a, b, c); got != want {
			t.Fatalf("fma(%g, %g, %g) = %g, want %g", a, b, c, got, want)
		}
	}
	for range 20000 {
		a, b := random(), random()
		check(a, b, random())
		check(a, b, -float32(a*b)*(1+float32(r.IntN(5)-2)*0x1p-23)) // cancellation
	}
	// Sums next to the midpoint of two float32 values, where rounding to float64 first is wrong, and
	// denormal results.
	for range 20000 {
		a := 1 + float32(r.IntN(1<<12))*0x1p-12
		b := (1 + float32(r.IntN(1<<11)*2+1)*0x1p-12) * 0x1p-24
		check(a, b, 1+float32(r.IntN(1<<20))*0x1p-23)
		check(a*0x1p-70, b*0x1p-50, float32(r.IntN(1<<10))*0x1p-149)
	}
}

func TestRoundAway(t *testing.T) {
	for _, tt := range [][2]float32{{0.5, 1}, {-0.5, -1}, {1.5, 2}, {-1.6, -2}, {-0.4, neg0}, {2.4, 2}, {neg0, neg0}} {
		if got := roundAway(tt[0]); !same(got, tt[1]) {
			t.Errorf("round %g = %g, want %g", tt[0], got, tt[1])
		}
	}
}
