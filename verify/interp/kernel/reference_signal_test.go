package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// correlation returns the sum over time of x * conj(y) for the four pairs of polarisations pp, pq, qp, qq:
// the real and the imaginary parts. A sample is re p, im p, re q, im q.
func correlation(x, y []float32) (re, im [4]float64) {
	for k := 0; k < len(x); k += 4 {
		for i := range 2 {
			for j := range 2 {
				a := complex(float64(x[k+2*i]), float64(x[k+2*i+1]))
				b := complex(float64(y[k+2*j]), -float64(y[k+2*j+1]))
				re[2*i+j] += real(a * b)
				im[2*i+j] += imag(a * b)
			}
		}
	}
	return re, im
}

func TestComplexMac(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x, y := randomMatrix(r, 6, 4*24), randomMatrix(r, 5, 4*24)
	l := newLaunch(t, y.rows, x.rows)
	l.quads(0, x)
	l.quads(1, y)
	l.constants(0, words([]float32{24, 0, 0, 0}))
	res := l.run(filepath.Join(ownKernels, "complex_mac.il"))
	for i := range x.rows {
		for j := range y.rows {
			re, im := correlation(x.row(i), y.row(j))
			at := 4 * (i*y.rows + j)
			near(t, "real parts", floats(res.Out[0])[at:at+4], re[:], 1e-5)
			near(t, "imaginary parts", floats(res.Out[1])[at:at+4], im[:], 1e-5)
		}
	}
}

// TestCorrelator covers the correlators. Column x of the domain is a pair of stations from the tables, row
// y a channel. The row of samples is the channel times the number of stations plus the station. The kernels
// use the centre of the pixel as the number of the channel, and so read half a channel further on. This
// test places the samples there.
func TestCorrelator(t *testing.T) {
	const stations, channels, times = 6, 3, 16
	r := rand.New(rand.NewPCG(7, 8))
	samples := randomMatrix(r, stations*channels+stations/2, 4*times)
	row := func(channel, station int) []float32 { return samples.row(stations/2 + channel*stations + station) }
	var first, second []float32
	for i := range stations - 1 {
		for j := i; j < stations; j++ {
			first, second = append(first, float32(i)), append(second, float32(j))
		}
	}
	for name, apart := range map[string]int{"correlator_Kernel_1x1": 0, "correlator_Kernel_2x2": 1} {
		t.Run(name, func(t *testing.T) {
			l := newLaunch(t, len(first), channels)
			l.quads(0, samples)
			l.resource(1, len(first), 1, words(first))
			l.resource(2, len(second), 1, words(second))
			l.constants(0, words([]float32{stations, times, channels, float32(len(first))}))
			res := l.run(filepath.Join(corpusKernels, name+".il"))
			for channel := range channels {
				for pair := range first {
					at := 4 * (channel*len(first) + pair)
					// The coarser kernel also computes the next station, for outputs 2 and 3. A mistake in
					// the kernel affects its second second station.
					for extra := range 1 + apart {
						i, j := int(first[pair])+extra, int(second[pair])
						if i >= stations {
							continue
						}
						re, im := correlation(row(channel, i), row(channel, j))
						near(t, "real parts", floats(res.Out[2*extra])[at:at+4], re[:], 1e-5)
						near(t, "imaginary parts", floats(res.Out[2*extra+1])[at:at+4], im[:], 1e-5)
					}
				}
			}
		})
	}
}

// convolved returns y[k] = sum of h[m] * x[step*k+m-hot], with x = 0 beyond its ends.
func convolved(x, h []float32, n, hot, step int) []float64 {
	y := make([]float64, n)
	for k := range y {
		for m := range h {
			if i := step*k + m - hot; i >= 0 && i < len(x) {
				y[k] += float64(h[m]) * float64(x[i])
			}
		}
	}
	return y
}

// shifted returns the coefficients in A2's layout: four copies, each shifted right by one more, in enough
// quads for all.
func shifted(h []float32, quads int) []float32 {
	all := make([]float32, 16*quads)
	for s := range 4 {
		copy(all[4*quads*s+s:4*quads*(s+1)], h)
	}
	return all
}

