package spirv

import (
	"math"
	"math/bits"

	"github.com/shaderlift/shaderlift/asm"
)

// Draw is the draw of one triangle with a pair of programs.
type Draw struct {
	Vertex, Fragment       *Program
	VertexEnv, FragmentEnv *Env
	Width, Height          int // of the target, in pixels
	// Attribute returns a component of an attribute of a vertex. The vertices have the numbers 0 to 2 in VertexIndex.
	Attribute func(c Component, vertex int) uint32
	// Cover places the vertices outside the target so that the triangle covers it, whatever Position is. Position then
	// only gives the perspective, if its w is positive and finite in all vertices.
	Cover bool
}

// Picture is the result of a draw, row by row.
type Picture struct {
	Width, Height int
	Covered       []bool     // by pixel: the fragment exists and is not discarded
	Undefined     []bool     // by pixel: the fragment did not end, or reached a point that it must not reach
	Out           [][]uint32 // by component of the fragment program's outputs, then by pixel
	Stores        []Store    // of fragments; lanes are pixels
	Vertices      *Result
}

// maxPixels bounds the pixels of a target.
const maxPixels = 1 << 24

// Run draws the triangle: clipping only discards fragments, without depth test, blending and culling. Triangles with a
// vertex whose w is not positive are not drawn.
func (d *Draw) Run() (*Picture, error) {
	if d.Vertex.Stage != Vertex || d.Fragment.Stage != Fragment {
		return nil, asm.Errorf(asm.Pos{}, "bad-run", "a draw needs a vertex and a fragment program")
	}
	if d.Width < 1 || d.Height < 1 || d.Width > maxPixels/d.Height {
		return nil, asm.Errorf(asm.Pos{}, "bad-run", "a target of %d by %d pixels is too small or too large", d.Width, d.Height)
	}
	in := &Batch{N: 3, In: make([]Vec, len(d.Vertex.inputs))}
	for i, c := range d.Vertex.inputs {
		for v := range 3 {
			switch {
			case c.IsBuiltIn && c.BuiltIn == vertexIndex:
				in.In[i][v] = uint32(v)
			case !c.IsBuiltIn && d.Attribute != nil:
				in.In[i][v] = d.Attribute(c, v)
			}
		}
	}
	vertices, err := d.Vertex.Run(d.VertexEnv, in)
	if err != nil {
		return nil, err
	}
	pixels := d.Width * d.Height
	p := &Picture{Width: d.Width, Height: d.Height, Vertices: vertices, Covered: make([]bool, pixels),
		Undefined: make([]bool, pixels), Out: make([][]uint32, len(d.Fragment.outputs))}
	for i := range p.Out {
		p.Out[i] = make([]uint32, pixels)
	}
	t, ok := d.setup(vertices)
	if !ok {
		return p, nil
	}
	return p, d.shade(t, p)
}

// triangle is a triangle on the screen.
type triangle struct {
	x, y, z, w [3]float64 // in pixels; depth; and w of the position
	area       float64    // twice the area, positive if the vertices go clockwise on the screen
	link       []int      // by input of the fragment program: output of the vertex program, or -1
	vertices   *Result
}

// setup places the triangle. It reports false if nothing is drawn.
func (d *Draw) setup(vertices *Result) (*triangle, bool) {
	t := &triangle{vertices: vertices, link: make([]int, len(d.Fragment.inputs))}
	position := [4]*Vec{}
	for i, c := range d.Vertex.outputs {
		if c.IsBuiltIn && c.BuiltIn == Position && c.Component < 4 {
			position[c.Component] = &vertices.Out[i]
		}
	}
	drawn := position[3] != nil
	t.w = [3]float64{1, 1, 1}
	for v := range 3 {
		if position[3] == nil {
			break
		}
		if t.w[v] = float64(float(position[3][v])); !(t.w[v] > 0) || math.IsInf(t.w[v], 0) {
			drawn = false
		}
	}
	if !drawn {
		t.w = [3]float64{1, 1, 1}
	}
	for v := range 3 {
		t.z[v] = 0.5
		if drawn {
			t.x[v] = (float64(float(position[0][v]))/t.w[v]*0.5 + 0.5) * float64(d.Width)
			t.y[v] = (float64(float(position[1][v]))/t.w[v]*0.5 + 0.5) * float64(d.Height)
			t.z[v] = float64(float(position[2][v])) / t.w[v]
		}
	}
	if d.Cover {
		w, h := float64(d.Width), float64(d.Height)
		t.x, t.y, drawn = [3]float64{-w / 4, 5 * w / 2, -w / 4}, [3]float64{-h / 4, -h / 4, 5 * h / 2}, true
		t.z = [3]float64{0.5, 0.5, 0.5}
	}
	t.area = (t.x[1]-t.x[0])*(t.y[2]-t.y[0]) - (t.x[2]-t.x[0])*(t.y[1]-t.y[0])
	for i, c := range d.Fragment.inputs {
		t.link[i] = -1
		for k, o := range d.Vertex.outputs {
			if o.IsBuiltIn == c.IsBuiltIn && o.BuiltIn == c.BuiltIn && o.Location == c.Location && o.Component == c.Component {
				t.link[i] = k
			}
		}
	}
	return t, drawn && t.area != 0 && t.area-t.area == 0
}

