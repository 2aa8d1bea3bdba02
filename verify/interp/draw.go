package interp

import (
	"math"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
)

// Draw runs a draw call: the vertex program over the attributes, clipping, rasterisation, and the pixel
// program over the fragments, triangle after triangle. It has no depth test, no blending and no face
// culling. Errors are *asm.Diag. The picture depends on the arguments alone, and is the same on every
// processor.
func Draw(vs, ps *Shader, c *Case, n Numerics) (*Image, error) {
	return drawWithin(vs, ps, c, n, bounds{steps: runSteps})
}

// DrawWithin draws within a budget.
func DrawWithin(vs, ps *Shader, c *Case, n Numerics, b *budget.Budget) (*Image, error) {
	return drawWithin(vs, ps, c, n, bounds{steps: runSteps, budget: b})
}

// bounds holds the limits of a draw (steps of each program and a budget) and its observers.
type bounds struct {
	steps  int
	budget *budget.Budget
	trace  *Trace // of the pixel program, nil unless wanted
	seen   *Seen  // of both programs, nil unless wanted
	// workers is the number of machines that run the pixel program, 0 for one per processor.
	workers int
}

// drawWithin draws within bounds.
func drawWithin(vs, ps *Shader, c *Case, n Numerics, most bounds) (*Image, error) {
	if vs.model.Stage != d3d9.Vertex || ps.model.Stage != d3d9.Pixel {
		return nil, asm.Errorf(asm.Pos{}, "stage-mismatch", "a draw needs a vertex and a pixel program, not %s and %s",
			vs.model, ps.model)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	l, ok := linkStages(vs, ps)
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
	env := &Env{Constants: &c.Pixel, Textures: &c.PixelTex, Numerics: n, Steps: most.steps, Budget: most.budget,
		Seen: most.seen, Trace: most.trace}
	s := newShading(ps, &l, img, env)
	defer s.ps.release()
	r := &raster{
		linkage: &l,
		img:     img,
		poly:    make([]vertex, 0, 3),
		offset:  [2]float64{float64(c.Offset[0]), float64(c.Offset[1])},
		batch:   &fragments{},
		full:    s.drawBatch,
	}
	finish := func() error { return nil }
	if workers := most.workersFor(img, &n); workers > 1 {
		crew := newCrew(s, env, workers)
		r.batch, r.full, finish = crew.begin(), crew.nextBatch, crew.finish
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

// checkTextures compares the types of the textures that a program samples with its declarations.
func (s *Shader) checkTextures(set *TextureSet) error {
	for i, t := range set {
		if want, used := s.Sampler(i); t != nil && used && t.Type != want {
			return asm.Errorf(asm.Pos{}, "texture-type",
				"the declared type of s%d in the %s program is not that of its texture", i, s.model)
		}
	}
	return nil
}

// vertex is a transformed vertex: its position in clip space, and the varyings in the order of linkage.
type vertex struct {
	pos  [4]float64
	vary []float64
}

// shadeVertices runs the vertex program over all vertices.
func shadeVertices(vs *Shader, l *linkage, c *Case, n Numerics, most bounds) ([]vertex, error) {
	// Lanes beyond the last vertex repeat it (loadAttr); their results are discarded.
	m := newMachine(vs, &Env{Constants: &c.Vertex, Textures: &c.VertexTex, Numerics: n, Steps: most.steps,
		Budget: most.budget, Seen: most.seen})
	defer m.release()
	count := c.vertices()
	verts := make([]vertex, count)
	store := make([]float64, count*len(l.varyings))
	for first := 0; first < count; first += Lanes {
		for _, p := range vs.inputs {
			a := c.attributeOf(p.Usage, int(p.Index))
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

// loadAttr copies a component of an attribute to lanes. A component that the attribute lacks reads 0, or 1
// for w. An attribute that the case lacks reads 0 throughout.
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

// flushInput flushes denormals of an input just loaded, under FlushDenormals. It clamps all colours of
// ps_1_x.
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

// triangles assembles primitives. It reverses every other triangle of a strip, so that all of them face the
// same way, as Direct3D does.
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

// guard is the width, in viewports, of the region that the rasteriser's integers can hold: positions in
// subpixels below 2^25, and their products in int64.
const guard = 8

// clipPlanes holds the half spaces a·x + b·y + c·z + d·w + e >= 0 that are drawn. They are 0 <= z <= w as
// in Direct3D, w positive, and a wide frame around the viewport (a guard band). Triangles are clipped at
// the frame, not at the viewport's edges.
var clipPlanes = [...][5]float64{
	{0, 0, 1, 0, 0}, {0, 0, -1, 1, 0}, {0, 0, 0, 1, -1e-30},
	{1, 0, 0, guard, 0}, {-1, 0, 0, guard, 0}, {0, 1, 0, guard, 0}, {0, -1, 0, guard, 0},
}

func planeDistance(p *[5]float64, v *vertex) float64 {
	return p[0]*v.pos[0] + p[1]*v.pos[1] + p[2]*v.pos[2] + p[3]*v.pos[3] + p[4]
}

// triangle clips a triangle and draws the rest as a fan. It skips triangles with a position that is not
// finite.
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
			poly = clipPolygon(poly, p)
		}
	}
	for i := 1; i+2 <= len(poly) && r.err == nil; i++ {
		r.setup(&poly[0], &poly[i], &poly[i+1])
	}
}

// clipPolygon cuts a convex polygon by a plane (Sutherland and Hodgman, Reentrant Polygon Clipping, 1974). It
// computes new vertices from the inside out, so that triangles that share an edge agree on them.
func clipPolygon(poly []vertex, p *[5]float64) []vertex {
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
