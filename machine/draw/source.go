package draw

import (
	"encoding/binary"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// source identifies the register or instruction that values are components of. Components of one
// source are read together by a vector instruction; those of several have to be collected in one
// register first.
type source struct {
	kind         kind
	chosen       bool   // by the rest
	reg          ir.Reg // of leaves, less the component
	node         int32  // of what is no component of an instruction
	vector, step int32  // the instruction of others
}

func (s *stage) source(i int32) source {
	n := &s.nodes[i]
	switch n.kind {
	case literal:
		return source{kind: literal}
	case uniform, input, unknown:
		return source{kind: n.kind, reg: ir.Reg{File: n.reg.File, Index: n.reg.Index}}
	case part:
		return source{kind: fetch, node: n.args[0].n}
	case dot, joined, carried:
		return source{kind: n.kind, node: i}
	case choose: // what components of one value decide is chosen together
		if c := &s.nodes[n.args[0].n]; c.kind == call {
			x := s.source(c.args[0].n)
			x.chosen = true
			return x
		}
	}
	return source{kind: n.kind, vector: n.vector, step: int32(n.step)}
}

// vectors lists the vector operands of the program, as lists of components; for each component, the
// values that may be it. The operands of sums and products are in no fixed order, so that either
// may be.
func (s *stage) vectors() (list [][][]arg) {
	alone := func(args []arg) {
		v := s.lists.Take(len(args))
		for k := range args {
			v[k] = args[k : k+1]
		}
		list = append(list, v)
	}
	of := map[source]int{}
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
			in := source{kind: n.kind, vector: n.vector, step: int32(n.step)}
			k, ok := of[in]
			if !ok {
				k = len(list)
				of[in] = k
				list = append(list, s.lists.Take(4)[:0])
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

// collected marks values that are read together with components of other sources, and so have to be
// put into one register with them: by the component they get there plus one; 0 for all others.
// Of those strays are read elsewhere as well.
func (s *stage) collected() (places []uint8, strays []bool) {
	if s.together != nil {
		return s.together, s.strays
	}
	type first struct {
		vector string // that a value is put together in, by what is
		reads  int32
	}
	places, strays = zeroed(&s.bytes, len(s.nodes)), zeroed(&s.flags, len(s.nodes))
	firsts := map[int32]first{}
	var mixed []int32
	var vector []byte
	for _, v := range s.vectors() {
		mixed, vector = mixed[:0], vector[:0]
		for at, component := range v {
			for _, a := range component {
				from := s.source(a.n)
				same := func(b arg) bool { return s.source(b.n) == from }
				if !slices.ContainsFunc(v, func(other []arg) bool { return !slices.ContainsFunc(other, same) }) {
					continue
				}
				if places[a.n] == 0 {
					places[a.n] = uint8(at&3) + 1
				}
				mixed = append(mixed, a.n)
				vector = binary.LittleEndian.AppendUint32(vector, uint32(a.n)<<2|uint32(at&3))
			}
		}
		for _, i := range mixed {
			f, known := firsts[i]
			if !known {
				f.vector = string(vector)
			}
			if f.vector == string(vector) {
				f.reads++
			}
			firsts[i] = f
		}
	}
	for i, f := range firsts {
		strays[i] = s.nodes[i].kind >= add && f.reads < s.uses[i]
	}
	s.together, s.strays = places, strays
	return places, strays
}

// numbered are the comparisons that choices do not make themselves. Mesa's compiler for R300 to R520 has every choice compare with zero by order. All other
// comparisons, that of a guarded reciprocal among them, it leaves to choices that arithmetic
// reads as they are. One that is collected asks a number, which one more instruction makes
// (r300_nir_lower_bool_to_float_fs, whose r300_is_only_used_as_float takes what vectors are
// made of for integers).
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

// ordersZero reports whether a comparison is one with zero by order.
func (s *stage) ordersZero(n *node) bool {
	return n.prim != ir.PrimEQ && n.prim != ir.PrimNE && slices.ContainsFunc(n.args, func(a arg) bool {
		x, ok := s.number(a)
		return ok && x == 0
	})
}
