package interp

import (
	"math"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/budget"
)

// Draw runs a draw call: the vertex program over the attributes, clipping, rasterisation and the pixel
// program over the fragments, triangle after triangle; there is no depth test and no blending, and all
// triangles are drawn whichever way they face. Errors are *asm.Diag. The picture is a function of the
// arguments, on every processor.
func Draw(vs, ps *Shader, c *Case, n Numerics) (*Image, error) {
	return drawWithin(vs, ps, c, n, bounds{steps: DefaultSteps})
}

// DrawWithin is Draw at the expense of a budget.
func DrawWithin(vs, ps *Shader, c *Case, n Numerics, b *budget.Budget) (*Image, error) {
	return drawWithin(vs, ps, c, n, bounds{steps: DefaultSteps, budget: b})
}

// bounds are what a draw may take, so many steps of each program and of a budget, and what
// is to be seen of it.
type bounds struct {
	steps  int
	budget *budget.Budget
	trace  *Trace // of the pixel program, nil unless wanted
	seen   *Seen  // likewise
	// workers is how many machines run the pixel program, 0 for as many as there are processors.
	workers int
}

// drawWithin is Draw with bounds.
func drawWithin(vs, ps *Shader, c *Case, n Numerics, most bounds) (*Image, error) {
	if vs.model.Stage != d3d9.Vertex || ps.model.Stage != d3d9.Pixel {
		return nil, asm.Errorf(asm.Pos{}, "stage-mismatch", "a draw takes a vertex and a pixel program, not %s and %s", vs.model, ps.model)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	l, ok := link(vs, ps)
	if !ok {
		return nil, asm.Errorf(asm.Pos{}, "no-position", "the vertex program writes no position")
	}
	for _, s := range []struct {
		*Shader
		set *TextureSet
	}{{vs, &c.VertexTex}, {ps, &c.PixelTex}} {
		if err := s.checkTextures(s.set); err != nil {
			return nil, err
		}
	}
	verts, err := shadeVertices(vs, &l, c, n, most)
	if err != nil {
		return nil, err
	}
	img := newImage(c, &l)
	env := &Env{Constants: &c.Pixel, Textures: &c.PixelTex, Numerics: n, Steps: most.steps, Budget: most.budget, Seen: most.seen, Trace: most.trace}
	s := newShading(ps, &l, img, env)
	defer s.ps.release()
	r := &raster{
		linkage: &l,
		img:     img,
		poly:    make([]vertex, 0, 3),
		offset:  [2]float64{float64(c.Offset[0]), float64(c.Offset[1])},
		batch:   &fragments{},
		full:    s.draw,
	}
	finish := func() error { return nil }
	if workers := most.workersFor(img, &n); workers > 1 {
		crew := newCrew(s, env, workers)
		r.batch, r.full, finish = crew.begin(), crew.take, crew.finish
	}
	r.triangles(c.Prim, verts)
	r.flush()
	if err := finish(); err != nil {
		return nil, err
	}
	if r.err != nil {
		return nil, r.err
	}
	return img, nil
}

// checkTextures compares the types of the textures a program samples with its declarations.
func (s *Shader) checkTextures(set *TextureSet) error {
	for i, t := range set {
		if want, used := s.Sampler(i); t != nil && used && t.Type != want {
			return asm.Errorf(asm.Pos{}, "texture-type", "s%d of the %s program is declared of another type than its texture", i, s.model)
		}
	}
	return nil
}

// vertex is a vertex on its way to the rasteriser: its position in clip space, and the varyings as linkage
// orders them.
type vertex struct {
	pos  [4]float64
	vary []float64
}

// shadeVertices runs the vertex program over all vertices.
func shadeVertices(vs *Shader, l *linkage, c *Case, n Numerics, most bounds) ([]vertex, error) {
	// Lanes beyond the last vertex repeat it (loadAttr), and are not read back.
	m := newMachine(vs, &Env{Constants: &c.Vertex, Textures: &c.VertexTex, Numerics: n, Steps: most.steps, Budget: most.budget, Seen: most.seen})
	defer m.release()
	count := c.vertices()
	verts := make([]vertex, count)
	store := make([]float64, count*len(l.varyings))
	for first := 0; first < count; first += Lanes {
		for _, p := range vs.inputs {
			a := c.attr(p.Usage, int(p.Index))
			for k := range 4 {
				loadAttr(&m.r[p.base+slot(k)], a, k, first, count)
			}
			m.flushInput(p)
		}
		if err := m.batch(); err != nil {
			return nil, err
		}
		if most.seen != nil && most.seen.lanes != 0 {
			most.seen.WildVertex = true
		}
		for i := range min(Lanes, count-first) {
			v := &verts[first+i]
			v.vary, store = store[:len(l.varyings):len(l.varyings)], store[len(l.varyings):]
			for k := range 4 {
				v.pos[k] = float64(m.r[l.pos+slot(k)][i])
			}
			for k, y := range l.varyings {
				x := m.r[y.from][i]
				if y.clamp {
					x = saturate(x)
				}
				v.vary[k] = float64(x)
			}
		}
	}
	return verts, nil
}

// loadAttr spreads a component of an attribute over lanes. A component the
// attribute lacks reads 0, or 1 as w; an attribute the case lacks reads 0 throughout.
func loadAttr(d *Vec, a *Attr, comp, first, count int) {
	for i := range d {
		v := float32(0)
		switch {
		case a == nil:
		case comp < a.Comps:
			v = a.Data[min(first+i, count-1)*a.Comps+comp]
		case comp == 3:
			v = 1
		}
		d[i] = v
	}
}

// flushInput flushes an input just loaded, where denormals are flushed. Colours of ps_1_x are
// clamped, wherever they come from.
func (m *machine) flushInput(p Port) {
	if m.sh.fixedPoint() && p.Reg.File == d3d9.Input {
		for k := range slot(4) {
			d := &m.r[p.base+k]
			for i := range d {
				d[i] = saturate(d[i])
			}
		}
	}
	if m.num.FlushDenormals {
		for k := range 4 {
			flushAll(&m.r[p.base+slot(k)])
		}
	}
}

// triangles assembles primitives. Every other triangle of a strip is turned, so that all of them face one
// way, as Direct3D does.
func (r *raster) triangles(prim Primitive, v []vertex) {
	switch prim {
	case List:
		for i := 0; i+3 <= len(v); i += 3 {
			r.triangle(&v[i], &v[i+1], &v[i+2])
		}
	case Strip:
		for i := 0; i+3 <= len(v); i++ {
			r.triangle(&v[i], &v[i+1+i&1], &v[i+2-i&1])
		}
	case Fan:
		for i := 1; i+2 <= len(v); i++ {
			r.triangle(&v[0], &v[i], &v[i+1])
		}
	}
}

// guard is how many viewports wide the region is that the rasteriser's integers hold: positions in
// subpixels below 2^25, and their products in int64.
const guard = 8

// clipPlanes are the half spaces a·x + b·y + c·z + d·w + e >= 0 that are drawn: 0 <= z <= w as Direct3D
// has it, w positive, and a generous frame around the viewport, where triangles are cut and not at its
// edges (a guard band).
var clipPlanes = [...][5]float64{
	{0, 0, 1, 0, 0}, {0, 0, -1, 1, 0}, {0, 0, 0, 1, -1e-30},
	{1, 0, 0, guard, 0}, {-1, 0, 0, guard, 0}, {0, 1, 0, guard, 0}, {0, -1, 0, guard, 0},
}

func planeDistance(p *[5]float64, v *vertex) float64 {
	return p[0]*v.pos[0] + p[1]*v.pos[1] + p[2]*v.pos[2] + p[3]*v.pos[3] + p[4]
}

// triangle clips a triangle and draws what is left, as a fan. One with a position that is not finite is not
// drawn.
func (r *raster) triangle(a, b, c *vertex) {
	for _, v := range [...]*vertex{a, b, c} {
		for _, x := range v.pos {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return
			}
		}
	}
	poly := append(r.poly[:0], *a, *b, *c)
	for i := range clipPlanes {
		p := &clipPlanes[i]
		if planeDistance(p, a) < 0 || planeDistance(p, b) < 0 || planeDistance(p, c) < 0 {
			poly = clip(poly, p)
		}
	}
	for i := 1; i+2 <= len(poly) && r.err == nil; i++ {
		r.setup(&poly[0], &poly[i], &poly[i+1])
	}
}

// clip cuts a convex polygon by a plane (Sutherland and Hodgman, Reentrant Polygon Clipping, 1974). New
// vertices are computed from the inside out, so that triangles that share an edge agree on them.
func clip(poly []vertex, p *[5]float64) []vertex {
	var out []vertex
	for i := range poly {
		a, b := &poly[i], &poly[(i+1)%len(poly)]
		da, db := planeDistance(p, a), planeDistance(p, b)
		if da >= 0 {
			out = append(out, *a)
		}
		if (da >= 0) == (db >= 0) {
			continue
		}
		if da < 0 {
			a, b, da, db = b, a, db, da
		}
		t := da / (da - db)
		v := vertex{vary: make([]float64, len(a.vary))}
		for k := range v.pos {
			v.pos[k] = a.pos[k] + t*(b.pos[k]-a.pos[k])
		}
		for k := range v.vary {
			v.vary[k] = a.vary[k] + t*(b.vary[k]-a.vary[k])
		}
		out = append(out, v)
	}
	return out
}
