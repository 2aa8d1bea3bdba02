package interp

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp/internal/lanes"
)

// sample reads a texture in every lane.
//
// Texel (i, j) covers coordinates i/W to (i+1)/W. Nearest takes the texel that contains the coordinate.
// Linear weighs the two nearest centres of each axis as a + f*(b-a) in float32, along x first, then y, then
// z. A cube is filtered within the face of its largest coordinate (z before x before y among equals).
func (t *Texture) sample(f *Fetch) {
	if len(t.levels) == 1 {
		l := &t.levels[0]
		switch {
		case t.Type == d3d9.TexCube || t.Type == d3d9.TexVolume:
			for i := range Lanes {
				f.store(i, t.point(l, coordAt(&f.Coord, i)))
			}
		case l.kernels && kernels != lanes.None && t.Filter == Nearest:
			l.texels.Nearest(f.Coord[0], f.Coord[1], &f.Out)
		case l.kernels && kernels != lanes.None:
			l.texels.Linear(f.Coord[0], f.Coord[1], &f.Out)
		case t.Filter == Nearest:
			t.nearest2D(l, f)
		default:
			t.linear2D(l, f)
		}
		return
	}
	for q := 0; q < Lanes; q += 4 {
		for i := q; i < q+4; i++ {
			f.store(i, t.mixed(t.levelOfDetail(f, i), coordAt(&f.Coord, i)))
		}
	}
}

func coordAt(v *[3]*Vec, i int) [3]float32 { return [3]float32{v[0][i], v[1][i], v[2][i]} }

// store sets lane i to a texel.
func (f *Fetch) store(i int, v [4]float32) {
	f.Out[0][i], f.Out[1][i], f.Out[2][i], f.Out[3][i] = v[0], v[1], v[2], v[3]
}

// nearest2D and linear2D compute the same bits as kernels of package lanes.
func (t *Texture) nearest2D(l *level, f *Fetch) {
	u, v := f.Coord[0], f.Coord[1]
	o0, o1, o2, o3 := f.Out[0], f.Out[1], f.Out[2], f.Out[3]
	for i := range u {
		x, y := nearest(u[i], l.w, t.Clamp), nearest(v[i], l.h, t.Clamp)
		p := (*[4]float32)(l.data[4*(y*l.w+x):])
		o0[i], o1[i], o2[i], o3[i] = p[0], p[1], p[2], p[3]
	}
}

func (t *Texture) linear2D(l *level, f *Fetch) {
	var x0, x1, y0, y1 [Lanes]int32
	var fx, fy Vec
	neighbourhood(f.Coord[0], l.w, t.Clamp, &x0, &x1, &fx)
	neighbourhood(f.Coord[1], l.h, t.Clamp, &y0, &y1, &fy)
	o0, o1, o2, o3 := f.Out[0], f.Out[1], f.Out[2], f.Out[3]
	w := int32(l.w)
	for i := range Lanes {
		r0, r1 := y0[i]*w, y1[i]*w
		a, b := (*[4]float32)(l.data[4*(r0+x0[i]):]), (*[4]float32)(l.data[4*(r0+x1[i]):])
		c, d := (*[4]float32)(l.data[4*(r1+x0[i]):]), (*[4]float32)(l.data[4*(r1+x1[i]):])
		s, t := fx[i], fy[i]
		o0[i] = lerp(lerp(a[0], b[0], s), lerp(c[0], d[0], s), t)
		o1[i] = lerp(lerp(a[1], b[1], s), lerp(c[1], d[1], s), t)
		o2[i] = lerp(lerp(a[2], b[2], s), lerp(c[2], d[2], s), t)
		o3[i] = lerp(lerp(a[3], b[3], s), lerp(c[3], d[3], s), t)
	}
}

// farthest bounds texel numbers. Larger ones are clamped to it, and NaN counts as 0.
const farthest = 1 << 30

func clampFinite(x float32) float32 {
	switch {
	case x >= farthest:
		return farthest
	case x <= -farthest:
		return -farthest
	case x != x:
		return 0
	}
	return x
}

// nearest returns the texel that contains coordinate u.
func nearest(u float32, n int, clamp bool) int {
	x := float32(u * float32(n))
	if i := int(x); uint(i) < uint(n) && x >= 0 {
		return i
	}
	i := int32(math.Floor(float64(clampFinite(x))))
	return int(address(i, int32(n), clamp))
}

// neighbours returns the two texels whose centres enclose coordinate u, and the weight of the second.
func neighbours(u float32, n int, clamp bool) (i0, i1 int32, f float32) {
	x := float32(u*float32(n)) - 0.5
	i := int32(x)
	if f = x - float32(i); uint32(i) < uint32(n-1) && f >= 0 {
		return i, i + 1, f
	}
	return outer(x, int32(n), clamp)
}

// neighbourhood computes neighbours over all lanes, with the common case inline.
func neighbourhood(u *Vec, n int, clamp bool, i0, i1 *[Lanes]int32, f *Vec) {
	size, last := float32(n), uint32(n-1)
	for k := range u {
		x := float32(u[k]*size) - 0.5
		i := int32(x)
		if w := x - float32(i); uint32(i) < last && w >= 0 {
			i0[k], i1[k], f[k] = i, i+1, w
		} else {
			i0[k], i1[k], f[k] = outer(x, int32(n), clamp)
		}
	}
}

// outer computes neighbours at and beyond the edges.
func outer(x float32, n int32, clamp bool) (i0, i1 int32, f float32) {
	x = clampFinite(x)
	i := int32(math.Floor(float64(x)))
	return address(i, n, clamp), address(i+1, n, clamp), x - float32(i)
}

