package vectorize

import (
	"slices"

	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
)

// packGraph is the code of a region with its dependences. It is quadratic in memory, in bits: all[i] is the set
// of transitive dependences of instruction i. Therefore the length of the code is bounded.
type packGraph struct {
	code []*ir.Instr
	some []bool              // by instruction: whether it could be in a pack
	at   map[*ir.Instr]int32 // the index of each instruction, also for nested ones
	deps [][]int32           // by instruction: direct dependences
	all  []container.Bits    // transitive dependences
	in   []int32             // by instruction: its pack, or -1
	// packs list the instructions that become one; number i computes component i.
	packs   [][]int32
	swapped []bool  // by instruction: the first two operands are swapped
	order   []int32 // the code order, with each pack adjacent
}

// newGraph computes the dependences of r. They follow from values, except for effects, memory and address
// registers.
func newGraph(r *ir.Region) *packGraph {
	n := len(r.Code)
	g := &packGraph{code: r.Code, some: make([]bool, n), swapped: make([]bool, n), at: make(map[*ir.Instr]int32, n),
		deps: make([][]int32, n), all: make([]container.Bits, n), in: slices.Repeat([]int32{-1}, n)}
	last := int32(-1) // the last instruction that keeps its order
	for i, in := range r.Code {
		i := int32(i)
		g.at[in], g.some[i] = i, packable(in)
		bound := keepsOrder(in.Op)
		need := func(l *ir.Lane) {
			if d := l.V.Def; d != nil {
				bound = bound || d.Op == ir.OpLoad || d.Op.Has(ir.Special) // there is one address register
				if k, ok := g.at[d]; ok && k != i && !slices.Contains(g.deps[i], k) {
					g.deps[i] = append(g.deps[i], k)
				}
			}
		}
		in.EachUse(need)
		for _, sub := range in.Sub {
			sub.Walk(func(inner *ir.Instr) { g.at[inner] = i })
			sub.Walk(func(inner *ir.Instr) { inner.EachUse(need) })
		}
		if bound {
			if last >= 0 {
				g.deps[i] = append(g.deps[i], last)
			}
			last = i
		}
		g.all[i] = container.NewBits(n)
		for _, d := range g.deps[i] {
			g.all[i].Insert(d)
			g.all[i].Union(g.all[d])
		}
	}
	return g
}

// keepsOrder reports whether op keeps its order among other such ops.
func keepsOrder(op ir.Op) bool {
	return op.Has(ir.Effect) || op.Has(ir.Structured) || op.Has(ir.Memory) || op.Has(ir.Special) || op.Has(ir.Convergent)
}

// packOrder returns a code order in which the members of each pack are adjacent, each pack at its first reader, or
// nil if there is none. It is a depth-first topological sort in which a pack is one node. Reaching an open
// node again is a cycle: two packs each of which needs a member of the other.
func (g *packGraph) packOrder() []int32 {
	const (
		open = 1
		done = 2
	)
	state := make([]uint8, len(g.deps))
	order := make([]int32, 0, len(g.deps))
	var visit func(i int32) bool
	visit = func(i int32) bool {
		switch state[i] {
		case open:
			return false
		case done:
			return true
		}
		members := []int32{i}
		if g.in[i] >= 0 {
			members = g.packs[g.in[i]]
		}
		for _, m := range members {
			state[m] = open
		}
		for _, m := range members {
			for _, d := range g.deps[m] {
				if !visit(d) {
					return false
				}
			}
		}
		for _, m := range members {
			state[m] = done
		}
		order = append(order, members...)
		return true
	}
	for i := range g.deps {
		i := int32(i)
		if p := g.in[i]; p >= 0 && i != slices.Max(g.packs[p]) {
			continue
		}
		if !visit(i) {
			return nil
		}
	}
	return order
}

// alike lists instruction i and earlier independent instructions with the same operation, nearest first, up
// to four. With close, their operands are also computed alike, so that the chain above can be packed.
func (g *packGraph) alike(i int32, close bool) []int32 {
	if !g.some[i] {
		return nil
	}
	list := make([]int32, 1, 4)
	list[0] = i
	for k := i - 1; k >= 0 && len(list) < 4; k-- {
		if g.sameOperation(i, k) && (!close || g.close(i, k)) && g.independent(list, k) {
			list = append(list, k)
		}
	}
	slices.Reverse(list)
	return list
}

// independent reports whether k can be computed together with list.
func (g *packGraph) independent(list []int32, k int32) bool {
	for _, i := range list {
		if i == k || g.all[i].Has(k) || g.all[k].Has(i) {
			return false
		}
	}
	return true
}

// sameOperation reports whether instructions i and k apply the same operation to single components.
func (g *packGraph) sameOperation(i, k int32) bool {
	a, b := g.code[i], g.code[k]
	if !g.some[i] || !g.some[k] || a.Op != b.Op || a.Mods != b.Mods || a.Cond != b.Cond || a.Imm != b.Imm {
		return false
	}
	mod := func(in *ir.Instr, s int) ir.LaneMod { return singleLane(&in.Src[s]).Mod }
	crossed := a.Op.Has(ir.Commutes) && mod(a, 0) == mod(b, 1) && mod(a, 1) == mod(b, 0)
	for s := range a.Src {
		if mod(a, s) != mod(b, s) && !(crossed && s < 2) {
			return false
		}
	}
	return true
}

// close reports whether instructions i and k, with the same operation, read results of the same operations.
func (g *packGraph) close(i, k int32) bool {
	by := func(in *ir.Instr, s int) (ir.Kind, ir.Op) {
		v := singleLane(&in.Src[s]).V
		switch {
		case v == nil:
			return 0, 0
		case v.Def == nil:
			return v.Kind, 0
		}
		return v.Kind, v.Def.Op
	}
	alike := func(s, t int) bool {
		ak, ao := by(g.code[i], s)
		bk, bo := by(g.code[k], t)
		return ak == bk && ao == bo
	}
	crossed := g.code[i].Op.Has(ir.Commutes) && alike(0, 1) && alike(1, 0)
	for s := range g.code[i].Src {
		if !alike(s, s) && !(crossed && s < 2) {
			return false
		}
	}
	return true
}

// singleLane returns the one lane of an operand of a single-component instruction.
func singleLane(o *ir.Operand) ir.Lane {
	for _, l := range o {
		if l.V != nil {
			return l
		}
	}
	return ir.Lane{}
}
