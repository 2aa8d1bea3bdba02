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
