package kernel

import (
	"slices"
	"testing"
)

// TestPacked checks that thinned and packed resources hold the numbers of the original, whether spelled out
// or generated again.
func TestPacked(t *testing.T) {
	for _, r := range []Resource{
		{Width: 8, Height: 2, Depth: 1, Format: Float1, Data: Data{Kind: Random, Seed: 5, Lo: -1, Hi: 1}},
		{Width: 8, Height: 2, Depth: 1, Format: Float4, Data: Data{Kind: Random, Seed: 5}},
		{Width: 7, Height: 2, Depth: 1, Format: Float4, Data: Data{Kind: Random, Seed: 5, Every: 3}},
		{Width: 3, Height: 1, Depth: 1, Format: Float1, Data: Data{Kind: Words, Words: []uint32{1, 2, 3}}},
		{Width: 8, Height: 2, Depth: 1, Format: Float1},
	} {
		per := r.Format.Components()
		words := func(r *Resource) []uint32 {
			return r.Data.words(r.Width*r.Height*r.Depth*r.Format.Components(), false)
		}
		old := words(&r)
		for _, n := range []int{2, 4} {
			p := r.Packed(n)
			var want []uint32
			for y := range r.Height {
				for x := range (r.Width + n - 1) / n * n {
					w := uint32(0)
					if x < r.Width {
						w = old[(y*r.Width+x)*per]
					}
					want = append(want, w)
				}
			}
			if got := words(&p); !slices.Equal(got, want) || p.Format.Components() != n {
				t.Errorf("%+v packed by %d: %x, want %x", r, n, got, want)
			}
		}
		thin := r.Thinned(3)
		var want []uint32
		for y := range r.Height {
			for x := 0; x < r.Width; x += 3 {
				at := (y*r.Width + x) * per
				want = append(want, old[at:at+per]...)
			}
		}
		if got := words(&thin); !slices.Equal(got, want) {
			t.Errorf("%+v thinned: %x, want %x", r, got, want)
		}
	}
}
