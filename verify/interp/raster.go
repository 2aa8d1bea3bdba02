package interp

import (
	"math"

	"github.com/shaderlift/shaderlift/verify/interp/internal/lanes"
)

// subpixel is the grid vertices snap to for coverage; attributes are interpolated
// between the positions before snapping.
const subpixel = 256

// raster turns triangles into batches of quads, those of several triangles in one batch. Pixel centres lie
// at half integers. A triangle covers the centres inside it and those on its top and left edges, so that of
// two triangles that share an edge one draws each pixel.
type raster struct {
	*linkage
	img    *Image
	poly   []vertex
	offset [2]float64 // of positions, in pixels
	err    error

	// edges are those of the triangle at hand, in clockwise order.
	edges [3]edge
	tri   *triangle
	batch *fragments
	full  func(*fragments) (*fragments, error) // takes a batch, and gives one to fill
}

// triangle is what a fragment has to know of the one it belongs to: affine functions of the
// screen position, as seen from a corner.
type triangle struct {
	x0, y0 float64
	invW   plane
	z      plane
	vary   []plane
	facing float32
}

// plane is an affine function of the screen position.
type plane = lanes.Plane

// fragments is a batch of quads.
type fragments struct {
	quads   int
	x, y    [Lanes / 4]int32 // of the first pixel of each
	covered uint64           // lanes; the others only help with derivatives
	parts   []part
}

// part is the quads of a batch that belong to one triangle.
type part struct {
	of       *triangle
	from, to int
}

func (f *fragments) reset() { f.quads, f.covered, f.parts = 0, 0, f.parts[:0] }

// at is the pixel of a lane.
func (f *fragments) at(lane int) (x, y int) {
	return int(f.x[lane/4]) + lane&1, int(f.y[lane/4]) + lane>>1&1
}

// edge is the function c + dx*x + dy*y of whole pixels, in subpixels squared, that is not negative at the
// centres an edge lets pass (Pineda, A Parallel Algorithm for Polygon Rasterization, SIGGRAPH 1988). It is
// computed in integers, so that it is exact.
type edge struct{ c, dx, dy int64 }

// newImage is the target of a draw before anything is drawn.
func newImage(c *Case, l *linkage) *Image {
	img := &Image{W: c.Width, H: c.Height, Written: l.masks}
	size := c.Width * c.Height
	img.Covered = make([]bool, size)
	img.Depth = make([]float32, size)
	repeat(img.Depth, 1)
	for t, at := range l.colors {
		if at == 0 {
			continue
		}
		img.Targets[t] = make([]float32, 4*size)
		repeat(img.Targets[t], c.Clear[:]...)
	}
	return img
}

// repeat fills d with a pattern.
func repeat(d []float32, pattern ...float32) {
	for n := copy(d, pattern); n < len(d); n *= 2 {
		copy(d[n:], d[:n])
	}
}

// setup prepares a clipped triangle and walks it: positions on the screen, planes of 1/w, z/w and every
// varying over w, which are affine there (perspective-correct interpolation), and the edges.
func (r *raster) setup(a, b, c *vertex) {
	v := [3]*vertex{a, b, c}
	var x, y, iw [3]float64
	var fx, fy [3]int64
	for i, p := range v {
		if !(p.pos[3] > 0) {
			return // clipping rounds too
		}
		iw[i] = 1 / p.pos[3]
		x[i] = (p.pos[0]*iw[i]*0.5+0.5)*float64(r.img.W) + r.offset[0]
		y[i] = (0.5-p.pos[1]*iw[i]*0.5)*float64(r.img.H) + r.offset[1]
		fx[i] = int64(math.RoundToEven(x[i] * subpixel))
		fy[i] = int64(math.RoundToEven(y[i] * subpixel))
	}
	// Planes are fitted to positions as they are, edges to snapped ones, so that a triangle without an
	// area in either is not drawn.
	det := (x[1]-x[0])*(y[2]-y[0]) - (x[2]-x[0])*(y[1]-y[0])
	area := (fx[1]-fx[0])*(fy[2]-fy[0]) - (fx[2]-fx[0])*(fy[1]-fy[0])
	if det == 0 || area == 0 {
		return
	}
	fit := func(f0, f1, f2 float64) plane {
		return plane{V: f0, DX: ((f1-f0)*(y[2]-y[0]) - (f2-f0)*(y[1]-y[0])) / det, DY: ((f2-f0)*(x[1]-x[0]) - (f1-f0)*(x[2]-x[0])) / det}
	}
	t := &triangle{x0: x[0], y0: y[0], facing: 1, vary: make([]plane, len(r.varyings))}
	t.invW = fit(iw[0], iw[1], iw[2])
	t.z = fit(a.pos[2]*iw[0], b.pos[2]*iw[1], c.pos[2]*iw[2])
	for k := range t.vary {
		t.vary[k] = fit(a.vary[k]*iw[0], b.vary[k]*iw[1], c.vary[k]*iw[2])
	}

	// Clockwise on the screen is the front, and the order the edges want.
	order := [4]int{0, 1, 2, 0}
	if area < 0 {
		t.facing = -1
		order = [4]int{0, 2, 1, 0}
	}
	for k := range r.edges {
		i, j := order[k], order[k+1]
		ex, ey := fx[j]-fx[i], fy[j]-fy[i]
		e := edge{c: ex*(subpixel/2-fy[i]) - ey*(subpixel/2-fx[i]), dx: -ey * subpixel, dy: ex * subpixel}
		// The top-left rule of Direct3D: of a centre on an edge the triangle below or right of it draws.
		if topLeft := ey < 0 || ey == 0 && ex > 0; !topLeft {
			e.c--
		}
		r.edges[k] = e
	}
	bound := func(f [3]int64, size int) (lo, hi int) {
		lo = int(max(0, min(f[0], f[1], f[2])/subpixel))
		hi = int(min(int64(size-1), max(f[0], f[1], f[2])/subpixel))
		return lo &^ 1, hi
	}
	r.tri = t
	left, right := bound(fx, r.img.W)
	top, bottom := bound(fy, r.img.H)
	for py := top; py <= bottom && left <= right && r.err == nil; py += 2 {
		r.row(py, left, right)
	}
}

