package shadergen

import "github.com/shaderlift/shaderlift/asm/d3d9"

// env is what has been written on every path to a place: the components of temporaries, a0 and p0 that
// may be read there. Its order is inclusion; paths meet by intersection.
type env struct {
	temp       [32]d3d9.Mask
	addr, pred d3d9.Mask
}

// everything is the env of a place that no path reaches.
func everything() (e env) {
	for i := range e.temp {
		e.temp[i] = d3d9.MaskAll
	}
	e.addr, e.pred = d3d9.MaskAll, d3d9.MaskAll
	return e
}

// and is the env behind a place where two paths meet.
func (e env) and(f env) env {
	for i := range e.temp {
		e.temp[i] &= f.temp[i]
	}
	e.addr &= f.addr
	e.pred &= f.pred
	return e
}

// or is what has been written in either: after a call, what was there and what the subroutine always
// writes.
func (e env) or(f env) env {
	for i := range e.temp {
		e.temp[i] |= f.temp[i]
	}
	e.addr |= f.addr
	e.pred |= f.pred
	return e
}

// covers reports whether e has all that f has.
func (e env) covers(f env) bool { return e.and(f) == f }

// has is the written part of a register; files that need no writing have it all.
func (g *gen) has(r d3d9.Reg) d3d9.Mask {
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

// write notes that components of a register are written here on every path.
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

// context is what surrounds a place: depths of nesting as the models limit them, and what they bar. The
// limits are in the MSDN pages on flow control nesting limits of each model.
type context struct {
	static, dynamic, loops, calls int  // blocks of each kind around it
	conditional                   bool // some path leads past it
	varying                       bool // pixels may part ways
	indexed                       bool // aL counts
	sub                           bool // in a subroutine
	reach                         int  // the most aL can be where that is known, else -1
}

// within reports whether c is no deeper than d in any respect, and bars no less: then what was made
// under d may be called from c.
func (c context) within(d context) bool {
	return c.static <= d.static && c.dynamic <= d.dynamic && c.loops <= d.loops && c.calls <= d.calls &&
		(!c.varying || d.varying) && (c.indexed || !d.indexed)
}
