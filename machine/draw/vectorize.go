package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// vectorize combines operations that compute the same with components of the same values, or with
// literals, into one instruction, as nir_opt_vectorize of Mesa does. It changes vector, step and
// lane of nodes. It ignores operations that read absolute values: for that pass an absolute value
// is an instruction, which it finds equal only in small programs.
func (g *graph) vectorize() {
	g.scalarChoices()
	type group struct {
		step  uint8
		kind  kind
		prim  ir.Prim
		lanes []int32
	}
	var groups []group
	for i := 0; i < len(g.nodes); { // the nodes of an instruction are consecutive
		first, vector := len(groups), g.nodes[i].vector
		for ; i < len(g.nodes) && g.nodes[i].vector == vector; i++ {
			n := &g.nodes[i]
			switch n.kind {
			case add, mul, call, choose:
				k := slices.IndexFunc(groups[first:],
					func(x group) bool { return x.step == n.step && x.kind == n.kind && x.prim == n.prim })
				if k < 0 {
					k = len(groups) - first
					groups = append(groups, group{n.step, n.kind, n.prim, g.ints.Alloc(4)[:0]})
				}
				groups[first+k].lanes = append(groups[first+k].lanes, int32(i))
			}
		}
	}
	known := g.similar
	clear(known)
	for _, x := range groups {
		g.budget.Poll()
		key, ok := g.alike(x.lanes)
		if !ok {
			continue
		}
		with := known[key]
		if len(with) == 0 || len(with)+len(x.lanes) > 4 {
			known[key] = x.lanes
			continue
		}
		first := &g.nodes[with[0]]
		for j, i := range with {
			g.nodes[i].lane = int32(j)
		}
		for j, i := range x.lanes {
			n := &g.nodes[i]
			n.vector, n.step, n.lane = first.vector, first.step, int32(len(with)+j)
		}
		known[key] = slices.Concat(with, x.lanes)
	}
}

// scalarChoices separates choices with different condition components into different instructions,
// since conditions in the drivers' source language are scalar.
func (g *graph) scalarChoices() {
	type choice struct {
		vector, condition int32
		step              uint8
	}
	vectors := map[choice]int32{}
	for i := range g.nodes {
		n := &g.nodes[i]
		if n.kind != choose {
			continue
		}
		k := choice{n.vector, n.args[0].n, n.step}
		if vectors[k] == 0 {
			g.vector++
			g.instrs = append(g.instrs, g.instrs[n.vector])
			vectors[k] = g.vector
		}
		n.vector = vectors[k]
	}
}

// alike is the key of operations that can be lanes of one instruction: the operation, its block,
// and the sources of its operands.
type alike struct {
	kind  kind
	prim  ir.Prim
	block int32
	reads [3]signed
}

// signed is a value whose components are read, with their signs.
type signed struct {
	source
	mod ir.LaneMod
}

// alike returns the key of the lanes of an instruction, if each operand reads one source in all of
// them.
func (g *graph) alike(lanes []int32) (key alike, ok bool) {
	for j, i := range lanes {
		n := &g.nodes[i]
		k := alike{kind: n.kind, prim: n.prim, block: n.block}
		for p, a := range n.args {
			if a.mod&ir.Abs != 0 {
				return key, false
			}
			k.reads[p] = signed{g.source(a.n), a.mod}
			if k.reads[p].isLiteral() {
				k.reads[p].mod = 0
			}
		}
		if n.kind == add || n.kind == mul {
			if x, y := k.reads[0], k.reads[1]; y.source < x.source || y.source == x.source && y.mod < x.mod {
				k.reads[0], k.reads[1] = y, x // in a canonical order, since they commute
			}
		}
		if j == 0 {
			key = k
		}
		if k != key {
			return key, false
		}
	}
	return key, true
}
