package draws

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// aim predicts the clip position of a vertex from its position attribute. It assumes that the homogeneous
// position is an affine function of the attribute, as for a product with a matrix: clip = at + linear*(p -
// mean). The model yields a position for a given place on the screen, so that positions need not be drawn
// until one lands there.
type aim struct {
	attr   int           // index of the position among the attributes
	mean   [3]float64    // of the attribute over the cloud
	at     [4]float64    // mean clip position, to which mean is mapped
	linear [4][3]float64 // by component of the clip position
}

// aimed fits an aim to the vertices of a cloud by least squares. linear solves the normal equations, with
// the scatter matrix of the attribute (within) on the left. aimed returns nil if no attribute is a
// position, or the positions do not span space.
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
	// Running means, which stay in the range of their terms.
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
	// Second pass: deviations from the means, which avoids cancellation.
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

// position returns the point nearest to p that lies at x and y on the screen, -1 to 1. The screen position
// is clip.x/clip.w and clip.y/clip.w. So x*clip.w - clip.x = 0, and the same for y, are two linear
// equations for p: rows m, right sides far. The least-norm solution is a combination of the rows, m^T (m
// m^T)^-1 far. It fails if the rows are nearly parallel, or the point is too far out.
func (a *aim) position(p [3]float64, x, y float64) (q [3]float64, ok bool) {
	d := minus(p, a.mean)
	var m [2][3]float64 // the required displacement along each row of m
	var far [2]float64
	for k, s := range [2]float64{x, y} {
		for i := range d {
			m[k][i] = a.linear[k][i] - s*a.linear[3][i]
		}
		far[k] = s*a.at[3] - a.at[k] - dot(m[k], d)
	}
	// The entries of the 2×2 matrix m m^T.
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

// maxCoord bounds the coordinates of aimed positions, and the clip coordinates of vertices in the fit: a
// division by nearly zero in the program is not affine. Assumed.
const maxCoord = 1e4

// moderate reports whether all components are finite and within maxCoord.
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

// solve solves m*x = r for a symmetric m by Cramer's rule; the determinant is a triple product of rows. It
// fails if m is singular or not finite.
func solve(m [3][3]float64, r [3]float64) (x [3]float64, ok bool) {
	bc := cross(m[1], m[2])
	det := dot(m[0], bc)
	if !(math.Abs(det) > 1e-12) {
		return x, false
	}
	return [3]float64{dot(r, bc) / det, dot(m[0], cross(r, m[2])) / det, dot(m[0], cross(m[1], r)) / det}, true
}
