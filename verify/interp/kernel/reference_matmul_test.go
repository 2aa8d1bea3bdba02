package kernel_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// product returns a*b in double precision.
func product(a, b matrix) []float64 {
	c := make([]float64, a.rows*b.columns)
	for i := range a.rows {
		for k, x := range a.row(i) {
			for j, y := range b.row(k) {
				c[i*b.columns+j] += float64(x) * float64(y)
			}
		}
	}
	return c
}

// productIn returns a*b in single precision. It adds the products of four columns of a at a time in the
// given order. If apart is set, it sums each four products first and adds this sum to the total.
func productIn(a, b matrix, order [4]int, apart bool) matrix {
	c := newMatrix(a.rows, b.columns)
	for i := range c.rows {
		for j := range c.columns {
			var sum float32
			for k := 0; k < a.columns; k += 4 {
				part := sum
				for n, lane := range order {
					x, y := a.row(i)[k+lane], b.row(k + lane)[j]
					if n == 0 && apart {
						part = x * y
						continue
					}
					part = mad(x, y, part)
				}
				if apart {
					part = sum + part
				}
				sum = part
			}
			c.row(i)[j] = sum
		}
	}
	return c
}

var inOrder = [4]int{0, 1, 2, 3}

// TestMatmulPLDI runs the kernels of the PLDI tutorial: resources 0 to 7 are the interleaved rows of A, 8
// to 11 those of B, and the outputs those of C. They add the second product first.
func TestMatmulPLDI(t *testing.T) {
	for _, name := range []string{"pldi_v1", "pldi_v2", "pldi_v3", "pldi_final"} {
		t.Run(name, func(t *testing.T) {
			a, b := matmulOperands(24, 32, 20)
			l := newLaunch(t, b.columns/4, a.rows/8)
			for i := range 8 {
				l.quads(i, a.part(i, 8))
			}
			for j := range 4 {
				l.quads(8+j, b.part(j, 4))
			}
			l.constants(0, words([]float32{float32(a.columns / 4), 0, 0, 0}))
			res := l.run(filepath.Join(ownKernels, name+".il"))
			got := outputs(res, 8, a.rows/8, b.columns)
			same(t, "in the order of the kernel", got.at, productIn(a, b, [4]int{1, 0, 2, 3}, false).at)
			near(t, "in double precision", got.at, product(a, b), 1e-5)
		})
	}
}

func matmulOperands(rows, inner, columns int) (a, b matrix) {
	r := rand.New(rand.NewPCG(1, 2))
	return randomMatrix(r, rows, inner), randomMatrix(r, inner, columns)
}

// TestMatmulJang runs the kernels after Jang and others: scalar ones, vector ones, and those with eight
// outputs.
func TestMatmulJang(t *testing.T) {
	a, b := matmulOperands(16, 32, 20)
	for _, name := range []string{"naive", "varred", "unroll4", "unroll8", "unroll16"} {
		t.Run(name, func(t *testing.T) {
			l := newLaunch(t, b.columns, a.rows)
			l.resource(0, a.columns, a.rows, words(a.at))
			l.resource(1, b.columns, b.rows, words(b.at))
			l.constants(0, words([]float32{float32(a.columns), 0, 0, 0}))
			res := l.run(filepath.Join(ownKernels, "jang_"+name+".il"))
			all := floats(res.Out[0])
			var got []float32
			for i := 0; i < len(all); i += 4 {
				same(t, "one value in all components", all[i:i+4], []float32{all[i], all[i], all[i], all[i]})
				got = append(got, all[i])
			}
			same(t, "in the order of the kernel", got, productIn(a, b, inOrder, false).at)
			near(t, "in double precision", got, product(a, b), 1e-5)
		})
	}
	for name, outs := range map[string]int{"vector": 1, "multi8": 8} {
		t.Run(name, func(t *testing.T) {
			l := newLaunch(t, b.columns/4, a.rows/outs)
			for i := range outs {
				l.quads(i, a.part(i, outs))
			}
			for j := range 4 {
				l.quads(outs+j, b.part(j, 4))
			}
			l.constants(0, words([]float32{float32(a.columns / 4), 0, 0, 0}))
			res := l.run(filepath.Join(ownKernels, "jang_"+name+".il"))
			got := outputs(res, outs, a.rows/outs, b.columns)
			same(t, "in the order of the kernel", got.at, productIn(a, b, inOrder, true).at)
			near(t, "in double precision", got.at, product(a, b), 1e-5)
		})
	}
}

// TestMatmulSplit8 covers A2, which stores a matrix in eight parts: the rows with the same remainder modulo
// eight.
func TestMatmulSplit8(t *testing.T) {
	a, b := matmulOperands(16, 32, 24)
	transposed := newMatrix(b.columns, b.rows)
	for i := range b.rows {
		for j, v := range b.row(i) {
			transposed.row(j)[i] = v
		}
	}
	for name, right := range map[string]matrix{"a2_MatMulSplit8_R": b, "a2_MatMulSplit8Unroll2_R": b,
		"a2_MatMulTSplit8Unroll2_R": transposed} {
		t.Run(name, func(t *testing.T) {
			l := newLaunch(t, b.columns/4, a.rows/8)
			for i := range 8 {
				l.quads(i, a.part(i, 8))
				l.quads(8+i, right.part(i, 8))
			}
			l.constants(0, words([]float32{float32(a.columns / 4), 0, 0, 0}))
			res := l.run(filepath.Join(corpusKernels, name+".il"))
			got := outputs(res, 8, a.rows/8, b.columns)
			same(t, "in the order of the kernel", got.at, productIn(a, b, inOrder, false).at)
			near(t, "in double precision", got.at, product(a, b), 1e-5)
		})
	}
}

// TestMatrixVectorSplit8 covers the product with a vector. Each component of the vector is multiplied with
// one of a matrix row, and the four sums are added at the end.
func TestMatrixVectorSplit8(t *testing.T) {
	a, b := matmulOperands(24, 32, 1)
	l := newLaunch(t, a.rows/4, 1)
	for i := range 8 {
		l.quads(i, a.part(i, 8))
	}
	l.resource(8, len(b.at)/4, 1, words(b.at))
	l.constants(0, words([]float32{float32(a.columns / 4), 0, 0, 0}))
	res := l.run(filepath.Join(corpusKernels, "a2_MatVecMulSplit8_R.il"))
	near(t, "in double precision", floats(res.Out[0]), product(a, b), 1e-5)
}

// TestInverse8x8 replaces each matrix of eight by eight in the global buffer by its inverse. The product of
// both must be nearly the identity.
func TestInverse8x8(t *testing.T) {
	const threads = 64
	r := rand.New(rand.NewPCG(3, 4))
	var all []float32
	for range threads {
		m := randomMatrix(r, 8, 8)
		for i := range 8 {
			m.row(i)[i] += 5 // so that all corners can be inverted
		}
		all = append(all, m.at...)
	}
	l := newLaunch(t, threads, 1)
	l.global(words(all))
	res := l.run(filepath.Join(corpusKernels, "a2_Inv8x8_R.il"))
	inverse := floats(res.Global)
	unit := make([]float64, 64)
	for i := 0; i < 64; i += 9 {
		unit[i] = 1
	}
	for k := range threads {
		at := 64 * k
		near(t, "unit matrix", product(matrix{8, 8, all[at : at+64]}, matrix{8, 8, inverse[at : at+64]}), unit, 1e-4)
	}
}
