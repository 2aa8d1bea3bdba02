package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// source identifies the register or instruction that values are components of. A vector instruction
// reads components of one source together. Components of several sources must first be collected in
// one register. A source consists of a kind and an identifier within the kind: a register, a node
// or an instruction.
type source uint64

// chosen marks a source of values chosen by the condition in the remaining bits.
const chosen source = 1 << 55

func kindOf(k kind) source { return source(k) << 56 }

// leafOf returns the source of a leaf: its register without the component.
func leafOf(k kind, r ir.Reg) source { return kindOf(k) | source(r.File)<<16 | source(r.Index) }

// nodeOf returns the source of a node that is not a component of an instruction.
func nodeOf(k kind, i int32) source { return kindOf(k) | 1<<48 | source(i) }

// lanesOf returns the source of a step of an instruction.
func lanesOf(n *node) source { return kindOf(n.kind) | source(n.vector)<<8 | source(n.step) }

func (x source) isLiteral() bool { return x>>56 == source(literal) }

// source returns the source of a node, computed once for all nodes.
func (s *stage) source(i int32) source { return s.sources()[i] }

func (s *stage) sources() []source {
	if s.from == nil {
		s.from = s.memory.sources.Alloc(len(s.nodes))
		for i := range s.nodes {
			s.from[i] = s.graph.source(int32(i))
		}
	}
	return s.from
}

// source returns the source of a node for the current vectors.
func (g *graph) source(i int32) source {
	n := &g.nodes[i]
	switch n.kind {
	case literal:
		return kindOf(literal)
	case uniform, input, unknown:
		return leafOf(n.kind, n.reg)
	case part:
		return nodeOf(fetch, n.args[0].n)
	case dot, joined, carried:
		return nodeOf(n.kind, i)
	case choose: // components that one value decides are chosen together
		if g.nodes[n.args[0].n].kind == call {
			return g.source(n.tested) | chosen
		}
	}
	return lanesOf(n)
}

// vectors lists the vector operands of the program, as lists of components. Each component lists
// the values that it may be: the operands of sums and products have no fixed order.
func (s *stage) vectors() (list [][][]arg) {
	alone := func(args []arg) {
		v := s.lists.Alloc(len(args))
		for k := range args {
			v[k] = args[k : k+1]
		}
		list = append(list, v)
	}
	of := s.numbers() // index in list, by instruction
	for i := range s.nodes {
		n := &s.nodes[i]
		if !s.live[i] || n.kind < add {
			continue
		}
		switch n.kind {
		case part, joined, carried, branch, repeat:
		case dot:
			alone(n.args[:len(n.args)/2])
			alone(n.args[len(n.args)/2:])
		case fetch, kill:
			alone(n.args)
		default:
			k, ok := of[lanesOf(n)]
			if !ok {
				k = int32(len(list))
				of[lanesOf(n)] = k
				list = append(list, s.lists.Alloc(4)[:0])
			}
			list[k] = append(list[k], n.args)
		}
	}
	for from, o := range s.outs {
		if from > 0 && s.outs[from-1].reg.Index == o.reg.Index && s.outs[from-1].reg.File == o.reg.File {
			continue
		}
		var v []arg
		for _, x := range s.outs[from:] {
			if x.reg.File == o.reg.File && x.reg.Index == o.reg.Index {
				v = append(v, x.arg)
			}
		}
		alone(v)
	}
	return list
}

// collected returns which values are read together with components of other sources, so that they
// must be put into one register. For these it returns the target component plus one; 0 for all
// others. strays marks those that are also read elsewhere, or whose instruction has other
// components read elsewhere. Only a whole instruction is computed in place
// (nir_lower_vec_to_regs.c).
func (s *stage) collected() (places []uint8, strays []bool) {
	if s.together != nil {
		return s.together, s.strays
	}
	type first struct {
		from, to int32 // in vectors: the first vector that collects a value, by its content
		reads    int32
	}
	places, strays = zeroed(&s.bytes, len(s.nodes)), zeroed(&s.flags, len(s.nodes))
	sources, firsts := s.sources(), make([]first, len(s.nodes))
	var mixed, vectors []int32
	for _, v := range s.vectors() {
		mixed = mixed[:0]
		from := int32(len(vectors))
		for at, component := range v {
			for _, a := range component {
				if everywhere(sources, sources[a.n], v) {
					continue
				}
				if places[a.n] == 0 {
					places[a.n] = uint8(at&3) + 1
				}
				mixed = append(mixed, a.n)
				vectors = append(vectors, a.n<<2|int32(at&3))
			}
		}
		vector := vectors[from:]
		for _, i := range mixed {
			f := &firsts[i]
			if f.reads == 0 {
				f.from, f.to = from, int32(len(vectors))
			}
			if slices.Equal(vectors[f.from:f.to], vector) {
				f.reads++
			}
		}
	}
	for i, f := range firsts {
		strays[i] = f.reads > 0 && s.nodes[i].kind >= add && f.reads < s.uses[i]
	}
	into := s.numbers() // by instruction: the vector that collects all of it, or -1
	computed := func(i int) bool { k := s.nodes[i].kind; return k >= add && k != part }
	for i := range s.nodes {
		if !s.live[i] || !computed(i) || s.fused[i] {
			continue
		}
		at := int32(-1)
		if firsts[i].reads > 0 {
			at = firsts[i].from
		}
		if other, ok := into[sources[i]]; ok && other != at {
			at = -1
		}
		into[sources[i]] = at
	}
	for i, f := range firsts {
		strays[i] = strays[i] || f.reads > 0 && computed(i) && into[sources[i]] < 0
	}
	s.together, s.strays = places, strays
	return places, strays
}

// everywhere reports whether all components of a vector operand may come from one source.
func everywhere(sources []source, from source, v [][]arg) bool {
	for _, component := range v {
		found := false
		for _, a := range component {
			found = found || sources[a.n] == from
		}
		if !found {
			return false
		}
	}
	return true
}

// numbered returns the comparisons that are not folded into choices. In Mesa's compiler for R300 to
// R520 a choice includes an order comparison with zero. All other comparisons, including that of a
// guarded reciprocal, remain in choices that arithmetic reads directly. A collected choice tests a
// number, which takes one more instruction (r300_nir_lower_bool_to_float_fs, whose
// r300_is_only_used_as_float treats the components of vectors as integers).
func (s *stage) numbered(collected []uint8) []bool {
	out := zeroed(&s.flags, len(s.nodes))
	for i := range s.nodes {
		n := &s.nodes[i]
		if collected[i] == 0 || n.kind != choose || s.isNumber(n) {
			continue
		}
		c := n.args[0].n
		out[c] = out[c] || !s.ordersZero(&s.nodes[c])
	}
	return out
}

// ordersZero reports whether a comparison is an order comparison with zero.
func (s *stage) ordersZero(n *node) bool {
	return n.prim != ir.PrimEQ && n.prim != ir.PrimNE && slices.ContainsFunc(n.args, func(a arg) bool {
		x, ok := s.number(a)
		return ok && x == 0
	})
}
