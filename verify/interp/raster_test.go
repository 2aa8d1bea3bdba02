package interp

import (
	"math/rand/v2"
	"testing"
)

// TestSpans compares the quads of row and span with a pixel-by-pixel evaluation, for decreasing, increasing
// and constant functions.
func TestSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	type quad struct {
		x, y    int32
		covered uint64
	}
	for round := range 20000 {
		var got []quad
		ra := &raster{img: &Image{W: 1 + r.IntN(40), H: 1 + r.IntN(4)}, tri: &triangle{}, batch: &fragments{}}
		ra.full = func(f *fragments) (*fragments, error) {
			for q := range f.quads {
				got = append(got, quad{f.x[q], f.y[q], f.covered >> (4 * q) & 15})
			}
			f.reset()
			return f, nil
		}
		for k := range ra.edges {
			size := int64(1) << r.IntN(12)
			ra.edges[k] = edge{r.Int64N(64*size) - 8*size, r.Int64N(5*size) - 2*size, r.Int64N(5*size) - 2*size}
		}
		py, left := r.IntN((ra.img.H+1)/2)*2, r.IntN((ra.img.W+1)/2)*2
		right := left + r.IntN(ra.img.W-left)
		ra.rasteriseRow(py, left, right)
		ra.flush()
		row := got
		got = nil
		var e [3]int64
		for k, f := range ra.edges {
			e[k] = f.c + f.dx*int64(left) + f.dy*int64(py)
		}
		ra.border(e, py, left, 0, (right-left)/2)
		ra.flush()
		if len(row) != len(got) {
			t.Fatalf("round %d: %d quads, %d pixel by pixel", round, len(row), len(got))
		}
		for i := range got {
			if row[i] != got[i] {
				t.Fatalf("round %d: quad %v, %v pixel by pixel", round, row[i], got[i])
			}
		}
	}
}
