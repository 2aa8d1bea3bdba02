package kernel

import "github.com/shaderlift/shaderlift/asm/il"

// grid divides a domain into batches. Invocations are numbered, row by row, quad by quad or group
// by group, and cut into runs of as many as a batch has lanes. Batches are run in order of their
// numbers where order matters.
type grid struct {
	w, h         int // of the domain
	lanes        int // of a batch
	batches      int
	across, down int // groups, or quads, of a row and of a column
	threads      int // invocations of all groups or quads, those outside the domain included
}

// grid is that of a launch of p. A grouped kernel, whose threads meet or share memory, has a batch for
// each group, so that groups run as a whole. A tiled one has groups of two dimensions, which cover the
// domain as tiles; otherwise the threads of the domain are cut into groups in a row.
func (p *Program) grid(c *Case) grid {
	g := grid{w: c.Width, h: c.Height, lanes: p.lanes(), across: 1, down: 1, threads: c.Width * c.Height}
	up := func(a, b int) int { return (a + b - 1) / b }
	switch {
	case p.stage == il.Pixel && p.quads:
		g.across, g.down = up(g.w, 2), up(g.h, 2)
		g.threads = 4 * g.across * g.down
	case p.stage == il.Compute:
		size := p.groupThreads()
		g.across = up(g.w*g.h, size)
		if p.tiled {
			g.across, g.down = up(g.w, p.group[0]), up(g.h, p.group[1])
		}
		g.threads = g.across * g.down * size
		if p.grouped {
			g.batches = g.across * g.down
			return g
		}
	}
	if p.stage == il.Pixel { // a batch need not be wider than the domain
		g.lanes = min(g.lanes, up(g.threads, 4)*4)
	}
	g.batches = up(g.threads, g.lanes)
	return g
}

// invocation returns what runs in a lane of a batch, if anything does. In a kernel that takes
// derivatives four lanes in a row are a quad of pixels; those outside the domain run, but do not
// exist: they write nothing.
func (g *grid) invocation(p *Program, batch, lane int) (v invocation, ok bool) {
	v.exists = true
	n := batch*g.lanes + lane
	switch {
	case p.stage == il.Compute:
		size := p.groupThreads()
		if p.grouped {
			if lane >= size {
				return v, false
			}
			n = batch*size + lane
		}
		if n >= g.threads {
			return v, false
		}
		group, in := n/size, n%size
		v.group = uint32(group)
		// x counts fastest, then y, then z.
		v.thread = [3]uint32{uint32(in % p.group[0]), uint32(in / p.group[0] % p.group[1]), uint32(in / (p.group[0] * p.group[1]))}
		v.groups = [3]uint32{uint32(group % g.across), uint32(group / g.across)}
		v.x, v.y = n%g.w, n/g.w
		if p.tiled {
			v.x = int(v.groups[0])*p.group[0] + int(v.thread[0])
			v.y = int(v.groups[1])*p.group[1] + int(v.thread[1])
			if v.x >= g.w || v.thread[2] != 0 {
				return v, false
			}
		}
		if v.y >= g.h {
			return v, false
		}
	case p.quads:
		if n >= g.threads {
			return v, false
		}
		quad := n / 4
		v.x, v.y = quad%g.across*2+n%2, quad/g.across*2+n/2%2
		v.exists = v.x < g.w && v.y < g.h
	default:
		if n >= g.threads {
			return v, false
		}
		v.x, v.y = n%g.w, n/g.w
	}
	return v, true
}