// address wraps or clamps a texel number to 0..n-1.
func address(i, n int32, clamp bool) int32 {
	if clamp {
		return max(0, min(i, n-1))
	}
	if i %= n; i < 0 {
		i += n
	}
	return i
}

func lerp(a, b, f float32) float32 { return a + float32(f*(b-a)) }

func lerp4(a, b [4]float32, f float32) (r [4]float32) {
	for c := range r {
		r[c] = lerp(a[c], b[c], f)
	}
	return r
}

// point samples level l of any kind of texture at one coordinate.
func (t *Texture) point(l *level, p [3]float32) [4]float32 {
	clamp, z := t.Clamp, 0
	switch t.Type {
	case d3d9.TexCube:
		z, p[0], p[1] = cubeFace(p)
		clamp = true
	case d3d9.TexVolume:
		return t.volume(l, p)
	}
	if t.Filter == Nearest {
		return l.texel(nearest(p[0], l.w, clamp), nearest(p[1], l.h, clamp), z)
	}
	return l.bilinear(p[0], p[1], z, clamp)
}

func (t *Texture) volume(l *level, p [3]float32) [4]float32 {
	if t.Filter == Nearest {
		return l.texel(nearest(p[0], l.w, t.Clamp), nearest(p[1], l.h, t.Clamp), nearest(p[2], l.d, t.Clamp))
	}
	z0, z1, fz := neighbours(p[2], l.d, t.Clamp)
	return lerp4(l.bilinear(p[0], p[1], int(z0), t.Clamp), l.bilinear(p[0], p[1], int(z1), t.Clamp), fz)
}

func (l *level) texel(x, y, z int) [4]float32 { return [4]float32(l.data[l.at(x, y, z):]) }

func (l *level) bilinear(u, v float32, z int, clamp bool) [4]float32 {
	i0, i1, fx := neighbours(u, l.w, clamp)
	j0, j1, fy := neighbours(v, l.h, clamp)
	x0, x1, y0, y1 := int(i0), int(i1), int(j0), int(j1)
	return lerp4(lerp4(l.texel(x0, y0, z), l.texel(x1, y0, z), fx), lerp4(l.texel(x0, y1, z), l.texel(x1, y1, z), fx), fy)
}

// mixed samples at a level of detail: the top level below 0, and a mix of two levels between them. A NaN
// level selects the top one.
func (t *Texture) mixed(lod float32, p [3]float32) [4]float32 {
	last := len(t.levels) - 1
	switch {
	case !(lod > 0):
		return t.point(&t.levels[0], p)
	case lod >= float32(last):
		return t.point(&t.levels[last], p)
	}
	k := int(lod)
	return lerp4(t.point(&t.levels[k], p), t.point(&t.levels[k+1], p), lod-float32(k))
}

// levelOfDetail returns the level of detail in lane i: log2 of the longer gradient in texels, as OpenGL and Direct3D
// recommend. Gradients are differences within the quad. Those of a cube are taken on the face of lane i.
func (t *Texture) levelOfDetail(f *Fetch, i int) float32 {
	if f.lod == lodExplicit {
		return f.Level[i]
	}
	var dx, dy [3]float32
	if f.lod == lodGradient {
		dx, dy = coordAt(&f.DX, i), coordAt(&f.DY, i)
	} else {
		row, col := i&^1, i&^2
		for c := range 3 {
			dx[c] = f.Coord[c][row|1] - f.Coord[c][row]
			dy[c] = f.Coord[c][col|2] - f.Coord[c][col]
		}
	}
	if t.Type == d3d9.TexCube {
		dx, dy = faceGradient(coordAt(&f.Coord, i), dx), faceGradient(coordAt(&f.Coord, i), dy)
	}
	size := [3]float32{float32(t.W), float32(t.H), 0}
	if t.Type == d3d9.TexVolume {
		size[2] = float32(t.D)
	}
	for c := range 3 {
		dx[c] *= size[c]
		dy[c] *= size[c]
	}
	lod := lodOf(dx, dy)
	if f.lod == lodBias {
		lod += f.Level[i]
	}
	return lod
}

// cubeFace returns the face at which a direction points and the coordinates on it, both 0..1. It follows
// the table of cube maps of Direct3D (and OpenGL 1.3, 3.8.6).
func cubeFace(p [3]float32) (face int, u, v float32) {
	face, s, t, m := project(p, p)
	return face, 0.5 * (s/m + 1), 0.5 * (t/m + 1)
}

// project converts q to the axes of the face at which direction p points: s and t across it, and m out of
// it.
func project(p, q [3]float32) (face int, s, t, m float32) {
	x, y, z := abs32(p[0]), abs32(p[1]), abs32(p[2])
	switch {
	case z >= x && z >= y:
		if p[2] < 0 {
			return 5, -q[0], -q[1], -q[2]
		}
		return 4, q[0], -q[1], q[2]
	case x >= y:
		if p[0] < 0 {
			return 1, q[2], -q[1], -q[0]
		}
		return 0, -q[2], -q[1], q[0]
	}
	if p[1] < 0 {
		return 3, q[0], -q[2], -q[1]
	}
	return 2, q[0], q[2], q[1]
}

// faceGradient returns the derivative of the face coordinates (s/m + 1)/2 and (t/m + 1)/2 at p, as p moves
// by d.
func faceGradient(p, d [3]float32) [3]float32 {
	_, s, t, m := project(p, p)
	_, ds, dt, dm := project(p, d)
	return [3]float32{0.5 * (ds*m - s*dm) / (m * m), 0.5 * (dt*m - t*dm) / (m * m)}
}
