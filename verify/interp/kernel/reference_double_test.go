package kernel_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// quotient computes the result of double.il, operation by operation.
func quotient(x, scale, bound float64) (float64, bool) {
	x = math.Abs(x * scale)
	p := x*0.1 + -3
	p = float64(p*x) + 10
	p = float64(p*x) + 0.5
	q := p / (float64(x*x) + 1)
	if q >= bound {
		return bound, true
	}
	return q, false
}

func TestDouble(t *testing.T) {
	const width, height, bound, scale = 8, 6, 1.25, 0.3
	r := rand.New(rand.NewPCG(29, 1))
	x := []float64{0, -1, 1, 0.1, -1e5, 1e-300, 3.5, 12345678.9}
	for len(x) < 2*width*height {
		x = append(x, 10*r.NormFloat64())
	}
	l := newLaunch(t, width, height)
	l.resource(0, width, height, doubleWords(x))
	l.constants(0, doubleWords([]float64{bound, scale}))
	res := l.run(filepath.Join(ownKernels, "double.il"))
	var want []float64
	rounded, bounded := make([]float32, 0, len(x)), make([]uint32, 0, len(x))
	for _, v := range x {
		q, over := quotient(v, scale, bound)
		want, rounded = append(want, q), append(rounded, float32(q))
		bounded = append(bounded, map[bool]uint32{true: math.MaxUint32}[over])
	}
	near(t, "quotients", doubles(res.Out[0]), want, 1e-13)
	for i := range width * height {
		got := res.Out[1][4*i : 4*i+4]
		near(t, "rounded", floats(got[:2]), []float64{float64(rounded[2*i]), float64(rounded[2*i+1])}, 1e-6)
		same(t, "bounded", got[2:], bounded[2*i:2*i+2])
	}
}

type doubleMatrix struct {
	rows, columns int
	at            []float64
}

func randomDoubles(r *rand.Rand, rows, columns int) doubleMatrix {
	m := doubleMatrix{rows, columns, make([]float64, rows*columns)}
	for i := range m.at {
		m.at[i] = r.NormFloat64()
	}
	return m
}

func (m doubleMatrix) row(i int) []float64 { return m.at[i*m.columns : (i+1)*m.columns] }

// dot returns alpha times the dot product of two rows.
func dot(a, b []float64, alpha float64) (sum float64) {
	for k := range a {
		sum += a[k] * b[k]
	}
	return alpha * sum
}

// part returns every n-th row of m, beginning with the given first one, in words.
func (m doubleMatrix) part(first, n int) (w []uint32) {
	for i := first; i < m.rows; i += n {
		w = append(w, doubleWords(m.row(i))...)
	}
	return w
}

// TestCaldgemm44 multiplies A by a B that is stored by columns. In the kernels of four by four, a row of a
// resource holds two rows of the matrix, alternating in groups of two numbers. A texel holds two numbers or
// one. Resources 0 and 1 are A, 2 and 3 are B. Outputs 0 to 3 are the rows of the block with the first two
// columns, 4 to 7 those with the others.
func TestCaldgemm44(t *testing.T) {
	const blocks, inner, alpha = 3, 16, 1.5
	r := rand.New(rand.NewPCG(31, 1))
	a, b := randomDoubles(r, 4*blocks, inner), randomDoubles(r, 4*blocks, inner)
	for name, texel := range map[string]int{"caldgemm_tB44": 2, "caldgemm_tB44_bt64": 1} {
		t.Run(name, func(t *testing.T) {
			width := 2 * inner / texel
			l := newLaunch(t, blocks, blocks)
			for k, m := range []doubleMatrix{a, a, b, b} {
				var rows []float64
				for block := range blocks {
					even, odd := m.row(4*block+2*(k%2)), m.row(4*block+2*(k%2)+1)
					for i := 0; i < inner; i += 2 {
						rows = append(rows, even[i], even[i+1], odd[i], odd[i+1])
					}
				}
				l.resource(k, width, blocks, doubleWords(rows))
			}
			l.constant(0, 1, factor(float32(width), alpha))
			res := l.run(filepath.Join(corpusKernels, name+".il"))
			for k := range 8 {
				got := doubles(res.Out[k])
				for i := range got {
					row, column := 4*(i/2/blocks)+k%4, 4*(i/2%blocks)+2*(k/4)+i%2
					near(t, "entry", got[i:i+1], []float64{dot(a.row(row), b.row(column), alpha)}, 1e-12)
				}
			}
		})
	}
}

// factor returns the constant of caldgemm with the bound of the loop and alpha.
func factor(bound float32, alpha float64) [4]uint32 {
	low := doubleWords([]float64{alpha})
	return [4]uint32{math.Float32bits(bound), 0, low[0], low[1]}
}

// TestCaldgemm82 runs the kernel of eight by two, which addresses resources from 0 to 1. Resources 0 to 7
// are the interleaved rows of A, 8 and 9 the columns of B, with four texels of two numbers per trip.
func TestCaldgemm82(t *testing.T) {
	const down, across, inner, alpha = 2, 4, 32, -0.5
	r := rand.New(rand.NewPCG(33, 1))
	a, b := randomDoubles(r, 8*down, inner), randomDoubles(r, 2*across, inner)
	l := newLaunch(t, across, down)
	for i := range 8 {
		l.resource(i, inner/2, down, a.part(i, 8))
	}
	for j := range 2 {
		l.resource(8+j, inner/2, across, b.part(j, 2))
	}
	l.constant(0, 0, [4]uint32(words([]float32{1.0 / down, 2.0 / inner, 1.0 / across, 0})))
	l.constant(0, 1, factor(inner/8, alpha))
	res := l.run(filepath.Join(corpusKernels, "caldgemm_tB.il"))
	for k := range 8 {
		got := doubles(res.Out[k])
		for i := range got {
			row, column := 8*(i/2/across)+k, 2*(i/2%across)+i%2
			near(t, "entry", got[i:i+1], []float64{dot(a.row(row), b.row(column), alpha)}, 1e-12)
		}
	}
}
