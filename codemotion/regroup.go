package codemotion

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes/combine"
	"github.com/shaderlift/shaderlift/passes/ifconvert"
)

// Only operands of instructions that stay may move. Regrouping sums and products first, so that movable
// operands are adjacent, yields more of them:
//
//	ps: mul r0, r0, c0                 mul r1, c0, c1      moves
//	    mul r0, r0, c1                 mul r0, r0, r1

// maxRegrouped bounds how often a program is regrouped: one regrouping can enable another.
const maxRegrouped = 4

// selectBranches replaces branches of the pixel program by selections, so that their results can move: branches that all
// pixels of a draw decide alike, and whose sides can be computed per vertex.
func (m *mover) selectBranches() (rewrites int, err error) {
	if !m.pixel.Dialect.Supports(ir.OpSel) {
		return 0, nil
	}
	for range maxRegrouped {
		n := ifconvert.Select(m.pixel, m.isSelection, m.ctx.ShouldRewrite)
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

// isSelection reports whether the results of a branch can move once it is a selection.
func (m *mover) isSelection(branch *ir.Instr) bool {
	ok := m.valueClass(branch.Src[0][0].V) <= ir.Invariant
	for _, side := range branch.Sub {
		for _, in := range side.Code {
			ok = ok && m.moves(in)
		}
		for _, v := range side.Results {
			ok = ok && m.valueClass(v) < ir.Nonlinear
		}
	}
	return ok
}

// regroup regroups the pixel program of m, which is prepared, and returns the number of rewrites.
func (m *mover) regroup() (rewrites int, err error) {
	for range maxRegrouped {
		n := combine.Expose(m.ctx, m.pixel, m.valueClass)
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

// valueClass returns the class of a value that may move, and Nonlinear for any other or new value.
func (m *mover) valueClass(v *ir.Value) ir.Linearity {
	if int(v.ID) >= len(m.movable) || !m.movable[v.ID] {
		return ir.Nonlinear
	}
	return m.class[v.ID]
}

// regrouped tries the regrouped unit. If a selection there is cheaper than found, it changes the unit to the
// regrouped form and returns its mover, its candidates and the selection. If not, it returns nil. For slots,
// cheaper means fewer pixel slots, since other costs are comparable among placements of one form only.
// Branches that a uniform decides become selections first. Programs that keep flow control are not regrouped: proofs of
// regrouped large loops exceeded the budget of a check, and more rewrites were lost than gained.
func (m *mover) regrouped(found *selection) (x *mover, all []*candidate, better *selection) {
	if !m.pixel.Dialect.Supports(ir.OpSel) && (branches(m.vertex) || branches(m.pixel)) {
		return nil, nil, nil
	}
	t := m.ctx.Trial(m.unit)
	x = &mover{ctx: m.ctx, unit: t, vertex: t.Vertex, pixel: t.Pixel, mirrored: m.mirrored, gather: m.gather,
		class: m.class, movable: m.movable}
	n, err := x.selectBranches()
	if err == nil && !branches(x.vertex) && !branches(x.pixel) {
		var more int
		more, err = x.regroup()
		n += more
	}
	if n == 0 || err != nil {
		return nil, nil, nil
	}
	all = x.offered()
	better, err = x.search(all)
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
