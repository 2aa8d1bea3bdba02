package draws

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// samples is the maximum number of random vertices of a try. chunk is the number generated at a time, one
// run of the vertex program in all lanes of the interpreter. Usually the first chunk suffices.
const (
	samples = 256
	chunk   = interp.Lanes
)

// inView keeps vertices away from the border, so that nothing is clipped. This holds even if pixel centres
// lie at whole numbers and the picture moves by half a pixel.
const inView = 0.95

// cloud holds random vertices and their positions under the vertex program. Arrays are by vertex, up to n.
type cloud struct {
	n      int                 // vertices so far
	inputs []interp.Words      // of the current chunk, by input, component and lane
	attrs  []interp.Attr       // the same for all vertices, in the form for a draw
	clip   [samples][4]float64 // outputs of the program
	at     [samples][3]float64 // x and y on the screen, -1..1, and depth
	tame   [samples]bool       // all outputs are ordinary numbers, w is moderate
	usable [samples]bool       // tame and in view
}

// begin empties the cloud and keeps its memory for the next try.
func (cl *cloud) begin(vs *interp.Shader) {
	cl.n = 0
	if cl.inputs == nil {
		cl.inputs, cl.attrs = make([]interp.Words, len(vs.Inputs())), make([]interp.Attr, len(vs.Inputs()))
		for i, port := range vs.Inputs() {
			cl.attrs[i] = interp.Attr{Usage: port.Usage, Index: int(port.Index), Data: make([]float32, 0, 4*samples)}
			for k := range cl.inputs[i] {
				cl.inputs[i][k] = make([]float32, chunk)
			}
		}
	}
	for i := range cl.attrs {
		cl.attrs[i].Data = cl.attrs[i].Data[:0]
	}
}

// corners draws vertices, chunk by chunk, until four of them span enough of the screen. It returns these
// four and the area. After the first chunk it aims the others. If these do not suffice either, it frames
// the matrix, and begins again with a new, aimed cloud. Framing changes c's vertex constants.
func (s *search) corners(c *candidate) (corner [4]int, area float64, err error) {
	cl := &s.cloud
	cl.begin(s.vs)
	s.aim = nil
	for step := 0; ; step++ {
		if err := s.addChunk(s.vs, c.Case); err != nil {
			return corner, 0, err
		}
		if corner, area = cl.corners(); area >= wideArea || cl.n == samples {
			return corner, area, nil
		}
		switch {
		case step == 0, step == 2 && s.framed:
			s.aim = cl.aimed()
		case step == 1 && s.framed:
			if s.aim = nil; frame(cl, &c.Vertex, s.rows) {
				cl.begin(s.vs)
			}
		}
	}
}

// place moves a position to a random place on the screen, mostly near the border: 1-x*x of a uniform x is
// densest at 1.
func (s *source) place(value *[4]float32) {
	outward := func() float64 {
		x := s.Float64()
		return math.Copysign(inView*(1-x*x), s.Float64()-0.5)
	}
	from := [3]float64{float64(value[0]), float64(value[1]), float64(value[2])}
	if p, ok := s.aim.position(from, outward(), outward()); ok {
		value[0], value[1], value[2] = float32(p[0]), float32(p[1]), float32(p[2])
	}
}

// addChunk adds a chunk of vertices. It draws their attributes, runs the vertex program on them, and records
// their positions and the usable ones.
func (s *source) addChunk(vs *interp.Shader, c *interp.Case) error {
	cl := &s.cloud
	for i, in := range cl.inputs {
		a := &cl.attrs[i]
		for v := range chunk {
			value := [4]float32{3: 1}
			a.Comps = s.attribute(a.Usage, &value)
			if s.aim != nil && s.aim.attr == i {
				s.place(&value)
			}
			a.Data = append(a.Data, value[:a.Comps]...)
			for k, x := range value {
				in[k][v] = x
			}
		}
	}
	res, err := vs.Run(&interp.Env{Constants: &c.Vertex, Textures: &c.VertexTex}, chunk, cl.inputs)
	if err != nil {
		return err
	}
	first := cl.n
	cl.n += chunk
	for v := first; v < cl.n; v++ {
		cl.clip[v], cl.tame[v] = [4]float64{}, true
	}
	for i, port := range vs.Outputs() {
		for c, word := range res.Out[i] {
			for v, x := range word {
				cl.tame[first+v] = cl.tame[first+v] && isOrdinary(x)
				if port.Usage == d3d9.UsagePosition && port.Index == 0 {
					cl.clip[first+v][c] = float64(x)
				}
			}
		}
	}
	for v := first; v < cl.n; v++ {
		p := &cl.clip[v]
		// The perspective division. w is kept moderate and positive, in front of the viewer.
		at := [3]float64{p[0] / p[3], p[1] / p[3], p[2] / p[3]}
		cl.at[v], cl.tame[v] = at, cl.tame[v] && p[3] > 0.1 && p[3] < 50
		cl.usable[v] = cl.tame[v] && math.Abs(at[0]) < inView && math.Abs(at[1]) < inView && at[2] >= 0 && at[2] <= 1
	}
	return nil
}

