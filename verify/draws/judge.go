package draws

import (
	"math"

	"github.com/shaderlift/shaderlift/verify/interp"
)

// Picture sums up what a draw shows.
type Picture struct {
	Covered  int     // pixels drawn to
	Coverage float64 // their share of the target
	Tame     float64 // share of the covered pixels without NaN, infinite or huge values
	Distinct int     // number of different colours among the tame pixels
}

// Meaningful reports whether a picture can tell programs apart: at least a quarter of the target is
// covered, and not all in one colour. Both are assumed.
func (p Picture) Meaningful() bool { return p.Coverage >= 0.25 && p.Distinct > 1 }

// score grows with coverage, tameness and variety up to 1. It asks for more than Meaningful does, to leave
// room for killed fragments and special values in what is compared. Of a plain program, whose pixels
// all have one colour whatever the draw, it asks for no variety. The limits (0.4 of the target, 0.95
// tame, a colour for every eighth pixel) are assumed; as a product, no factor makes up for another.
func (p Picture) score(plain bool) float64 {
	if p.Covered == 0 {
		return 0
	}
	if plain {
		p.Distinct = p.Covered
	}
	variety := float64(p.Distinct-1) / (float64(p.Covered)/8 + 1)
	return min(1, p.Coverage/0.4) * min(1, p.Tame/0.95) * min(1, variety)
}

// Judge measures a picture over all targets that it has.
func Judge(img *interp.Image) Picture {
	p := Picture{}
	tamePixels := 0
	// Colours are told apart by a hash of their bits, which is enough for a count.
	seen := make(map[uint64]struct{}, len(img.Covered)/4)
	for i, covered := range img.Covered {
		if !covered {
			continue
		}
		p.Covered++
		color := uint64(0)
		ok := true
		for _, target := range img.Targets {
			if target == nil {
				continue
			}
			for _, x := range target[4*i : 4*i+4] {
				ok = ok && tame(x)
				color = (color ^ uint64(math.Float32bits(x))) * 0x9e3779b97f4a7c15
				color ^= color >> 29
			}
		}
		if ok {
			tamePixels++
			seen[color] = struct{}{}
		}
	}
	p.Distinct = len(seen)
	if p.Covered > 0 {
		p.Coverage = float64(p.Covered) / float64(len(img.Covered))
		p.Tame = float64(tamePixels) / float64(p.Covered)
	}
	return p
}

// tame reports whether x is an ordinary number: neither NaN nor infinite nor beyond a million.
func tame(x float32) bool { return x > -1e6 && x < 1e6 }
