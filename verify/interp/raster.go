package interp

import (
	"math"

	"github.com/shaderlift/shaderlift/verify/interp/internal/lanes"
)

// subpixel is the grid to which vertices snap for coverage. Attributes are interpolated between the
// positions before snapping.
const subpixel = 256

// raster converts triangles to batches of quads; a batch may contain quads of several triangles. Pixel
// centres lie at half integers. A triangle covers the centres inside it and those on its top and left
// edges. So exactly one of two triangles that share an edge draws each pixel.
type raster struct {
	*linkage
	img    *Image
	poly   []vertex
	offset [2]float64 // of positions, in pixels
	err    error

	// edges holds the edges of the current triangle, in clockwise order.
	edges [3]edge
	tri   *triangle
	batch *fragments
	full  func(*fragments) (*fragments, error) // takes a full batch and returns one to fill
}

// triangle holds the data that fragments of a triangle need: affine functions of the screen position,
// relative to a corner.
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

// part is the range of quads of a batch that belong to one triangle.
type part struct {
	of       *triangle
	from, to int
}

func (f *fragments) reset() { f.quads, f.covered, f.parts = 0, 0, f.parts[:0] }

// pixelOf returns the pixel of a lane.
func (f *fragments) pixelOf(lane int) (x, y int) {
	return int(f.x[lane/4]) + lane&1, int(f.y[lane/4]) + lane>>1&1
}

// edge is the function c + dx*x + dy*y of integer pixel coordinates, in subpixels squared. It is not
// negative at the centres on the inner side of an edge (Pineda, A Parallel Algorithm for Polygon
// Rasterization, SIGGRAPH 1988). Integer arithmetic makes it exact.
type edge struct{ c, dx, dy int64 }

// newImage returns the empty target of a draw.
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

// setup prepares a clipped triangle and rasterises it. It computes positions on the screen and edges, and
// planes of 1/w, z/w and every varying over w. These are affine on the screen (perspective-correct
// interpolation).
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
	// Planes are fitted to exact positions, edges to snapped ones. A triangle without an area in either is
	// not drawn.
	det := (x[1]-x[0])*(y[2]-y[0]) - (x[2]-x[0])*(y[1]-y[0])
	area := (fx[1]-fx[0])*(fy[2]-fy[0]) - (fx[2]-fx[0])*(fy[1]-fy[0])
	if det == 0 || area == 0 {
		return
	}
	fit := func(f0, f1, f2 float64) plane {
		return plane{V: f0, DX: ((f1-f0)*(y[2]-y[0]) - (f2-f0)*(y[1]-y[0])) / det,
			DY: ((f2-f0)*(x[1]-x[0]) - (f1-f0)*(x[2]-x[0])) / det}
	}
	t := &triangle{x0: x[0], y0: y[0], facing: 1, vary: make([]plane, len(r.varyings))}
	t.invW = fit(iw[0], iw[1], iw[2])
	t.z = fit(a.pos[2]*iw[0], b.pos[2]*iw[1], c.pos[2]*iw[2])
	for k := range t.vary {
		t.vary[k] = fit(a.vary[k]*iw[0], b.vary[k]*iw[1], c.vary[k]*iw[2])
	}

	// Clockwise on the screen is the front, and the order of the edges.
	order := [4]int{0, 1, 2, 0}
	if area < 0 {
		t.facing = -1
		order = [4]int{0, 2, 1, 0}
	}
	for k := range r.edges {
		i, j := order[k], order[k+1]
		ex, ey := fx[j]-fx[i], fy[j]-fy[i]
		e := edge{c: ex*(subpixel/2-fy[i]) - ey*(subpixel/2-fx[i]), dx: -ey * subpixel, dy: ex * subpixel}
		// The top-left rule of Direct3D: the triangle below or to the right of an edge draws the centres on
		// it.
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
		r.rasteriseRow(py, left, right)
	}
}

// rasteriseRow rasterises a row of quads: quads inside the triangle as a whole, quads at its border pixel by pixel.
// Edge functions are affine, so the quads with four covered pixels form an interval.
func (r *raster) rasteriseRow(py, left, right int) {
	// e holds the functions at the first pixel. least and most bound them over its quad.
	var e, least, most [3]int64
	for k := range e {
		dx, dy := r.edges[k].dx, r.edges[k].dy
		e[k] = r.edges[k].c + dx*int64(left) + dy*int64(py)
		least[k] = e[k] + min(0, dx) + min(0, dy) // within a quad, where a function is affine
		most[k] = e[k] + max(0, dx) + max(0, dy)
	}
	// whole is the last quad of the row that lies completely in the target.
	whole := (right - left) / 2
	first, last := r.quadSpan(&most, 0, whole)
	if left+2*whole+1 >= r.img.W {
		whole--
	}
	if py+1 >= r.img.H {
		whole = -1
	}
	from, to := r.quadSpan(&least, first, min(last, whole))
	// No quad is fully covered.
	if from > to {
		from, to = last+1, last
	}
	r.border(e, py, left, first, from-1)
	for q := from; q <= to && r.err == nil; q++ {
		r.addQuad(left+2*q, py, 15)
	}
	r.border(e, py, left, to+1, last)
}

// quadSpan returns the quads from first to last of a row at which functions that start at e are not negative.
func (r *raster) quadSpan(e *[3]int64, first, last int) (from, to int) {
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

// border rasterises quads of a row that may be partly covered.
func (r *raster) border(e [3]int64, py, left, first, last int) {
	for k := range e {
		e[k] += 2 * r.edges[k].dx * int64(first)
	}
	bottom := py+1 < r.img.H
	for px := left + 2*first; px <= left+2*last && r.err == nil; px += 2 {
		// A lane is covered unless one of the three functions has its sign bit set.
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
			r.addQuad(px, py, covered)
		}
	}
}

// addQuad adds four fragments to the batch; the bits of covered mark the covered ones.
func (r *raster) addQuad(px, py int, covered uint64) {
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

// flush passes the batch on.
func (r *raster) flush() {
	if r.batch.quads > 0 && r.err == nil {
		r.batch, r.err = r.full(r.batch)
	}
}
