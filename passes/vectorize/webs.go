package vectorize

import (
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
)

// webs is a partition of the temporaries into future registers: values of one web are expected in one
// register, at their current components. Values of one component take turns. It is a union-find with rings
// (Tarjan, "Efficiency of a Good But Not Linear Set Union Algorithm", JACM 22(2), 1975): parent finds the
// web, next walks through its values.
type webs struct {
	parent []int32
	next   []int32  // the values of a web in a ring
	lanes  []uint8  // of a root: components in use
	pin    []ir.Reg // of a root: the required register, zero for any
	// of a root: the web holds only the results of one instruction, which may permute it alone
	solo []bool
}

// buildWebs rebuilds w for f: each value is a web, then the results of each instruction are united, then the lanes
// that each operand reads.
func (w *webs) buildWebs(f *ir.Func) {
	n := f.NumValues()
	*w = webs{parent: container.Zeros(w.parent, n), next: container.Zeros(w.next, n), lanes: container.Zeros(w.lanes, n),
		pin: container.Zeros(w.pin, n), solo: container.Zeros(w.solo, n)}
	for i := range w.parent {
		w.parent[i], w.next[i] = int32(i), int32(i)
	}
	w.pins(f)
	f.Walk(w.instr)
	f.Walk(w.operands)
}

// pins marks values with a required register: outputs, block arguments and pass-through values, which would
// otherwise cost a mov.
func (w *webs) pins(f *ir.Func) {
	// The first required register counts.
	pin := func(v *ir.Value, to ir.Reg) {
		if v != nil && w.pin[v.ID] == (ir.Reg{}) {
			w.pin[v.ID] = register(to)
		}
	}
	for _, o := range f.Outs {
		pin(o.V, o.Reg)
	}
	// The enclosing loops, for breaks.
	var loops []*ir.Instr
	var visit func(r *ir.Region)
	visit = func(r *ir.Region) {
		for _, p := range r.Params {
			w.lanes[p.ID] = 1 << p.Home.Comp
			pin(p, p.Home)
		}
		for _, in := range r.Code {
			for i, k := range in.Keep {
				if in.Out[i] != nil && k != nil {
					pin(in.Out[i], in.Out[i].Home)
					pin(k, in.Out[i].Home)
				}
			}
			for i, v := range in.Results {
				w.lanes[v.ID] = 1 << v.Home.Comp
				pin(v, v.Home)
				for _, sub := range in.Sub {
					pin(sub.Results[i], v.Home)
				}
			}
			switch in.Op {
			case ir.OpLoop:
				for i, v := range in.Args {
					pin(v, in.Sub[0].Params[i].Home)
				}
				loops = append(loops, in)
			case ir.OpBreak:
				for i, v := range in.Args {
					pin(v, loops[len(loops)-1].Results[i].Home)
				}
			}
			for _, sub := range in.Sub {
				visit(sub)
			}
			if in.Op == ir.OpLoop {
				loops = loops[:len(loops)-1]
			}
		}
	}
	visit(f.Body)
}

// instr unites the lanes of in.
func (w *webs) instr(in *ir.Instr) {
	first := int32(-1)
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		w.lanes[v.ID] = 1 << i
		if first < 0 {
			first = int32(v.ID)
			w.solo[first] = true
			continue
		}
		solo := w.solo[first] && w.pin[first] == w.pin[v.ID]
		w.union(first, int32(v.ID))
		w.solo[w.rep(first)] = solo
	}
	if first >= 0 && in.Op.Has(ir.IsFetch) {
		w.lanes[w.rep(first)] = 0xf // some models sample whole registers
	}
}

// operands unites the lanes that operands of in read together, as emission will.
func (w *webs) operands(in *ir.Instr) {
	for s := range in.Src {
		var read [4]*ir.Value // by component
		first := int32(-1)
		for _, l := range in.Src[s] {
			if l.V == nil || !isTemp(l.V) {
				continue
			}
			c := l.V.ReadComponent()
			if read[c] != nil && read[c] != l.V {
				continue // cannot share a register at their present components
			}
			read[c] = l.V
			if first < 0 {
				first = int32(l.V.ID)
			} else if a, b := w.rep(first), w.rep(int32(l.V.ID)); w.pin[a] == w.pin[b] || w.pin[a] == (ir.Reg{}) ||
				w.pin[b] == (ir.Reg{}) {
				w.union(a, b)
			}
		}
	}
}

// isTemp reports whether v is read from a temporary register: it is neither a leaf nor an element of an
// array.
func isTemp(v *ir.Value) bool {
	return !v.IsLeaf() && !v.IsLoaded()
}

// rep returns the representative of the web of v. It halves paths on the way, so that later walks are short.
func (w *webs) rep(v int32) int32 {
	for w.parent[v] != v {
		w.parent[v] = w.parent[w.parent[v]]
		v = w.parent[v]
	}
	return v
}

// valueWeb returns the web of v.
func (w *webs) valueWeb(v *ir.Value) int32 { return w.rep(int32(v.ID)) }

// union merges the webs of a and b. The result belongs to more than one instruction.
func (w *webs) union(a, b int32) {
	a, b = w.rep(a), w.rep(b)
	if a == b {
		return
	}
	w.parent[b] = a
	// Swapping the successors of one element each makes one ring of two.
	w.next[a], w.next[b] = w.next[b], w.next[a]
	w.lanes[a] |= w.lanes[b]
	w.solo[a] = false
	if w.pin[a] == (ir.Reg{}) {
		w.pin[a] = w.pin[b]
	}
}
