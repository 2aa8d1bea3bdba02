package kernel

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel/internal/eights"
)

// TestEights checks that kernels compute the same bits as the loops in Go. It compares many lanes with one
// lane, which has no kernel, on special numbers, numbers near subnormals and rounding boundaries, and
// random words.
func TestEights(t *testing.T) {
	if !eights.Fast {
		t.Skip("there is no AVX2, which the kernels are written for")
	}
	r := rand.New(rand.NewPCG(5, 6))
	word := func() uint32 {
		switch r.IntN(6) {
		case 0:
			return interp.SpecialWords[r.IntN(len(interp.SpecialWords))]
		case 1: // products and sums near the smallest normal number
			return uint32(r.IntN(2))<<31 | uint32(62+r.IntN(4))<<23 | r.Uint32()&0x7fffff
		case 2:
			return uint32(r.IntN(2))<<31 | r.Uint32N(2<<23)
		case 3: // far into sines, and beyond the range of the reduction
			return uint32(r.IntN(2))<<31 | uint32(120+r.IntN(32))<<23 | r.Uint32()&0x7fffff
		case 4:
			return math.Float32bits(float32(r.IntN(64)-32) / 4)
		}
		return r.Uint32()
	}
	minimum, maximum := rowOf(opNamed(t, "min")).ieee, rowOf(opNamed(t, "max")).ieee
	for _, f := range []vecFn{addVec, subVec, mulVec, mulIEEEVec, madVec, madIEEEVec, minVec, maxVec, minimum, maximum,
		eqVec, neVec, ltVec, geVec, selectVec, fractionVec, floorVec, rootVec, sinVec, cosVec} {
		name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
		for _, n := range []int{8, Lanes} {
			for range 20_000 / n * 8 {
				var in [3][]uint32
				for k := range in {
					for range n {
						in[k] = append(in[k], word())
					}
				}
				want := make([]uint32, n)
				for i := range n {
					f(want[i:i+1], in[0][i:i+1], in[1][i:i+1], in[2][i:i+1])
				}
				got := make([]uint32, n)
				f(got, in[0], in[1], in[2])
				a := append([]uint32(nil), in[0]...)
				f(in[0], in[0], in[1], in[2]) // in place
				for i := range n {
					if got[i] != want[i] || in[0][i] != want[i] {
						t.Fatalf("%s of %#x, %#x and %#x is %#x, or %#x in place, not %#x", name, a[i], in[1][i], in[2][i], got[i],
							in[0][i], want[i])
					}
				}
			}
		}
	}
}