// weights returns the weights of the vertices at a point: linear on the screen, and with perspective.
func (t *triangle) weights(x, y float64) (linear, perspective [3]float64) {
	sum := 0.0
	for v := range 3 {
		i, k := (v+1)%3, (v+2)%3
		linear[v] = ((t.x[k]-t.x[i])*(y-t.y[i]) - (x-t.x[i])*(t.y[k]-t.y[i])) / t.area
		perspective[v] = linear[v] / t.w[v]
		sum += perspective[v]
	}
	for v := range 3 {
		perspective[v] /= sum
	}
	return linear, perspective
}

// shade runs the fragment program over all quads with a covered pixel.
func (d *Draw) shade(t *triangle, p *Picture) error {
	b := &Batch{In: make([]Vec, len(d.Fragment.inputs))}
	for y := 0; y < d.Height; y += 2 {
		for x := 0; x < d.Width; x += 2 {
			if d.quad(t, b, x, y); b.N == Lanes {
				if err := d.flush(b, p); err != nil {
					return err
				}
			}
		}
	}
	return d.flush(b, p)
}

// quad adds a quad to a batch if it has a covered pixel.
func (d *Draw) quad(t *triangle, b *Batch, x, y int) {
	for k := range 4 {
		px, py := x+k&1, y+k>>1
		linear, perspective := t.weights(float64(px)+0.5, float64(py)+0.5)
		z := linear[0]*t.z[0] + linear[1]*t.z[1] + linear[2]*t.z[2]
		inside := linear[0] >= 0 && linear[1] >= 0 && linear[2] >= 0 && z >= 0 && z <= 1
		if !inside || px >= d.Width || py >= d.Height {
			b.Helpers |= 1 << (b.N + k)
		}
		l := b.N + k
		b.X[l], b.Y[l] = int32(px), int32(py)
		for i, c := range d.Fragment.inputs {
			b.In[i][l] = d.input(t, i, c, l, linear, perspective, z, b)
		}
	}
	if b.Helpers>>b.N&15 != 15 {
		b.N += 4
	} else {
		b.Helpers &^= 15 << b.N
	}
}

// input returns an input of a fragment.
func (d *Draw) input(t *triangle, i int, c Component, l int, linear, perspective [3]float64, z float64, b *Batch) uint32 {
	if c.IsBuiltIn && t.link[i] < 0 {
		switch c.BuiltIn {
		case FragCoord:
			w := linear[0]/t.w[0] + linear[1]/t.w[1] + linear[2]/t.w[2]
			return word(float32([4]float64{float64(b.X[l]) + 0.5, float64(b.Y[l]) + 0.5, z, w}[c.Component&3]))
		case FrontFacing: // of counter-clockwise triangles
			return boolWord(t.area < 0)
		case helperLane:
			return uint32(b.Helpers>>l) & 1
		case sampleMask:
			return 1
		}
		return 0
	}
	if t.link[i] < 0 {
		return uint32(d.FragmentEnv.Fill * 0x9e3779b97f4a7c15 >> 32)
	}
	v := &t.vertices.Out[t.link[i]]
	weights := perspective
	switch {
	case c.Flat || c.Kind != Float:
		return v[0]
	case c.NoPerspective:
		weights = linear
	}
	sum := 0.0
	for k := range 3 {
		sum += weights[k] * float64(float(v[k]))
	}
	return word(float32(sum))
}

// flush runs a batch and stores its pixels.
func (d *Draw) flush(b *Batch, p *Picture) error {
	if b.N == 0 {
		return nil
	}
	r, err := d.Fragment.Run(d.FragmentEnv, b)
	if err != nil {
		return err
	}
	for mask := uint64(allLanes) >> (Lanes - b.N) &^ b.Helpers; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		at := int(b.Y[l])*d.Width + int(b.X[l])
		p.Covered[at] = r.Killed>>l&1 == 0
		p.Undefined[at] = (r.Undefined|r.Unfinished)>>l&1 != 0
		for i := range p.Out {
			p.Out[i][at] = r.Out[i][l]
		}
	}
	for _, s := range r.Stores {
		s.Lane = int(b.Y[s.Lane])*d.Width + int(b.X[s.Lane])
		p.Stores = append(p.Stores, s)
	}
	b.N, b.Helpers = 0, 0
	return nil
}