// Areas of a mesh on a screen of 2 by 2: the least worth drawing, and the least that needs neither aiming
// nor framing. Assumed.
const (
	minArea  = 1.1
	wideArea = 2.0
)

// corners returns the usable vertices nearest to the corners of the screen, clockwise from the upper left,
// and the area that they span. The diagonal from the second to the fourth lies inside and may split the
// quadrilateral into two triangles. Corners without a simple quadrilateral have no area.
func (cl *cloud) corners() (k [4]int, area float64) {
	for i, to := range [4][2]float64{{-1, 1}, {1, 1}, {1, -1}, {-1, -1}} {
		least := math.Inf(1)
		for v, ok := range cl.usable[:cl.n] {
			if !ok {
				continue
			}
			if dx, dy := cl.at[v][0]-to[0], cl.at[v][1]-to[1]; dx*dx+dy*dy < least {
				k[i], least = v, dx*dx+dy*dy
			}
		}
		if math.IsInf(least, 1) {
			return k, 0
		}
	}
	// A simple quadrilateral contains one of its two diagonals.
	for range 2 {
		a, b := cl.triangleArea(k[0], k[1], k[3]), cl.triangleArea(k[1], k[2], k[3])
		if a >= 0 && b >= 0 {
			return k, a + b
		}
		k = [4]int{k[1], k[2], k[3], k[0]}
	}
	return k, 0
}

// triangleArea returns the area of a triangle on the screen, negative if it is counterclockwise.
func (cl *cloud) triangleArea(a, b, c int) float64 {
	p, q, r := cl.at[a], cl.at[b], cl.at[c]
	return ((q[1]-p[1])*(r[0]-p[0]) - (q[0]-p[0])*(r[1]-p[1])) / 2
}

// buildMesh builds triangles from the corners, and from a vertex between them if there is one: as a strip, a fan
// or a list, facing either way. Triangles do not overlap: at the edges of a triangle that hides another, a
// rounding can cause any difference.
func (s *source) buildMesh(cl *cloud, k [4]int) (interp.Primitive, []interp.Attr) {
	var inside []int
	for v, ok := range cl.usable[:cl.n] {
		if ok && cl.triangleArea(k[0], k[1], v) > 0 && cl.triangleArea(k[1], k[2], v) > 0 &&
			cl.triangleArea(k[2], k[3], v) > 0 && cl.triangleArea(k[3], k[0], v) > 0 {
			inside = append(inside, v)
		}
	}
	// The other orientation, mirrored at the dividing diagonal.
	if s.IntN(2) == 0 {
		k = [4]int{k[2], k[1], k[0], k[3]}
	}
	prim := interp.Primitive(s.IntN(3))
	order := []int{k[0], k[1], k[3], k[2]}
	switch {
	case prim == interp.Strip || len(inside) == 0:
		prim = interp.Strip
	case prim == interp.Fan:
		order = []int{inside[s.IntN(len(inside))], k[0], k[1], k[2], k[3], k[0]}
	default:
		middle := inside[s.IntN(len(inside))]
		order = order[:0]
		for i := range k {
			order = append(order, k[i], k[(i+1)%4], middle)
		}
	}
	// These are copies, since the next try reuses the cloud's memory.
	attrs := make([]interp.Attr, len(cl.attrs))
	for i, a := range cl.attrs {
		attrs[i] = interp.Attr{Usage: a.Usage, Index: a.Index, Comps: a.Comps}
		for _, v := range order {
			attrs[i].Data = append(attrs[i].Data, a.Data[v*a.Comps:(v+1)*a.Comps]...)
		}
	}
	return prim, attrs
}
