package interp

import "math"

// subpixel is the grid vertices snap to for coverage; attributes are interpolated
// between the positions before snapping.
const subpixel = 256

// raster turns triangles into batches of quads and shades them. Pixel centres lie
// at half integers. A triangle covers the centres inside it and those on its top
// and left edges, so that of two triangles that share an edge one draws each pixel.
type raster struct {
	*linkage
	ps     *machine
	img    *Image
	poly   []vertex
	offset [2]float64 // of positions, in pixels
	err    error

	// The triangle at hand: affine functions of the screen position.
	x0, y0 float64
	invW   plane
	z      plane
	vary   []plane
	facing float32
	edges  [3]edge

	// The batch at hand.
	n     int
	pixel [Lanes]int32 // index of the pixel; -1 of a helper lane
	depth [Lanes]float32
}

// plane is v + dx*(x-x0) + dy*(y-y0).
type plane struct{ v, dx, dy float64 }

func (p *plane) at(x, y float64) float64 { return p.v + p.dx*x + p.dy*y }

// edge is the function c + dx*x + dy*y of whole pixels, in subpixels squared, that
// is not negative at the centres an edge lets pass.
type edge struct{ c, dx, dy int64 }

func newRaster(ps *Shader, l *linkage, c *Case, n Numerics, most bounds) *raster {
	r := &raster{
		linkage: l,
		ps:      newMachine(ps, &Env{Constants: &c.Pixel, Textures: &c.PixelTex, Numerics: n, Steps: most.steps, Budget: most.budget, Seen: most.seen}),
		img:     &Image{W: c.Width, H: c.Height, Written: l.masks},
		vary:    make([]plane, len(l.varyings)),
		poly:    make([]vertex, 0, 3),
		offset:  [2]float64{float64(c.Offset[0]), float64(c.Offset[1])},
	}
	size := c.Width * c.Height
	r.img.Covered = make([]bool, size)
	r.img.Depth = make([]float32, size)
	for i := range r.img.Depth {
		r.img.Depth[i] = 1
	}
	for t, at := range l.colors {
		if at == 0 {
			continue
		}
		r.img.Targets[t] = make([]float32, 4*size)
		for i := 0; i < 4*size; i += 4 {
			copy(r.img.Targets[t][i:], c.Clear[:])
		}
	}
	for _, f := range l.fixed {
		r.ps.fill(f.at, f.value)
	}
	return r
}

// setup prepares a clipped triangle and walks it.
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
	det := (x[1]-x[0])*(y[2]-y[0]) - (x[2]-x[0])*(y[1]-y[0])
	area := (fx[1]-fx[0])*(fy[2]-fy[0]) - (fx[2]-fx[0])*(fy[1]-fy[0])
	if det == 0 || area == 0 {
		return
	}
	fit := func(f0, f1, f2 float64) plane {
		return plane{f0, ((f1-f0)*(y[2]-y[0]) - (f2-f0)*(y[1]-y[0])) / det, ((f2-f0)*(x[1]-x[0]) - (f1-f0)*(x[2]-x[0])) / det}
	}
	r.x0, r.y0 = x[0], y[0]
	r.invW = fit(iw[0], iw[1], iw[2])
	r.z = fit(a.pos[2]*iw[0], b.pos[2]*iw[1], c.pos[2]*iw[2])
	for k := range r.vary {
		r.vary[k] = fit(a.vary[k]*iw[0], b.vary[k]*iw[1], c.vary[k]*iw[2])
	}

	// Clockwise on the screen is the front, and the order the edges want.
	order := [4]int{0, 1, 2, 0}
	r.facing = 1
	if area < 0 {
		r.facing = -1
		order = [4]int{0, 2, 1, 0}
	}
	for k := range r.edges {
		i, j := order[k], order[k+1]
		ex, ey := fx[j]-fx[i], fy[j]-fy[i]
		e := edge{c: ex*(subpixel/2-fy[i]) - ey*(subpixel/2-fx[i]), dx: -ey * subpixel, dy: ex * subpixel}
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
	left, right := bound(fx, r.img.W)
	top, bottom := bound(fy, r.img.H)
	for py := top; py <= bottom && r.err == nil; py += 2 {
		r.row(py, left, right)
	}
}

// row walks a row of quads.
func (r *raster) row(py, left, right int) {
	var e [3]int64
	for k := range e {
		e[k] = r.edges[k].c + r.edges[k].dx*int64(left) + r.edges[k].dy*int64(py)
	}
	bottom := py+1 < r.img.H
	for px := left; px <= right && r.err == nil; px += 2 {
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
		if out[0]&out[1]&out[2]&out[3] >= 0 {
			r.quad(px, py, &out)
		}
	}
}

// quad adds four fragments to the batch; those not covered only help with derivatives.
func (r *raster) quad(px, py int, out *[4]int64) {
	n := r.n
	var x, y, w [4]float64
	for i := range 4 {
		x[i] = float64(px+i&1) + 0.5 - r.x0
		y[i] = float64(py+i>>1) + 0.5 - r.y0
		w[i] = 1 / r.invW.at(x[i], y[i])
		r.pixel[n+i] = -1
		if out[i] >= 0 {
			r.pixel[n+i] = int32((py+i>>1)*r.img.W + px + i&1)
			r.depth[n+i] = float32(r.z.at(x[i], y[i]))
		}
	}
	for k := range r.vary {
		p, d := &r.vary[k], (*[4]float32)(r.ps.r[r.varyings[k].to][n:])
		for i := range d {
			d[i] = float32(p.at(x[i], y[i]) * w[i])
		}
	}
	if r.vPos != 0 {
		for i := range 4 {
			r.ps.r[r.vPos][n+i] = float32(px + i&1)
			r.ps.r[r.vPos+1][n+i] = float32(py + i>>1)
		}
	}
	if r.vFace != 0 {
		for c := range slot(4) {
			for i := range 4 {
				r.ps.r[r.vFace+c][n+i] = r.facing
			}
		}
	}
	if r.n += 4; r.n == Lanes {
		r.flush()
	}
}

// flush shades the batch and writes the fragments that live, in order.
func (r *raster) flush() {
	n := r.n
	if n == 0 || r.err != nil {
		return
	}
	r.n = 0
	for _, p := range r.ps.sh.inputs {
		for k := range slot(4) {
			d := &r.ps.r[p.base+k]
			for i := n; i < Lanes; i++ {
				d[i] = d[i-4]
			}
		}
		r.ps.flushInput(p)
	}
	if r.ps.lane = -1; r.ps.trace != nil {
		if lane := r.tracedLane(n); lane >= 0 {
			r.ps.begin(lane)
		}
	}
	if r.err = r.ps.batch(); r.err != nil {
		return
	}
	for i := range n {
		at := r.pixel[i]
		if s := r.ps.seen; s != nil && at >= 0 && s.lanes>>i&1 != 0 {
			s.wild(int(at))
		}
		if at < 0 || r.ps.killed>>i&1 != 0 {
			continue
		}
		r.img.Covered[at] = true
		if r.depthOut != 0 {
			r.img.Depth[at] = r.ps.r[r.depthOut][i]
		} else {
			r.img.Depth[at] = r.depth[i]
		}
		for t, from := range r.colors {
			if from == 0 {
				continue
			}
			px := r.img.Targets[t][4*at:][:4]
			for c := range px {
				px[c] = r.ps.r[from+slot(c)][i]
			}
		}
	}
}
