package kernel_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// The numbers of the operations in A2.
const (
	opAdd    = 1
	opSub    = 2
	opMul    = 8
	opDiv    = 9
	opMulAdd = 10
	opMulSub = 11
)

// elementwise sets the resources of an elementwise kernel from 0 on and its output buffer, and runs it on
// all of n quads, four per thread.
func elementwise(t *testing.T, name string, kind, op uint32, operands ...[]uint32) []uint32 {
	const physical = 16
	n := len(operands[0]) / 4
	l := newLaunch(t, (n/4+63)/64*64, 1)
	for i, w := range operands {
		l.resource(i, physical, n/physical, w)
	}
	l.constants(0, []uint32{physical, kind, op, uint32(n), 0, 0, 0, 0})
	l.global(make([]uint32, 4*n))
	return l.run(filepath.Join(corpusKernels, name)).Global
}

func TestElementwise(t *testing.T) {
	const n = 4 * 16 * 20
	r := rand.New(rand.NewPCG(23, 1))
	x, y, z := randomMatrix(r, 1, n).at, randomMatrix(r, 1, n).at, randomMatrix(r, 1, n).at
	var ix, iy, iz []uint32
	var dx, dy, dz []float64
	for range n {
		ix, iy, iz = append(ix, r.Uint32()), append(iy, r.Uint32()>>r.IntN(32)), append(iz, r.Uint32())
	}
	for range n / 2 {
		dx, dy, dz = append(dx, r.NormFloat64()), append(dy, r.NormFloat64()), append(dz, r.NormFloat64())
	}
	for _, c := range []struct {
		op       uint32
		float    func(a, b float32) float32
		integer  func(a, b uint32) uint32
		double   func(a, b float64) float64
		relative float64 // relative error of a division
	}{
		{opAdd, func(a, b float32) float32 { return a + b }, func(a, b uint32) uint32 { return a + b },
			func(a, b float64) float64 { return a + b }, 0},
		{opSub, func(a, b float32) float32 { return a - b }, func(a, b uint32) uint32 { return a - b },
			func(a, b float64) float64 { return a - b }, 0},
		{opMul, func(a, b float32) float32 { return a * b }, func(a, b uint32) uint32 { return a * b },
			func(a, b float64) float64 { return a * b }, 0},
		{opDiv, func(a, b float32) float32 { return a / b }, divide, func(a, b float64) float64 { return a / b }, 1e-6},
	} {
		const name = "a2_Elementwise_LI_R_LR.il"
		got := floats(elementwise(t, name, typeReal, c.op, words(x), words(y)))
		for i := range got {
			if want := c.float(x[i], y[i]); math.Abs(float64(got[i]-want)) > c.relative*math.Abs(float64(want)) {
				t.Fatalf("float op %d: %v, %v gives %v, want %v", c.op, x[i], y[i], got[i], want)
			}
		}
		integers := elementwise(t, name, typeLongint, c.op, ix, iy)
		for i := range integers {
			if want := c.integer(ix[i], iy[i]); integers[i] != want {
				t.Fatalf("integer op %d: %v, %v gives %v, want %v", c.op, ix[i], iy[i], integers[i], want)
			}
		}
		large := doubles(elementwise(t, name, typeLongreal, c.op, doubleWords(dx), doubleWords(dy)))
		for i := range large {
			if want := c.double(dx[i], dy[i]); math.Abs(large[i]-want) > 1e-9*c.relative*math.Abs(want) {
				t.Fatalf("double op %d: %v, %v gives %v, want %v", c.op, dx[i], dy[i], large[i], want)
			}
		}
	}

	const name = "a2_EwMulAddSub_LI_R_LR.il"
	sum, difference := make([]float32, n), make([]float32, n)
	isum, idifference := make([]uint32, n), make([]uint32, n)
	for i := range n {
		sum[i], difference[i] = mad(y[i], z[i], x[i]), x[i]-float32(y[i]*z[i])
		isum[i], idifference[i] = ix[i]+iy[i]*iz[i], ix[i]-iy[i]*iz[i]
	}
	same(t, "float x+y*z", floats(elementwise(t, name, typeReal, opMulAdd, words(x), words(y), words(z))), sum)
	same(t, "float x-y*z", floats(elementwise(t, name, typeReal, opMulSub, words(x), words(y), words(z))), difference)
	same(t, "integer x+y*z", elementwise(t, name, typeLongint, opMulAdd, ix, iy, iz), isum)
	same(t, "integer x-y*z", elementwise(t, name, typeLongint, opMulSub, ix, iy, iz), idifference)
	ddifference := make([]float64, n/2)
	for i := range ddifference {
		ddifference[i] = dx[i] - float64(dy[i]*dz[i])
	}
	same(t, "double x-y*z", doubles(elementwise(t, name, typeLongreal, opMulSub, doubleWords(dx), doubleWords(dy),
		doubleWords(dz))), ddifference)
}

// divide is unsigned division: A2 uses it for integers of either sign.
func divide(a, b uint32) uint32 {
	if b == 0 {
		return math.MaxUint32
	}
	return a / b
}
