package codemotion

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes/combine"
)

// Operands of instructions that stay are what may move. Where sums and products are regrouped
// first, so that what may move stands together, there are more of them:
//
//	ps: mul r0, r0, c0                 mul r1, c0, c1      moves
//	    mul r0, r0, c1                 mul r0, r0, r1

// maxRegrouped bounds how often a program is regrouped: what has come to stand together may be
// part of more.
const maxRegrouped = 4

// regroup regroups the pixel program of m, which is prepared, and returns the number of
// rewrites.
func (m *mover) regroup() (rewrites int, err error) {
	for range maxRegrouped {
		n := combine.Expose(m.ctx, m.pixel, m.rate)
		if n == 0 {
			break
		}
		rewrites += n
		if err = m.prepare(m.unit); err != nil {
			break
		}
	}
	return rewrites, err
}

// rate is the class of a value that may move, and Nonlinear of one that may not, or that is new.
func (m *mover) rate(v *ir.Value) ir.Linearity {
	if int(v.ID) >= len(m.movable) || !m.movable[v.ID] {
		return ir.Nonlinear
	}
	return m.class[v.ID]
}

// regrouped is the mover of the unit regrouped, with its candidates, if a selection of these
// is cheaper than found; else nil. The unit is regrouped then. For slots cheaper is fewer pixel
// slots, since other costs decide among placements of one form only. Programs with
// flow control are left alone: proofs of what becomes of large loops take more than the budget of a
// check, so that of them more was lost than gained.
func (m *mover) regrouped(found *selection) (x *mover, all []*candidate, better *selection) {
	if branches(m.vertex) || branches(m.pixel) {
		return nil, nil, nil
	}
	t := m.ctx.Trial(m.unit)
	x = &mover{ctx: m.ctx, unit: t, vertex: t.Vertex, pixel: t.Pixel, mirrored: m.mirrored, gather: m.gather, class: m.class, movable: m.movable}
	if n, err := x.regroup(); n == 0 || err != nil {
		return nil, nil, nil
	}
	all = x.offered()
	better, err := x.search(all)
	switch {
	case err != nil || better == nil:
		return nil, nil, nil
	case found == nil:
	case m.ctx.Static && better.cost[0] >= found.cost[0], !better.cost.Less(found.cost):
		return nil, nil, nil
	}
	m.ctx.Adopt(m.unit, t)
	x.unit = m.unit
	return x, all, better
}

// branches reports whether f has flow control.
func branches(f *ir.Func) (ok bool) {
	f.EachRegion(func(r *ir.Region) { ok = ok || r != f.Body })
	return ok
}
