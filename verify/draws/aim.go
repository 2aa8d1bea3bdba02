package draws

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// aim is how a vertex program places vertices as their position attribute has it: what it
// leaves for clipping is taken to be an affine function of that, as mostly it is.
type aim struct {
	attr   int // of the cloud
	mean   [3]float64
	at     [4]float64    // where the mean comes to lie
	linear [4][3]float64 // what is added for what is added to it
}

// aimed fits an aim to a cloud, by least squares. It returns nil where none follows from it.
func (cl *cloud) aimed() *aim {
	a := &aim{attr: -1}
	for i, attr := range cl.attrs {
		if attr.Usage == d3d9.UsagePosition || attr.Usage == d3d9.UsagePositionT {
			a.attr = i
			break
		}
	}
	if a.attr < 0 {
		return nil
	}
	attr := &cl.attrs[a.attr]
	from := func(v int) (p [3]float64) {
		for k := range p {
			p[k] = float64(attr.Data[v*attr.Comps+k])
		}
		return p
	}
	n := 0.0
	for v, at := range cl.clip[:cl.n] {
		if !moderate(at) {
			continue
		}
		n++
		for k, x := range from(v) {
			a.mean[k] += (x - a.mean[k]) / n
		}
		for k, x := range at {
			a.at[k] += (x - a.at[k]) / n
		}
	}
	var within [3][3]float64
	for v, at := range cl.clip[:cl.n] {
		if !moderate(at) {
			continue
		}
		d := minus(from(v), a.mean)
		for i := range d {
			for j := range d {
				within[i][j] += d[i] * d[j]
			}
			for k := range at {
				a.linear[k][i] += d[i] * (at[k] - a.at[k])
			}
		}
	}
	for k := range a.linear {
		x, ok := solve(within, a.linear[k])
		if !ok {
			return nil
		}
		a.linear[k] = x
	}
	return a
}

// position is the one nearest to p that comes to lie at x and y of the screen.
func (a *aim) position(p [3]float64, x, y float64) (q [3]float64, ok bool) {
	d := minus(p, a.mean)
	var m [2][3]float64 // by which the position has to move so far
	var far [2]float64
	for k, s := range [2]float64{x, y} {
		for i := range d {
			m[k][i] = a.linear[k][i] - s*a.linear[3][i]
		}
		far[k] = s*a.at[3] - a.at[k] - dot(m[k], d)
	}
	xx, xy, yy := dot(m[0], m[0]), dot(m[0], m[1]), dot(m[1], m[1])
	det := xx*yy - xy*xy
	ok = det > 1e-6*xx*yy
	u, v := (far[0]*yy-far[1]*xy)/det, (far[1]*xx-far[0]*xy)/det
	for i := range q {
		q[i] = p[i] + u*m[0][i] + v*m[1][i]
		ok = ok && math.Abs(q[i]) < maxCoord
	}
	return q, ok
}

// maxCoord bounds coordinates that are aimed, and what is taken for affine.
const maxCoord = 1e4

func moderate(at [4]float64) bool {
	for _, x := range at {
		if !(math.Abs(x) < maxCoord) {
			return false
		}
	}
	return true
}

func minus(a, b [3]float64) [3]float64 { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// solve solves m*x = r for a symmetric m, by Cramer's rule.
func solve(m [3][3]float64, r [3]float64) (x [3]float64, ok bool) {
	bc := cross(m[1], m[2])
	det := dot(m[0], bc)
	if !(math.Abs(det) > 1e-12) {
		return x, false
	}
	return [3]float64{dot(r, bc) / det, dot(m[0], cross(r, m[2])) / det, dot(m[0], cross(m[1], r)) / det}, true
}
