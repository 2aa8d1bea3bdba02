package spirv

// hash returns pseudo-random bits (the mixer of D. Wellons, hash-prospector).
func hash(w uint32) uint32 {
	w = (w ^ w>>16) * 0x7feb352d
	w = (w ^ w>>15) * 0x846ca68b
	return w ^ w>>16
}

// unit returns a pseudo-random number from 0 to 1.
func unit(w uint32) float32 { return float32(hash(w)>>8) / (1 << 24) }

// GeneratedEnv returns an environment of pseudo-random numbers. Buffers hold small numbers, with numbers near 1 where
// matrices of four columns have their diagonal; so most positions stay on the screen. Images have 4 by 4 texels from 0
// to 1, one level and six layers.
func GeneratedEnv(seed uint32) *Env {
	seed = hash(seed)
	return &Env{
		Word: func(r Resource, offset uint32) uint32 {
			x := 0.1 * unit(seed+offset+r.Binding<<16+r.Set<<24)
			if offset%64%20 == 0 {
				x = 1 - x
			}
			return word(x)
		},
		Image: func(r Resource) *Image {
			return &Image{Width: 4, Height: 4, Depth: 6, Levels: 1, Samples: 1, Texel: func(x, y, z, _, _ int) (t [4]uint32) {
				for k := range t {
					t[k] = word(unit(seed + uint32(x+4*y+16*z+100*k) + r.Binding<<16 + r.Set<<24))
				}
				return t
			}}
		},
	}
}

// corners holds the positions of the vertices of a generated triangle. It covers most of the screen.
var corners = [3][4]float32{{-0.9, -0.8, 0.4, 1}, {0.9, -0.7, 0.5, 1}, {0.1, 0.95, 0.6, 1}}

// GeneratedAttribute returns a component of an attribute of vertex 0 to 2: at location 0 a corner of a triangle, and
// elsewhere a pseudo-random number from 0 to 1, or an integer from 0 to 3.
func GeneratedAttribute(seed uint32, c Component, vertex int) uint32 {
	at := hash(seed) + c.Location*64 + c.Component*16 + uint32(vertex)
	switch {
	case c.Kind != Float:
		return hash(at) & 3
	case c.Location == 0:
		return word(corners[vertex%3][c.Component&3])
	}
	return word(unit(at))
}
