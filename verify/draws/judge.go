package draws

import (
	"math"

	"github.com/shaderlift/shaderlift/verify/interp"
)

// Picture summarizes the result of a draw.
type Picture struct {
	Covered  int     // pixels drawn to
	Coverage float64 // their share of the target
	Tame     float64 // share of the covered pixels without NaN, infinite or huge values
	Distinct int     // number of different colours among the tame pixels
}

// Meaningful reports whether a picture can distinguish programs: at least a quarter of the target is
// covered, with more than one colour. Both thresholds are assumed.
func (p Picture) Meaningful() bool { return p.Coverage >= 0.25 && p.Distinct > 1 }

// score grows with coverage, tameness and variety up to 1. It requires more than Meaningful, as a margin
// for killed fragments and special values. A plain program, whose pixels always have one colour, needs no
// variety. The limits (0.4 of the target, 0.95 tame, a colour for every eighth pixel) are assumed. As a
// product, no factor compensates for another.
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

// Judge measures a picture over all of its targets.
func Judge(img *interp.Image) Picture {
	p := Picture{}
	tamePixels := 0
	// A hash of their bits distinguishes colours, which suffices for counting.
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
				ok = ok && isOrdinary(x)
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

// isOrdinary reports whether x is an ordinary number: neither NaN nor infinite nor beyond a million.
func isOrdinary(x float32) bool { return x > -1e6 && x < 1e6 }
