package interp

import "testing"

// TestSpecialValue checks that every pair of values occurs in any two columns, and every value in the first rows.
func TestSpecialValue(t *testing.T) {
	const n = len(SpecialWords)
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			t.Fatalf("%d values, a multiple of %d", n, d)
		}
	}
	seen := map[uint32]bool{}
	for _, w := range SpecialWords {
		if seen[w] {
			t.Errorf("%#x is listed twice", w)
		}
		seen[w] = true
	}
	for c := 1; c < n; c++ {
		pairs := map[[2]uint32]bool{}
		for k := range n * n {
			pairs[[2]uint32{SpecialValue(k, 0), SpecialValue(k, c)}] = true
		}
		if len(pairs) != n*n {
			t.Errorf("columns 0 and %d: %d pairs", c, len(pairs))
		}
	}
	for c := range 8 {
		met := map[uint32]bool{}
		for k := range 256 {
			met[SpecialValue(k, c)] = true
		}
		if len(met) < n*9/10 {
			t.Errorf("column %d: %d values in 256 rows", c, len(met))
		}
	}
}