// row walks a row of quads: those inside the triangle as they are, those at its border pixel by pixel. An
// edge function is affine, so that where it is not negative at all four pixels of a quad is an interval.
func (r *raster) row(py, left, right int) {
	// e are the functions at the first pixel; least and most bound them over its quad.
	var e, least, most [3]int64
	for k := range e {
		dx, dy := r.edges[k].dx, r.edges[k].dy
		e[k] = r.edges[k].c + dx*int64(left) + dy*int64(py)
		least[k] = e[k] + min(0, dx) + min(0, dy) // within a quad, where a function is affine
		most[k] = e[k] + max(0, dx) + max(0, dy)
	}
	// whole is the last quad of the row that lies in the target as a whole.
	whole := (right - left) / 2
	first, last := r.span(&most, 0, whole)
	if left+2*whole+1 >= r.img.W {
		whole--
	}
	if py+1 >= r.img.H {
		whole = -1
	}
	from, to := r.span(&least, first, min(last, whole))
	// No quad is covered as a whole.
	if from > to {
		from, to = last+1, last
	}
	r.border(e, py, left, first, from-1)
	for q := from; q <= to && r.err == nil; q++ {
		r.quad(left+2*q, py, 15)
	}
	r.border(e, py, left, to+1, last)
}

// span is which quads of a row, of those from first to last, have functions that start so and
// are not negative.
func (r *raster) span(e *[3]int64, first, last int) (from, to int) {
	for k, start := range e {
		switch step := 2 * r.edges[k].dx; {
		case step > 0 && start < 0:
			first = max(first, int((-start+step-1)/step))
		case step < 0 && start >= 0:
			last = min(last, int(start/-step))
		case start < 0:
			return first, first - 1
		}
	}
	return first, last
}

// border walks quads of a row some pixels of which may not be covered.
func (r *raster) border(e [3]int64, py, left, first, last int) {
	for k := range e {
		e[k] += 2 * r.edges[k].dx * int64(first)
	}
	bottom := py+1 < r.img.H
	for px := left + 2*first; px <= left+2*last && r.err == nil; px += 2 {
		// A lane is covered unless one of the three functions has the sign bit set.
		var out [4]int64
		for k := range e {
			dx, dy := r.edges[k].dx, r.edges[k].dy
			out[0] |= e[k]
			out[1] |= e[k] + dx
			out[2] |= e[k] + dy
			out[3] |= e[k] + dx + dy
			e[k] += 2 * dx
		}
		if px+1 >= r.img.W {
			out[1], out[3] = -1, -1
		}
		if !bottom {
			out[2], out[3] = -1, -1
		}
		covered := uint64(0)
		for i, o := range out {
			covered |= uint64(^o) >> 63 << i
		}
		if covered != 0 {
			r.quad(px, py, covered)
		}
	}
}

// quad adds four fragments to the batch, those covered as given by bits.
func (r *raster) quad(px, py int, covered uint64) {
	b := r.batch
	n := b.quads
	if k := len(b.parts); k == 0 || b.parts[k-1].of != r.tri {
		b.parts = append(b.parts, part{r.tri, n, n})
	}
	b.x[n], b.y[n] = int32(px), int32(py)
	b.covered |= covered << (4 * n)
	b.quads = n + 1
	if b.parts[len(b.parts)-1].to = b.quads; b.quads == len(b.x) {
		r.flush()
	}
}

// flush hands on the batch.
func (r *raster) flush() {
	if r.batch.quads > 0 && r.err == nil {
		r.batch, r.err = r.full(r.batch)
	}
}
