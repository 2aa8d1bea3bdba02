package interp

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/verify/interp/internal/lanes"
)

// shading runs the pixel program over batches of fragments and writes the results.
type shading struct {
	*linkage
	ps  *machine
	img *Image

	out []*Vec // the written colours, four vectors a target, then the depth
	// For the current batch: pixel centres relative to the triangle, w, and depths.
	x, y, w [Lanes]float64
	depth   Vec
}

// ones is w for values that are not divided by it.
var ones = func() (w [Lanes]float64) {
	for i := range w {
		w[i] = 1
	}
	return w
}()

// newShading prepares a machine. It sets inputs that are the same for all fragments once.
func newShading(ps *Shader, l *linkage, img *Image, env *Env) *shading {
	s := &shading{linkage: l, ps: newMachine(ps, env), img: img}
	for _, at := range l.outputs {
		s.out = append(s.out, &s.ps.r[at])
	}
	for _, f := range l.fixed {
		s.ps.fill(f.at, f.value)
	}
	return s
}

// loadBatch loads a batch into the machine. It repeats the last quad to the end, so that lanes without a
// fragment follow the path of one.
func (s *shading) loadBatch(b *fragments) {
	for _, p := range b.parts {
		s.interpolate(b, p)
	}
	for _, p := range s.ps.sh.inputs {
		for k := range slot(4) {
			d := &s.ps.r[p.base+k]
			for i := 4 * b.quads; i < Lanes; i++ {
				d[i] = d[i-4]
			}
		}
		s.ps.flushInput(p)
	}
}

// interpolate sets the inputs of the lanes of a triangle, with perspective. A varying over w and 1 over w
// are affine on the screen (plane), and their quotient is the varying. All arithmetic is in float64 and
// rounded once. The depth is itself affine.
func (s *shading) interpolate(b *fragments, p part) {
	t, from, to := p.of, 4*p.from, 4*p.to
	s.centres(b, p)
	s.weigh(&t.invW, from, to)
	s.evaluate(&t.z, &ones, &s.depth, from, to)
	for k := range t.vary {
		s.evaluate(&t.vary[k], &s.w, &s.ps.r[s.varyings[k].to], from, to)
	}
	if s.vPos != 0 {
		for i := from; i < to; i++ {
			x, y := b.pixelOf(i)
			s.ps.r[s.vPos][i], s.ps.r[s.vPos+1][i] = float32(x), float32(y)
		}
	}
	if s.vFace != 0 {
		for c := range slot(4) {
			d := &s.ps.r[s.vFace+c]
			for i := from; i < to; i++ {
				d[i] = t.facing
			}
		}
	}
}

// centres sets x and y to the pixel centres, relative to the triangle's origin for precision.
func (s *shading) centres(b *fragments, p part) {
	t, from := p.of, 4*p.from
	if kernels != lanes.None {
		lanes.CentresX(b.x[p.from:p.to], t.x0, &s.x[from])
		lanes.CentresY(b.y[p.from:p.to], t.y0, &s.y[from])
		return
	}
	for i := from; i < 4*p.to; i++ {
		x, y := b.pixelOf(i)
		s.x[i], s.y[i] = float64(x)+0.5-t.x0, float64(y)+0.5-t.y0
	}
}

// weigh sets w to the reciprocal of the plane 1/w.
func (s *shading) weigh(f *plane, from, to int) {
	if kernels != lanes.None {
		f.Weigh(&s.x[from], &s.y[from], &s.w[from], to-from)
		return
	}
	for i := from; i < to; i++ {
		s.w[i] = 1 / f.At(s.x[i], s.y[i])
	}
}

// evaluate sets d to the plane f times w, rounded to float32.
func (s *shading) evaluate(f *plane, w *[Lanes]float64, d *Vec, from, to int) {
	if kernels != lanes.None {
		f.Interpolate(&s.x[from], &s.y[from], &w[from], &d[from], to-from)
		return
	}
	for i := from; i < to; i++ {
		d[i] = float32(f.At(s.x[i], s.y[i]) * w[i])
	}
}

// write writes the live fragments in order: coverage and depth, then the targets. A later fragment of a
// pixel replaces an earlier one; there is no depth test.
func (s *shading) write(b *fragments, out []*Vec, depth *Vec, killed uint64) {
	live := b.covered &^ killed
	for q := range b.quads {
		at, d := int(b.y[q])*s.img.W+int(b.x[q]), (*[4]float32)(depth[4*q:])
		// Most quads are fully covered.
		if live>>(4*q)&15 == 15 {
			upper, lower := s.img.Depth[at:at+2], s.img.Depth[at+s.img.W:][:2]
			upper[0], upper[1], lower[0], lower[1] = d[0], d[1], d[2], d[3]
			above, below := s.img.Covered[at:at+2], s.img.Covered[at+s.img.W:][:2]
			above[0], above[1], below[0], below[1] = true, true, true, true
			continue
		}
		for i, step := range [4]int{0, 1, s.img.W, s.img.W + 1} {
			if live>>(4*q+i)&1 != 0 {
				s.img.Covered[at+step], s.img.Depth[at+step] = true, d[i]
			}
		}
	}
	for t, from := range s.colors {
		if from == 0 {
			continue
		}
		c := [4]*Vec(out)
		out = out[4:]
		if kernels != lanes.None {
			lanes.Store(s.img.Targets[t], s.img.W, b.x[:b.quads], b.y[:b.quads], live, &c)
			continue
		}
		for rest := live; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest)
			x, y := b.pixelOf(i)
			px := (*[4]float32)(s.img.Targets[t][4*(y*s.img.W+x):])
			px[0], px[1], px[2], px[3] = c[0][i], c[1][i], c[2][i], c[3][i]
		}
	}
}

// shown returns the depths of the batch: those that the program writes, or those of the triangles.
func (s *shading) shown() *Vec {
	if s.depthOut != 0 {
		return s.out[len(s.out)-1]
	}
	return &s.depth
}

// drawBatch loads, shades and writes one batch.
func (s *shading) drawBatch(b *fragments) (*fragments, error) {
	m := s.ps
	s.loadBatch(b)
	if m.lane = -1; m.trace != nil {
		if lane := b.laneOf(m.trace.At%s.img.W, m.trace.At/s.img.W); lane >= 0 {
			m.begin(lane)
		}
	}
	if err := m.batch(); err != nil {
		return b, err
	}
	if m.seen != nil {
		for rest := b.covered & m.seen.lanes; rest != 0; rest &= rest - 1 {
			x, y := b.pixelOf(bits.TrailingZeros64(rest))
			m.seen.recordWild(y*s.img.W + x)
		}
	}
	s.write(b, s.out, s.shown(), m.killed)
	b.reset()
	return b, nil
}