// TestConvolveRows covers the convolutions of rows: one quad per invocation, with the input shifted by any
// hot spot. Values beyond the ends of a row depend on the sampler, so the test skips results that use them.
func TestConvolveRows(t *testing.T) {
	for _, c := range []struct {
		name              string
		taps, quads, step int
	}{{"a2_ConvolveRows5_R", 5, 2, 1}, {"a2_ConvolveRows12_R", 12, 4, 1}, {"a2_ConvolveRows5Down2_R", 5, 2, 2}} {
		for hot := range 4 {
			t.Run(fmt.Sprintf("%s_%d", c.name, hot), func(t *testing.T) {
				r := rand.New(rand.NewPCG(9, uint64(hot)))
				x, h := randomMatrix(r, 3, 64), randomMatrix(r, 1, c.taps).at
				width := x.columns / c.step
				l := newLaunch(t, width/4, x.rows)
				l.quads(0, x)
				l.constants(0, words(shifted(h, c.quads)))
				l.constants(1, words([]float32{float32(hot), 0, 0, 0}))
				res := l.run(filepath.Join(corpusKernels, c.name+".il"))
				got := matrix{x.rows, width, floats(res.Out[0])}
				for i := range x.rows {
					want := convolved(x.row(i), h, width, hot, c.step)
					last := (x.columns - c.taps) / c.step
					near(t, "row", got.row(i)[hot:last], want[hot:last], 1e-5)
				}
			})
		}
	}
}

// TestConvolveVirtual covers the convolutions of arrays stored as one long row of quads, which is split at
// the width of the resource: along lines of the array, and across them.
func TestConvolveVirtual(t *testing.T) {
	const width, pitch, lines, physical = 27, 7, 70, 32
	for _, c := range []struct {
		name        string
		taps, quads int
		down        bool
	}{{"a2_ConvolveNDX5_R", 5, 2, false}, {"a2_ConvolveNDX9_R", 9, 3, false}, {"a2_ConvolveNDZ5_R", 5, 2, true},
		{"a2_ConvolveNDZ9_R", 9, 3, true}} {
		for _, hot := range []int{0, 4} {
			t.Run(fmt.Sprintf("%s_%d", c.name, hot), func(t *testing.T) {
				r := rand.New(rand.NewPCG(11, uint64(hot)))
				h := randomMatrix(r, 1, c.taps).at
				x := newMatrix(lines, 4*pitch) // padded at the ends of lines
				for i := range lines {
					copy(x.row(i), randomMatrix(r, 1, width).at)
				}
				along, threads := x, lines
				if c.down { // the same numbers with vertical lines
					along, threads = newMatrix(width, 4*lines), lines
					for i := range width {
						for j := range 4 * lines {
							along.row(i)[j] = 2*r.Float32() - 1
						}
					}
				}
				rows := (len(along.at)/4 + physical - 1) / physical
				l := newLaunch(t, (threads+63)/64*64, 1)
				l.resource(0, physical, rows, append(words(along.at), make([]uint32, 4*physical*rows-len(along.at))...))
				l.global(make([]uint32, len(along.at)))
				l.constants(0, words(shifted(h, c.quads)))
				l.constants(1, []uint32{uint32(hot), width, physical, pitch, 0, width / 4 * 4, uint32(threads), 0, 0, 0, 0, 0})
				res := l.run(filepath.Join(corpusKernels, c.name+".il"))
				got := matrix{along.rows, along.columns, floats(res.Global)}
				if !c.down {
					for i := range lines {
						want := append(convolved(x.row(i)[:width], h, width, hot, 1), make([]float64, 4*pitch-width)...)
						near(t, "line", got.row(i), want, 1e-5)
					}
					return
				}
				for j := range along.columns {
					var column, result []float32
					for i := range width {
						column, result = append(column, along.row(i)[j]), append(result, got.row(i)[j])
					}
					near(t, "column", result, convolved(column, h, width, hot, 1), 1e-5)
				}
			})
		}
	}
}
