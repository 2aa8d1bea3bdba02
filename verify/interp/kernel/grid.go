package kernel

import "github.com/shaderlift/shaderlift/asm/il"

// grid divides a domain into batches. It numbers invocations row by row, quad by quad or group by group,
// and cuts them into runs of the size of a batch. If order matters, batches run in the order of their
// numbers.
type grid struct {
	w, h         int // of the domain
	lanes        int // of a batch
	batches      int
	across, down int // groups, or quads, of a row and of a column
	threads      int // invocations of all groups or quads, including those outside the domain
}

// launchGrid returns the grid of a launch of p. A grouped kernel, whose threads synchronize or share memory, has
// one batch per group. The groups of a tiled kernel are tiles of the domain; otherwise groups are
// consecutive threads.
func (p *Program) launchGrid(c *Case) grid {
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

// invocation returns the invocation in a lane of a batch, if there is one. In a kernel that takes
// derivatives, four consecutive lanes are a quad of pixels. Pixels outside the domain run, but do not
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
		// x varies fastest, then y, then z.
		v.thread = [3]uint32{uint32(in % p.group[0]), uint32(in / p.group[0] % p.group[1]),
			uint32(in / (p.group[0] * p.group[1]))}
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
