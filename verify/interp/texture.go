package interp

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp/internal/lanes"
)

// Filter selects how a texture is sampled between texels.
type Filter uint8

// The filters.
const (
	Nearest Filter = iota
	Linear
	Trilinear // linear within levels and between them; averaging builds the levels
)

// Texture is a float32 RGBA texture with its sampler state. A cube has W = H = D = the edge of its six
// faces, stored +X, -X, +Y, -Y, +Z, -Z (D3DCUBEMAP_FACES). A texture is immutable.
type Texture struct {
	Type    d3d9.TexType
	W, H, D int
	Filter  Filter
	Clamp   bool // clamp to the edge; else wrap

	// Data is the top level, four floats a texel, x fastest, then y, then z or face.
	Data []float32
	// Rand reports that the generator filled Data from Seed; Format relies on it.
	Rand bool
	Seed int

	levels []level
}

// level is one mip level.
type level struct {
	w, h, d int
	data    []float32
	// The level in the form for kernels, if it is two-dimensional.
	texels  lanes.Texels
	kernels bool
}

// TextureSet holds the textures of a stage by sampler; nil ones read (0,0,0,1).
type TextureSet [16]*Texture

// NewTexture returns a texture with the given data, or with data generated from seed if data is nil.
func NewTexture(typ d3d9.TexType, w, h, d int, filter Filter, clamp bool, data []float32, seed int) *Texture {
	t := &Texture{Type: typ, W: w, H: h, D: d, Filter: filter, Clamp: clamp, Data: data}
	if data == nil {
		t.Rand, t.Seed = true, seed
		t.Data = make([]float32, 4*t.texels())
		randomFloats(t.Data, seed)
	}
	t.build()
	return t
}

// texels returns the number of texels in the top level.
func (t *Texture) texels() int {
	if t.Type == d3d9.TexCube {
		return t.W * t.W * 6
	}
	return t.W * t.H * max(t.D, 1)
}

// randomFloats fills a texture from the generator of case files.
func randomFloats(data []float32, seed int) {
	r := NewRandom(seed)
	for i := range data {
		data[i] = Unit(r.Next())
	}
}

// build creates the levels: only the top one unless the filter mixes levels.
func (t *Texture) build() {
	depth := max(t.D, 1)
	if t.Type == d3d9.TexCube {
		depth = 6
	}
	l := level{w: t.W, h: t.H, d: depth, data: t.Data}
	if depth == 1 && t.Type != d3d9.TexVolume {
		l.texels, l.kernels = lanes.NewTexels(t.Data, t.W, t.H, t.Clamp)
	}
	t.levels = append(t.levels[:0], l)
	for t.Filter == Trilinear && (l.w > 1 || l.h > 1 || t.Type == d3d9.TexVolume && l.d > 1) {
		l = l.downsample(t.Type == d3d9.TexVolume)
		t.levels = append(t.levels, l)
	}
}

// downsample returns the next smaller level: the mean of two texels along each axis. The last texel of an odd
// axis counts alone.
func (l level) downsample(volume bool) level {
	n := level{w: max(l.w/2, 1), h: max(l.h/2, 1), d: l.d}
	if volume {
		n.d = max(l.d/2, 1)
	}
	n.data = make([]float32, 4*n.w*n.h*n.d)
	for z := range n.d {
		z0, z1 := z, z
		if volume {
			z0, z1 = min(2*z, l.d-1), min(2*z+1, l.d-1)
		}
		for y := range n.h {
			y0, y1 := min(2*y, l.h-1), min(2*y+1, l.h-1)
			for x := range n.w {
				x0, x1 := min(2*x, l.w-1), min(2*x+1, l.w-1)
				for c := range 4 {
					var s float32
					for _, k := range [8]int{l.at(x0, y0, z0), l.at(x1, y0, z0), l.at(x0, y1, z0), l.at(x1, y1, z0),
						l.at(x0, y0, z1), l.at(x1, y0, z1), l.at(x0, y1, z1), l.at(x1, y1, z1)} {
						s += l.data[k+c]
					}
					n.data[n.at(x, y, z)+c] = s / 8
				}
			}
		}
	}
	return n
}

// at returns the index of a texel.
func (l *level) at(x, y, z int) int { return 4 * ((z*l.h+y)*l.w + x) }

// Sample executes a texture instruction with the textures of the set.
func (s *TextureSet) Sample(f *Fetch) {
	var t *Texture
	if f.Sampler < len(s) {
		t = s[f.Sampler]
	}
	if t == nil {
		*f.Out[0], *f.Out[1], *f.Out[2] = Vec{}, Vec{}, Vec{}
		for i := range f.Out[3] {
			f.Out[3][i] = 1
		}
		return
	}
	t.sample(f)
}

// lodOf returns the level of detail for gradients in texels: log2 of the longer one.
func lodOf(dx, dy [3]float32) float32 {
	rho := max(dx[0]*dx[0]+dx[1]*dx[1]+dx[2]*dx[2], dy[0]*dy[0]+dy[1]*dy[1]+dy[2]*dy[2])
	return 0.5 * float32(math.Log2(float64(rho)))
}
