package gen

import "github.com/shaderlift/shaderlift/asm/d3d9"

// env is the set of components of temporaries, a0 and p0 that are written on every path to a place, and may
// be read there. Its order is inclusion; paths meet by intersection.
type env struct {
	temp       [32]d3d9.Mask
	addr, pred d3d9.Mask
}

// everything returns the env of an unreachable place.
func everything() (e env) {
	for i := range e.temp {
		e.temp[i] = d3d9.MaskAll
	}
	e.addr, e.pred = d3d9.MaskAll, d3d9.MaskAll
	return e
}

// intersect returns the env after a merge of two paths.
func (e env) intersect(f env) env {
	for i := range e.temp {
		e.temp[i] &= f.temp[i]
	}
	e.addr &= f.addr
	e.pred &= f.pred
	return e
}

// union returns the union of two envs, such as the env before a call and the components that the subroutine
// always writes.
func (e env) union(f env) env {
	for i := range e.temp {
		e.temp[i] |= f.temp[i]
	}
	e.addr |= f.addr
	e.pred |= f.pred
	return e
}

// covers reports whether e contains f.
func (e env) covers(f env) bool { return e.intersect(f) == f }

// writtenMask returns the written components of a register; files that need no writing have all.
func (g *gen) writtenMask(r d3d9.Reg) d3d9.Mask {
	switch r.File {
	case d3d9.Temp:
		return g.env.temp[r.Index]
	case d3d9.Addr:
		return g.env.addr
	case d3d9.Predicate:
		return g.env.pred
	case d3d9.Input, d3d9.Texture, d3d9.Misc:
		for _, in := range g.inputs {
			if in.reg == r {
				return in.mask
			}
		}
		return 0
	}
	return d3d9.MaskAll
}

// write records that components of a register are written here on every path.
func (g *gen) write(r d3d9.Reg, m d3d9.Mask) {
	switch r.File {
	case d3d9.Temp:
		g.env.temp[r.Index] |= m
		g.recent = append(g.recent, r.Index)
	case d3d9.Addr:
		g.env.addr |= m
	case d3d9.Predicate:
		g.env.pred |= m
	}
}

// context describes the surroundings of a place: nesting depths, which the models limit, and restrictions.
// The limits are in the MSDN pages on flow control nesting limits of each model.
type context struct {
	static, dynamic, loops, calls int  // blocks of each kind around it
	conditional                   bool // some path bypasses it
	varying                       bool // control flow may diverge
	indexed                       bool // aL counts
	sub                           bool // in a subroutine
	reach                         int  // maximum of aL if known, else -1
}

// within reports whether c is no deeper than d, and has no restriction that d lacks. Code that was generated
// under d may then be called from c.
func (c context) within(d context) bool {
	return c.static <= d.static && c.dynamic <= d.dynamic && c.loops <= d.loops && c.calls <= d.calls &&
		(!c.varying || d.varying) && (c.indexed || !d.indexed)
}
