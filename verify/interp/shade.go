package interp

import "github.com/shaderlift/shaderlift/verify/interp/internal/lanes"

// shading runs the pixel program over batches of fragments, and writes what comes out.
type shading struct {
	*linkage
	ps  *machine
	img *Image

	out []*Vec // the colours that are written, and the depth
	// Of the batch at hand: the centres as the triangles see them, w, and depths.
	x, y, w [Lanes]float64
	depth   Vec
}

// ones is w where nothing is divided by it.
var ones = func() (w [Lanes]float64) {
	for i := range w {
		w[i] = 1
	}
	return w
}()

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

// load gives a batch to the machine, whose last quad is repeated to its end.
func (s *shading) load(b *fragments) {
	for _, p := range b.parts {
		s.interpolate(b, p)
	}
	for _, p := range s.ps.sh.inputs {
		for k := range slot(4) {
			d := &s.ps.r[p.base+k]
			for i := b.n; i < Lanes; i++ {
				d[i] = d[i-4]
			}
		}
		s.ps.flushInput(p)
	}
}

// interpolate sets the inputs of the lanes of a triangle.
func (s *shading) interpolate(b *fragments, p part) {
	t := p.of
	for i := p.from; i < p.to; i++ {
		s.x[i] = float64(b.x[i]) + 0.5 - t.x0
		s.y[i] = float64(b.y[i]) + 0.5 - t.y0
	}
	s.weigh(&t.invW, p)
	s.evaluate(&t.z, &ones, &s.depth, p)
	for k := range t.vary {
		s.evaluate(&t.vary[k], &s.w, &s.ps.r[s.varyings[k].to], p)
	}
	if s.vPos != 0 {
		x, y := &s.ps.r[s.vPos], &s.ps.r[s.vPos+1]
		for i := p.from; i < p.to; i++ {
			x[i], y[i] = float32(b.x[i]), float32(b.y[i])
		}
	}
	if s.vFace != 0 {
		for c := range slot(4) {
			d := &s.ps.r[s.vFace+c]
			for i := p.from; i < p.to; i++ {
				d[i] = t.facing
			}
		}
	}
}

// weigh sets w.
func (s *shading) weigh(f *plane, p part) {
	if kernels != lanes.None {
		f.Weigh(&s.x[p.from], &s.y[p.from], &s.w[p.from], p.to-p.from)
		return
	}
	for i := p.from; i < p.to; i++ {
		s.w[i] = 1 / f.At(s.x[i], s.y[i])
	}
}

// evaluate sets d to f times w.
func (s *shading) evaluate(f *plane, w *[Lanes]float64, d *Vec, p part) {
	if kernels != lanes.None {
		f.Interpolate(&s.x[p.from], &s.y[p.from], &w[p.from], &d[p.from], p.to-p.from)
		return
	}
	for i := p.from; i < p.to; i++ {
		d[i] = float32(f.At(s.x[i], s.y[i]) * w[i])
	}
}

// write writes the fragments that live, in order.
func (s *shading) write(b *fragments, out []*Vec, depth *Vec, killed uint64) {
	for i, at := range b.pixel[:b.n] {
		if at >= 0 && killed>>i&1 == 0 {
			s.img.Covered[at] = true
			s.img.Depth[at] = depth[i]
		}
	}
	for t, from := range s.colors {
		if from == 0 {
			continue
		}
		x, y, z, w := out[0], out[1], out[2], out[3]
		out = out[4:]
		target := s.img.Targets[t]
		for i, at := range b.pixel[:b.n] {
			if at >= 0 && killed>>i&1 == 0 {
				px := (*[4]float32)(target[4*at:])
				px[0], px[1], px[2], px[3] = x[i], y[i], z[i], w[i]
			}
		}
	}
}

// shown is the depths of the batch: what the program writes, or those of the triangles.
func (s *shading) shown() *Vec {
	if s.depthOut != 0 {
		return s.out[len(s.out)-1]
	}
	return &s.depth
}

// draw does all of it for one batch.
func (s *shading) draw(b *fragments) (*fragments, error) {
	m := s.ps
	s.load(b)
	if m.lane = -1; m.trace != nil {
		if lane := b.lane(m.trace.At); lane >= 0 {
			m.begin(lane)
		}
	}
	if err := m.batch(); err != nil {
		return b, err
	}
	for i, at := range b.pixel[:b.n] {
		if m.seen != nil && at >= 0 && m.seen.lanes>>i&1 != 0 {
			m.seen.wild(int(at))
		}
	}
	s.write(b, s.out, s.shown(), m.killed)
	b.reset()
	return b, nil
}
