package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
)

// A wavefront computes what its threads compute one by one.
func TestWaveEvals(t *testing.T) {
	var words []uint32
	for _, f := range []float32{0, 1, -1, 0.5, -2.5, 1e-40, 1e30, -1e30, 3e9, -3e9, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())} {
		words = append(words, word(f))
	}
	words = append(words, 1<<31, 1, 2, 31, 32, 63, math.MaxInt32, math.MaxUint32, 0x12345678)
	random := rand.New(rand.NewPCG(1, 2))
	evals, waveEvals := evals(), waveEvals()
	for op := range r600.Op(r600.Ops) {
		if (evals[op] == nil) != (waveEvals[op] == nil) {
			t.Errorf("%v is evaluated by one way only", op)
			continue
		}
		if evals[op] == nil {
			continue
		}
		var to, a, b, c lanes
		special := len(words) * len(words) * len(words)
		for k := 0; k < 2*special; k += len(to) {
			for i := range to {
				n := k + i
				a[i], b[i], c[i] = words[n%len(words)], words[n/len(words)%len(words)], words[n/len(words)/len(words)%len(words)]
				if n > special {
					a[i], b[i], c[i] = random.Uint32(), random.Uint32()>>random.IntN(32), random.Uint32()
				}
				if n%2 == 0 {
					a[i], b[i] = b[i], a[i]
				}
			}
			waveEvals[op](&to, &a, &b, &c)
			for i, got := range to {
				want := evals[op](a[i], b[i], c[i])
				if got != want && !(float(got) != float(got) && float(want) != float(want)) {
					t.Fatalf("%v of %#x, %#x, %#x is %#x for a wavefront, not %#x", op, a[i], b[i], c[i], got, want)
				}
			}
		}
	}
}

// Modifiers take the absolute value first, then the negative, of numbers and NaNs alike.
func TestSigns(t *testing.T) {
	tr := &Tracer{}
	for _, c := range []struct {
		src        r600.Src
		minus, two uint32 // what -1 and 2 become
	}{
		{r600.Src{Neg: true}, word(1), word(-2)},
		{r600.Src{Abs: true}, word(1), word(2)},
		{r600.Src{Neg: true, Abs: true}, word(-1), word(-2)},
	} {
		sign, masks := tr.sign(&c.src)
		from, to := lanes{word(-1), word(2), 0xffc00001}, lanes{}
		sign(&to, &from, &tr.consts[masks], &from)
		nan := to[2]&^signBit == 0x7fc00001 && to[2]>>31 == c.minus>>31
		if to[0] != c.minus || to[1] != c.two || !nan {
			t.Errorf("negated %v, absolute %v: %#x", c.src.Neg, c.src.Abs, to[:3])
		}
	}
	if sign, _ := tr.sign(&r600.Src{}); sign != nil {
		t.Error("a source without modifiers has some")
	}
}

// DOT4 sums up products, MAX4 takes the largest first operand.
func TestAccumulate(t *testing.T) {
	for op, want := range map[r600.Op]float32{r600.OpDot4: 2*3 - 5*4 + 1.5*2, r600.OpMax4: 2} {
		var sum lanes
		for i, pair := range [][2]float32{{2, 3}, {-5, 4}, {1.5, 2}} {
			accumulate(op, &sum, &lanes{word(pair[0])}, &lanes{word(pair[1])}, i == 0)
		}
		if got := float(sum[0]); got != want {
			t.Errorf("%v is %v, not %v", op, got, want)
		}
	}
}
