package interp

import "math"

// keepInView replaces the vertices of c by triangles between vertices that the vertex program places inside
// the view volume, farthest out in eight directions. It reports whether such vertices exist.
func (c *Case) keepInView(vs, ps *Shader) bool {
	l, ok := linkStages(vs, ps)
	if !ok {
		return false
	}
	verts, err := shadeVertices(vs, &l, c, Numerics{}, bounds{steps: defaultSteps})
	if err != nil {
		return false
	}
	// The directions go around, so the outermost vertices along them form a convex polygon.
	directions := [8][2]float64{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}
	var outer []int
	for _, d := range directions {
		best, most := -1, 0.0
		for i := range verts {
			p := &verts[i].pos
			x, y, w := p[0], p[1], p[3]
			if !(w > 0 && p[2] >= 0 && p[2] <= w && max(x, -x, y, -y) <= 2*w) {
				continue
			}
			if out := (d[0]*x + d[1]*y) / w; best < 0 || out > most {
				best, most = i, out
			}
		}
		if best >= 0 && (len(outer) == 0 || outer[len(outer)-1] != best) {
			outer = append(outer, best)
		}
	}
	if len(outer) < 3 {
		return false
	}
	for k := range c.Attrs {
		a := &c.Attrs[k]
		var data []float32
		for i := 1; i+2 <= len(outer); i++ {
			for _, v := range [3]int{outer[0], outer[i], outer[i+1]} {
				data = append(data, a.Data[v*a.Comps:][:a.Comps]...)
			}
		}
		a.Data = data
	}
	return true
}

// isFlat reports whether no triangle of c has an area on the screen, wherever the target is: all lie on a
// line, behind the viewer, or are not finite.
func (c *Case) isFlat(vs, ps *Shader) bool {
	l, ok := linkStages(vs, ps)
	if !ok {
		return false
	}
	verts, err := shadeVertices(vs, &l, c, Numerics{}, bounds{steps: defaultSteps})
	if err != nil {
		return false
	}
	for i := 0; i+3 <= len(verts); i += 3 {
		if p := verts[i : i+3]; spans(&p[0].pos, &p[1].pos, &p[2].pos) {
			return false
		}
	}
	return true
}

// spans reports whether three homogeneous points form a triangle that is at least partly in front of the
// viewer. The determinant of their x, y and w is twice the area times the three w.
func spans(a, b, c *[4]float64) bool {
	const noise = 1e-9 // relative rounding error of a determinant that is zero
	volume := a[0]*(b[1]*c[3]-b[3]*c[1]) + a[1]*(b[3]*c[0]-b[0]*c[3]) + a[3]*(b[0]*c[1]-b[1]*c[0])
	size := func(p *[4]float64) float64 { return math.Abs(p[0]) + math.Abs(p[1]) + math.Abs(p[3]) }
	return max(a[3], b[3], c[3]) > 0 && math.Abs(volume) > noise*size(a)*size(b)*size(c)
}
