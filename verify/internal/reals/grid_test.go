package reals

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
)

// TestGridIsExact checks formulas that arithmetic considers exact, on values of the grids of their
// operands. They must have the same value in float32 and in float64, and the value must lie on the grid of
// the result.
func TestGridIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	value := func(g grid) float64 {
		if math.IsInf(g.step, 1) {
			return g.over
		}
		first := math.Ceil((g.lo - g.over) / g.step)
		n := math.Floor((g.hi-g.over)/g.step) - first
		return g.over + g.step*(first+math.Floor(rng.Float64()*(n+1)))
	}
	type known struct {
		reading
		x float64
	}
	exact := 0
	for range 20000 {
		pool := []known{}
		for range 3 {
			g := literalGrid(float64(rng.IntN(64)-32) * math.Ldexp(1, rng.IntN(24)-4))
			if rng.IntN(2) == 0 {
				lo := float64(rng.IntN(100) - 50)
				g = grid{1, 0.5, lo + 0.5, lo + 0.5 + float64(rng.IntN(1<<14))}
			}
			pool = append(pool, known{bounded(g), value(g)})
		}
		for range 6 {
			a, b := pool[rng.IntN(len(pool))], pool[rng.IntN(len(pool))]
			var r known
			alg := arithmetic{}
			single := func(f func(float64) float64) float64 { return f(a.x) }
			switch rng.IntN(8) {
			case 0, 1:
				r = known{alg.Add(a.reading, b.reading), a.x + b.x}
			case 2, 3:
				r = known{alg.Mul(a.reading, b.reading), a.x * b.x}
			case 4:
				r = known{alg.Call(ir.PrimFloor, []reading{a.reading}), single(math.Floor)}
			case 5:
				r = known{alg.Call(ir.PrimTrunc, []reading{a.reading}), single(math.Trunc)}
			case 6:
				r = known{alg.Call(ir.PrimFrc, []reading{a.reading}), a.x - math.Floor(a.x)}
			case 7:
				r = known{alg.Call(ir.PrimMax, []reading{a.reading, b.reading}), max(a.x, b.x)}
			}
			if !r.exact || !r.bounded {
				continue
			}
			exact++
			if float64(float32(r.x)) != r.x {
				t.Fatalf("%v of %g and %g is no float32", r.x, a.x, b.x)
			}
			k := (r.x - r.over) / r.step
			if r.x < r.lo || r.x > r.hi || k != math.Floor(k) {
				t.Fatalf("%g is not on %+v", r.x, r.grid)
			}
			pool = append(pool, r)
		}
	}
	if exact < 20000 {
		t.Errorf("only %d are exact", exact)
	}
}

// TestGridLimit checks that float32 holds the integers up to 2^24, and not the next one.
func TestGridLimit(t *testing.T) {
	one := bounded(literalGrid(1))
	for _, test := range []struct {
		most float64
		want bool
	}{{1<<24 - 1, true}, {1 << 24, false}} {
		x := bounded(grid{1, 0, 0, test.most})
		if got := (arithmetic{}).Add(x, one).exact; got != test.want {
			t.Errorf("a sum with an integer up to %g is exact: %v", test.most, got)
		}
		if got := (arithmetic{}).Mul(bounded(grid{1, 0, 0, (test.most + 1) / 2}), bounded(literalGrid(2))).exact; !got {
			t.Errorf("a product up to %g is not exact", test.most+1)
		}
	}
}
