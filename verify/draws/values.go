package draws

import (
	"math"
	"math/rand/v2"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// style is a set of ranges for the values of one try.
type style struct {
	noise    float32 // largest distance of the elements of matrices from the identity
	low, top float32 // the range of other constants
	reach    float32 // positions lie between -reach and reach
	coords   float32 // texture coordinates lie between 0 and coords
}

// styles are used in turn. The first ones are near the identity, with constants like colours. The others
// are for programs that these move out of view: scales, large worlds, negative factors. Chosen by hand.
var styles = [...]style{
	{noise: 0.2, low: 0.1, top: 1, reach: 1, coords: 1},
	{noise: 0.1, low: -1, top: 1, reach: 1, coords: 1},
	{noise: 0.05, low: 0.5, top: 2, reach: 1, coords: 4},
	{noise: 0.3, low: -0.5, top: 1, reach: 2, coords: 1},
	{noise: 0.02, low: 0.01, top: 0.3, reach: 4, coords: 2},
	{noise: 0.5, low: -2, top: 2, reach: 1, coords: 1},
	{noise: 0.1, low: 1, top: 8, reach: 1, coords: 8},
	{noise: 0.8, low: 0.1, top: 1, reach: 32, coords: 1},
}

// source draws values in one style. It redraws a value with probability change and keeps the others.
type source struct {
	*rand.Rand
	style
	change float64
	cloud  cloud
	aim    *aim // for positions, nil to draw them at random
}

// between draws a uniform number.
func (s *source) between(low, top float32) float32 { return low + (top-low)*s.Float32() }

// keepsValue reports whether to keep a value.
func (s *source) keepsValue() bool { return s.Float64() >= s.change }

// constants sets the constants of a profile. Rows of matrices are near the identity, so that positions stay
// in view. Other floats lie in the style's range, loop counts from 1 to 4.
func (s *source) constants(k *interp.Constants, p *profile) {
	for _, f := range p.floats {
		if s.keepsValue() {
			continue
		}
		var v [4]float32
		for c := range v {
			if f.row == noRow {
				v[c] = s.between(s.low, s.top)
			} else {
				v[c] = s.between(-s.noise, s.noise)
			}
		}
		if f.row != noRow {
			v[f.row]++
		}
		k.SetFloat(f.reg, v)
	}
	for _, r := range p.ints { // as loops read them: count, start, step
		if r < len(k.Int) && !s.keepsValue() {
			k.Int[r] = [4]int32{1 + s.Int32N(4), s.Int32N(2), 1, 0}
		}
	}
	for _, r := range p.bools {
		if r < len(k.Bool) && !s.keepsValue() {
			k.Bool[r] = s.IntN(2) == 0
		}
	}
}

// textures sets textures of the declared types for the samplers of a profile.
func (s *source) textures(set *interp.TextureSet, p *profile) {
	for _, m := range p.samplers {
		if m.index < len(set) && !s.keepsValue() {
			set[m.index] = s.texture(m.typ)
		}
	}
}

// texture returns a small random texture with sides of 4, 8 or 16; undeclared types have two dimensions.
// Filtering is linear three times out of four: nearest jumps between texels, so a rounding in a coordinate
// can cause any difference.
func (s *source) texture(typ d3d9.TexType) *interp.Texture {
	w, h, d := 4<<s.IntN(3), 4<<s.IntN(3), 1
	switch typ {
	case d3d9.TexCube:
		h, d = w, w
	case d3d9.TexVolume:
		d = 4 << s.IntN(3)
	default:
		typ = d3d9.Tex2D
	}
	filter := interp.Linear
	if s.IntN(4) == 0 {
		filter = interp.Nearest
	}
	return interp.NewTexture(typ, w, h, d, filter, s.IntN(2) == 0, nil, s.IntN(1<<16))
}

// attribute draws one vertex's value of an attribute into v, and returns its usual number of components.
// Directions have length one, and the sum of weights is one.
func (s *source) attribute(u d3d9.Usage, v *[4]float32) int {
	switch u {
	case d3d9.UsagePosition, d3d9.UsagePositionT:
		*v = [4]float32{s.between(-s.reach, s.reach), s.between(-s.reach, s.reach), s.between(-s.reach, s.reach), 1}
	case d3d9.UsageNormal, d3d9.UsageBinormal:
		s.direction(v)
		return 3
	case d3d9.UsageTangent:
		s.direction(v)
		v[3] = float32(1 - 2*s.IntN(2)) // handedness
	case d3d9.UsageBlendIndices:
		*v = [4]float32{float32(s.IntN(4)), float32(s.IntN(4)), float32(s.IntN(4)), float32(s.IntN(4))}
	case d3d9.UsageBlendWeight:
		*v = [4]float32{s.between(0.1, 1), s.between(0.1, 1), s.between(0.1, 1), s.between(0.1, 1)}
		sum := v[0] + v[1] + v[2] + v[3]
		for i := range v {
			v[i] /= sum
		}
	case d3d9.UsagePSize:
		v[0] = s.between(1, 4)
		return 1
	case d3d9.UsageTexCoord:
		*v = [4]float32{s.between(0, s.coords), s.between(0, s.coords), s.between(0, s.coords), s.between(0.1, s.coords)}
	default:
		*v = [4]float32{s.Float32(), s.Float32(), s.Float32(), s.between(0.1, 1)}
	}
	return 4
}

// direction draws a uniform unit vector into the first three components of v. It rejects points of the cube
// outside the unit ball or too near to its centre.
func (s *source) direction(v *[4]float32) {
	for {
		x, y, z := s.between(-1, 1), s.between(-1, 1), s.between(-1, 1)
		if l := x*x + y*y + z*z; l > 0.01 && l < 1 {
			f := float32(1 / math.Sqrt(float64(l)))
			v[0], v[1], v[2] = x*f, y*f, z*f
			return
		}
	}
}
