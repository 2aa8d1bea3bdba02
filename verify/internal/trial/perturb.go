package trial

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// perturbDraw returns c with every attribute and constant perturbed by a few roundings, positions only if
// moving.
func perturbDraw(c *interp.Case, seed uint64, moving bool) *interp.Case {
	r := symbolic.Stream(seed)
	d := *c
	d.Attrs = slices.Clone(c.Attrs)
	for i := range d.Attrs {
		a := &d.Attrs[i]
		a.Data = slices.Clone(a.Data)
		// Moving the triangles may change coverage; blend indices are whole numbers.
		if a.Usage == d3d9.UsagePosition && !moving || a.Usage == d3d9.UsageBlendIndices {
			continue
		}
		for k := range a.Data {
			a.Data[k] = perturbFloat(&r, a.Data[k], roundings(seed))
		}
	}
	for i, k := range []*interp.Constants{&d.Vertex, &d.Pixel} {
		k.Float = slices.Clone(k.Float)
		perturbConstants(k, r.Next()+uint64(i), roundings(seed))
	}
	return &d
}

// perturbConstants perturbs every float constant in k by up to most roundings, because the host has rounded it. A
// literal that the program defines stays exact.
func perturbConstants(k *interp.Constants, seed uint64, most int) {
	r := symbolic.Stream(seed)
	for i := range k.Float {
		for c := range 4 {
			k.Float[i][c] = perturbFloat(&r, k.Float[i][c], most)
		}
	}
}

// The largest number of roundings in a perturbation. A directed input may lie a few roundings from an edge,
// so that two do not cross it. A correct rewrite may round more often than before. 1024 roundings of 2^-24
// are still within the tolerance.
const (
	fewRoundings  = 2
	manyRoundings = 1024
)

// MoreRoundings is a bit of a jitter that asks for manyRoundings.
const MoreRoundings = 1 << 63

// roundings returns the largest number of roundings in a perturbation with jitter.
func roundings(jitter uint64) int {
	if jitter&MoreRoundings != 0 {
		return manyRoundings
	}
	return fewRoundings
}

// perturbFloat returns x perturbed by up to most roundings, up or down. Zero has no useful roundings of its own.
// With manyRoundings, it moves by those of a number of size 1, to which it may be added.
func perturbFloat(r *symbolic.Stream, x float32, most int) float32 {
	toward := float32(math.Inf(1))
	if r.Next()&1 == 0 {
		toward = -toward
	}
	n := r.Next() % uint64(most+1)
	if most == manyRoundings {
		by := float32(math.Copysign(float64(n)*0x1p-24, float64(toward)))
		if x == 0 {
			return by
		}
		return x + x*by
	}
	for range n {
		x = math.Nextafter32(x, toward)
	}
	return x
}
