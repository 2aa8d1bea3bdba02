package draws

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// samples is how many random vertices a try has to choose from.
const samples = 512

// inView keeps vertices so far from the border that nothing is clipped, not even
// where pixel centres lie at whole numbers and the picture moves by half a pixel.
const inView = 0.95

// cloud is random vertices and where the vertex program puts them.
type cloud struct {
	words  []float32 // that inputs and attributes are in
	attrs  []interp.Attr
	at     [samples][3]float64 // x and y on the screen, -1..1, and depth
	tame   [samples]bool       // all outputs are ordinary numbers, w is moderate
	usable [samples]bool       // tame and in view
}

// sample draws vertices and runs the vertex program over them. The cloud is good until the
// next one.
func (s *source) sample(vs *interp.Shader, c *interp.Case) (*cloud, error) {
	cl := &s.cloud
	*cl = cloud{attrs: cl.attrs[:0], words: cl.words}
	in := make([]interp.Words, len(vs.Inputs()))
	if cl.words == nil {
		cl.words = make([]float32, 8*samples*len(in))
	}
	var value [4]float32
	for i, port := range vs.Inputs() {
		a := interp.Attr{Usage: port.Usage, Index: int(port.Index)}
		words, data := cl.words[8*samples*i:], cl.words[8*samples*i+4*samples:]
		clear(words[:4*samples])
		for k := range in[i] {
			in[i][k] = words[k*samples : (k+1)*samples : (k+1)*samples]
		}
		for v := range samples {
			a.Comps = s.attribute(port.Usage, &value)
			if v == 0 {
				a.Data = data[: 0 : a.Comps*samples]
			}
			a.Data = append(a.Data, value[:a.Comps]...)
			in[i][3][v] = 1
			for k, x := range value[:a.Comps] {
				in[i][k][v] = x
			}
		}
		cl.attrs = append(cl.attrs, a)
	}
	res, err := vs.Run(&interp.Env{Constants: &c.Vertex, Textures: &c.VertexTex}, samples, in)
	if err != nil {
		return nil, err
	}
	for i, port := range vs.Outputs() {
		if port.Usage == d3d9.UsagePosition && port.Index == 0 {
			cl.place(res.Out[i])
		}
	}
	for _, out := range res.Out {
		for _, word := range out {
			for v, x := range word {
				cl.tame[v] = cl.tame[v] && tame(x)
			}
		}
	}
	for v, p := range cl.at {
		cl.usable[v] = cl.tame[v] && math.Abs(p[0]) < inView && math.Abs(p[1]) < inView && p[2] >= 0 && p[2] <= 1
	}
	return cl, nil
}

// place does the division by w.
func (cl *cloud) place(pos interp.Words) {
	for v := range samples {
		var p [4]float64
		for k, word := range pos {
			if word != nil {
				p[k] = float64(word[v])
			}
		}
		cl.at[v] = [3]float64{p[0] / p[3], p[1] / p[3], p[2] / p[3]}
		cl.tame[v] = p[3] > 0.1 && p[3] < 50
	}
}

// Areas of a mesh, of the screen's 4: the least worth drawing, and the least that
// needs no framing.
const (
	minArea  = 1.1
	wideArea = 2.5
)

// corners is the usable vertices nearest to the corners of the screen, in clockwise
// order, and the area they span. The line from the second to the fourth lies inside;
// corners that span no simple quadrilateral have no area.
func (cl *cloud) corners() (k [4]int, area float64) {
	for i, to := range [4][2]float64{{-1, 1}, {1, 1}, {1, -1}, {-1, -1}} {
		least := math.Inf(1)
		for v, ok := range cl.usable {
			if d := math.Hypot(cl.at[v][0]-to[0], cl.at[v][1]-to[1]); ok && d < least {
				k[i], least = v, d
			}
		}
		if math.IsInf(least, 1) {
			return k, 0
		}
	}
	for range 2 {
		a, b := cl.area(k[0], k[1], k[3]), cl.area(k[1], k[2], k[3])
		if a >= 0 && b >= 0 {
			return k, a + b
		}
		k = [4]int{k[1], k[2], k[3], k[0]}
	}
	return k, 0
}

// area is that of a triangle on the screen, negative if it runs counterclockwise.
func (cl *cloud) area(a, b, c int) float64 {
	p, q, r := cl.at[a], cl.at[b], cl.at[c]
	return ((q[1]-p[1])*(r[0]-p[0]) - (q[0]-p[0])*(r[1]-p[1])) / 2
}

// mesh makes triangles of the corners, and of a vertex between them where there is
// one, as any kind of primitive and facing either way. Triangles do not overlap: at
// the edges of one that hides another a rounding can show as any difference.
func (s *source) mesh(cl *cloud, k [4]int) (interp.Primitive, []interp.Attr) {
	var inside []int
	for v, ok := range cl.usable {
		if ok && cl.area(k[0], k[1], v) > 0 && cl.area(k[1], k[2], v) > 0 && cl.area(k[2], k[3], v) > 0 && cl.area(k[3], k[0], v) > 0 {
			inside = append(inside, v)
		}
	}
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
	attrs := make([]interp.Attr, len(cl.attrs))
	for i, a := range cl.attrs {
		attrs[i] = interp.Attr{Usage: a.Usage, Index: a.Index, Comps: a.Comps}
		for _, v := range order {
			attrs[i].Data = append(attrs[i].Data, a.Data[v*a.Comps:(v+1)*a.Comps]...)
		}
	}
	return prim, attrs
}
