package interp

// keepInView replaces the vertices of c by triangles between those that the vertex
// program puts inside the view volume and farthest out. It reports whether there
// are any.
func (c *Case) keepInView(vs, ps *Shader) bool {
	l, ok := link(vs, ps)
	if !ok {
		return false
	}
	verts, err := shadeVertices(vs, &l, c, Numerics{}, bounds{steps: defaultSteps})
	if err != nil {
		return false
	}
	// The directions go around, so the outermost vertices along them are a convex polygon.
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
