package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// phisOf divides results of a construct into phis. incoming are the values for them on each way. A result that is not
// needed has no phi, nor has one that is the same on all ways: it becomes an alias. Results of one register form a
// vector.
func (w *writer) phisOf(results []*ir.Value, incoming [][]*ir.Value) (list []*phi) {
	type group struct {
		home ir.Reg
		kind Scalar
	}
	open := map[group]*phi{}
	for k, v := range results {
		if _, ok := w.alias[v]; ok || !w.isLive(v) || w.isSame(v, k, incoming) {
			continue
		}
		if w.p.Func.Dialect.FileRole(v.Home.File) == ir.RoleState {
			continue
		}
		g := group{v.Home, w.kinds.of(v)}
		g.home.Comp = 0
		p := open[g]
		if p == nil || v.Home.File == 0 || len(p.index) == 4 || slices.ContainsFunc(p.index, func(i int) bool {
			return results[i].Home.Comp == v.Home.Comp
		}) {
			p = &phi{kind: g.kind}
			open[g] = p
			list = append(list, p)
		}
		p.index = append(p.index, k)
	}
	for _, p := range list {
		slices.SortFunc(p.index, func(a, b int) int { return results[a].Home.Compare(results[b].Home) })
		p.typ = w.e.vector(p.kind, len(p.index))
	}
	return list
}

// isSame makes result k an alias if it is the same on all ways, and is not computed inside.
func (w *writer) isSame(v *ir.Value, k int, incoming [][]*ir.Value) bool {
	var same ir.Lane
	for i, list := range incoming {
		l := w.resolve(ir.Lane{V: list[k]})
		if i > 0 && l != same {
			return false
		}
		same = l
	}
	if !same.V.IsLeaf() && w.holder(same.V, w.kinds.of(same.V)) == nil {
		return false
	}
	w.alias[v] = same
	return true
}

// pick returns the lanes of a phi on one way.
func (w *writer) pick(p *phi, values []*ir.Value) []ir.Lane {
	lanes := make([]ir.Lane, len(p.index))
	for i, k := range p.index {
		lanes[i] = w.resolve(ir.Lane{V: values[k]})
	}
	return lanes
}

// arguments adds the values that phis have on the way from the current block.
func (w *writer) arguments(phis []*phi, values []*ir.Value) {
	for _, p := range phis {
		p.args = append(p.args, uint32(w.form(p.typ, w.pick(p, values))), uint32(w.cur.label))
	}
}

// finish adds phis to the current block, which is new.
func (w *writer) finish(phis []*phi, results []*ir.Value) {
	for _, p := range phis {
		p.id = w.e.fresh()
		w.cur.phis = append(w.cur.phis, spirv.Inst{Op: spirv.OpPhi, Type: p.typ, Result: p.id, Args: p.args})
		w.record("", w.heldPhi(p, results))
	}
}

// heldPhi describes the result of a phi.
func (w *writer) heldPhi(p *phi, results []*ir.Value) *held {
	lanes := make([]ir.Lane, len(p.index))
	for i, k := range p.index {
		lanes[i] = ir.Lane{V: results[k]}
	}
	return &held{id: p.id, typ: p.typ, kind: p.kind, lanes: lanes, block: w.cur}
}

// results appends an instruction that defines the results of a phi at once.
func (w *writer) results(p *phi, values []*ir.Value, op spirv.Op, args []uint32) {
	p.id, _ = w.append(op, p.typ, args...)
	w.record("", w.heldPhi(p, values))
}

// patch gives the phis of a loop header all their operands.
func (w *writer) patch(header *basic, phis []*phi) {
	for i, p := range phis {
		header.phis[i].Args = p.args
	}
}
