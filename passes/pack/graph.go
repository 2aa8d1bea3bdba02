package pack

import (
	"slices"

	"github.com/shaderlift/shaderlift/internal/bitset"
	"github.com/shaderlift/shaderlift/ir"
)

// graph is the code of a region, and what depends on what in it. It is quadratic in
// memory, in bits: all[i] is the set of all that instruction i depends on; hence the
// bound on the code that is looked at.
type graph struct {
	code []*ir.Instr
	some []bool              // of each instruction, whether it could be one of a pack
	at   map[*ir.Instr]int32 // the index of each instruction, and of those within it
	deps [][]int32           // of each instruction, what it depends on at once
	all  []bitset.Set        // and in the end
	in   []int32             // the pack that each instruction is in, -1 for none
	// packs list the instructions that become one, that which computes component i as number i.
	packs   [][]int32
	swapped []bool  // of each instruction, whether its first two operands change places
	order   []int32 // the code with each pack together
}

// newGraph finds the dependences of r. Values give them all, but for instructions whose
// order is not told by values: effects, memory, address registers.
func newGraph(r *ir.Region) *graph {
	n := len(r.Code)
	g := &graph{code: r.Code, some: make([]bool, n), swapped: make([]bool, n), at: make(map[*ir.Instr]int32, n), deps: make([][]int32, n), all: make([]bitset.Set, n), in: slices.Repeat([]int32{-1}, n)}
	last := int32(-1) // of those that keep their order
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
		g.all[i] = bitset.New(n)
		for _, d := range g.deps[i] {
			g.all[i].Insert(d)
			g.all[i].Union(g.all[d])
		}
	}
	return g
}

// keepsOrder reports whether op stays where it is among others of which that is true.
func keepsOrder(op ir.Op) bool {
	return op.Has(ir.Effect) || op.Has(ir.Structured) || op.Has(ir.Memory) || op.Has(ir.Special) || op.Has(ir.Convergent)
}

// sort is an order of the code in which what is packed stands together, each pack where
// the first of its readers needs it, or nil if there is no such order: a depth-first
// topological sort in which a pack is one node. Coming to an open node again is a
// cycle: two packs each of which needs a member of the other.
func (g *graph) sort() []int32 {
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

// alike lists instruction i and those before it that do the same, the nearest first, of
// which none depends on another: as many as there are components. Close ones have
// operands alike too, so that the chain above can be packed as well.
func (g *graph) alike(i int32, close bool) []int32 {
	if !g.some[i] {
		return nil
	}
	list := make([]int32, 1, 4)
	list[0] = i
	for k := i - 1; k >= 0 && len(list) < 4; k-- {
		if g.same(i, k) && (!close || g.close(i, k)) && g.independent(list, k) {
			list = append(list, k)
		}
	}
	slices.Reverse(list)
	return list
}

// independent reports whether k can be computed together with list.
func (g *graph) independent(list []int32, k int32) bool {
	for _, i := range list {
		if i == k || g.all[i].Has(k) || g.all[k].Has(i) {
			return false
		}
	}
	return true
}

// same reports whether instructions i and k do the same to single components.
func (g *graph) same(i, k int32) bool {
	a, b := g.code[i], g.code[k]
	if !g.some[i] || !g.some[k] || a.Op != b.Op || a.Mods != b.Mods || a.Cond != b.Cond || a.Imm != b.Imm {
		return false
	}
	mod := func(in *ir.Instr, s int) ir.LaneMod { return only(&in.Src[s]).Mod }
	crossed := a.Op.Has(ir.Commutes) && mod(a, 0) == mod(b, 1) && mod(a, 1) == mod(b, 0)
	for s := range a.Src {
		if mod(a, s) != mod(b, s) && !(crossed && s < 2) {
			return false
		}
	}
	return true
}

// close reports whether instructions i and k, which do the same, read what is computed by the
// same operations.
func (g *graph) close(i, k int32) bool {
	by := func(in *ir.Instr, s int) (ir.Kind, ir.Op) {
		v := only(&in.Src[s]).V
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

// only is the one lane that an operand of an instruction for single components has.
func only(o *ir.Operand) ir.Lane {
	for _, l := range o {
		if l.V != nil {
			return l
		}
	}
	return ir.Lane{}
}
