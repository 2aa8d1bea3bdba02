package draw

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// moveBack moves computations to the vertex program, as Mesa's linker does (nir_opt_varyings.c). A
// computation moves if it is affine in components with equal interpolation, and if nothing else
// reads these components. Its factors and addends must be equal at all vertices. It becomes an
// input. Components with OpenGL names stay. moveBack reports whether anything moved.
func (g *graph) moveBack(s *stage, movable func(*node) bool) (moved bool) {
	const (
		fixed = iota
		same  // equal at all vertices
		affine
	)
	kind, from := zeroed(&g.bytes, len(g.nodes)), zeroed(&g.flags, len(g.nodes)) // from: depends on inputs
	for i := range g.nodes {
		n := &g.nodes[i]
		switch n.kind {
		case literal, uniform:
			kind[i] = same
		case input:
			if from[i] = movable(n); from[i] {
				if kind[i] = affine; n.bits != varies {
					kind[i] = same
				}
			}
		case add, mul, call, choose:
			least, most := uint8(affine), uint8(fixed)
			for _, a := range n.args {
				least, most = min(least, kind[a.n]), max(most, kind[a.n])
				from[i] = from[i] || from[a.n]
			}
			switch {
			case least == fixed:
			case most == same:
				kind[i] = same
			case n.kind == add || n.kind == mul && least == same:
				if !slices.ContainsFunc(n.args, func(a arg) bool { return kind[a.n] == affine && a.mod&ir.Abs != 0 }) {
					kind[i] = affine
				}
			}
		}
	}
	done := zeroed(&g.flags, len(g.nodes))
	uses := zeroed(&g.ints, len(g.nodes))
	for i := len(g.nodes) - 1; i >= 0; i-- {
		g.budget.Poll()
		n := &g.nodes[i]
		if !s.live[i] || done[i] || n.kind < add || kind[i] == fixed || !from[i] || g.condition(n) {
			continue
		}
		tree := g.inputTree(int32(i), from)
		inside := len(tree) <= mostMoved
		for _, k := range tree {
			for _, a := range g.nodes[k].args {
				if from[a.n] {
					uses[a.n]++
				}
			}
		}
		for _, k := range tree[1:] {
			inside = inside && uses[k] == s.uses[k]
		}
		for _, k := range tree {
			uses[k] = 0
		}
		if !inside {
			continue
		}
		for _, k := range tree {
			done[k] = true
		}
		first := g.nodes[tree[len(tree)-1]].reg
		bits := uint32(varies)
		if kind[i] == same {
			bits = flat
		}
		*n = node{kind: input, bits: bits, reg: ir.Reg{File: first.File, Index: firstMoved + uint16(i)}, rate: n.rate,
			vector: n.vector, lane: n.lane, step: n.step, width: n.width, block: n.block}
		moved = true
	}
	return moved
}

// firstMoved is the first register of inputs that programs do not use.
const firstMoved = 1 << 12

// mostMoved bounds the nodes that move together, so that the time is not quadratic in long
// programs.
const mostMoved = 64

// condition reports whether a node is a condition rather than a number.
func (g *graph) condition(n *node) bool { return n.kind == call && isComparison(n.prim) }

// inputTree lists node i and the input-dependent nodes that it is computed from, inputs last. It stops
// once there are too many.
func (g *graph) inputTree(i int32, from []bool) []int32 {
	tree := []int32{i}
	for k := 0; k < len(tree) && len(tree) <= mostMoved; k++ {
		for _, a := range g.nodes[tree[k]].args {
			if from[a.n] && !slices.Contains(tree, a.n) {
				tree = append(tree, a.n)
			}
		}
	}
	slices.SortStableFunc(tree, func(a, b int32) int { return cmp.Compare(b, a) })
	return tree
}

// compact renumbers the registers of inputs without a fixed name. Those that are equal at all
// vertices come last.
func (g *graph) compact(live []bool, movable func(*node) bool) {
	var list []int32
	for i := range g.nodes {
		if n := &g.nodes[i]; n.kind == input && live[i] && movable(n) {
			list = append(list, int32(i))
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int {
		x, y := &g.nodes[a], &g.nodes[b]
		return cmp.Or(cmp.Compare(min(x.bits, 1), min(y.bits, 1)), cmp.Compare(x.reg.Index, y.reg.Index),
			cmp.Compare(x.reg.Comp, y.reg.Comp))
	})
	for k, i := range list {
		r := &g.nodes[i].reg
		r.Index, r.Comp = firstMoved+uint16(k/4), uint8(k&3)
	}
}
