package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// message is a read of an interpolated register, with all components that the program reads.
type message struct {
	inputs []int32
	fetch  int32 // the fetch at these components if nothing else reads them, or -1
}

// preloaded returns the nodes of the messages that the GPU sends before it starts the program: the first n reads of
// interpolated registers. If only a fetch reads a register, it is part of the message. But linkers of OpenGL join
// registers that are not full, so only one of these can have such a fetch. The source is Mesa 25.0.7
// (bi_opt_message_preload.c, and bi_is_var_tex in bi_opt_mod_props.c); its cycles leave the messages out.
func (s *stage) preloaded(n int) map[int32]bool {
	list := s.messages()
	partial := 0
	for _, m := range list {
		if len(m.inputs) < 4 {
			partial++
		}
	}
	nodes := map[int32]bool{}
	for _, m := range list[:min(n, len(list))] {
		for _, i := range m.inputs {
			nodes[i] = true
		}
		if m.fetch >= 0 && partial == 1 {
			nodes[m.fetch] = true
		}
	}
	return nodes
}

// messages lists the reads of interpolated registers in the order in which results need them.
func (s *stage) messages() (list []message) {
	at := map[ir.Reg]int{}
	s.eachNeeded(func(i int32) {
		m := &s.nodes[i]
		if m.kind != input || !s.interpolated(m) {
			return
		}
		reg := ir.Reg{File: m.reg.File, Index: m.reg.Index}
		k, known := at[reg]
		if !known {
			k = len(list)
			at[reg], list = k, append(list, message{fetch: -1})
		}
		list[k].inputs = append(list[k].inputs, i)
	})
	for i := range s.nodes {
		if f := &s.nodes[i]; s.live[i] && f.kind == fetch && len(f.args) == 2 {
			x := s.nodes[f.args[0].n].reg
			if k, known := at[ir.Reg{File: x.File, Index: x.Index}]; known && s.readsAlone(f, list[k].inputs) {
				list[k].fetch = int32(i)
			}
		}
	}
	return list
}

// readsAlone reports whether f, a fetch at two components, is one from a plain texture outside of loops, and their only
// reader.
func (s *stage) readsAlone(f *node, components []int32) bool {
	return f.op == ir.OpFetch && f.res.Dim == ir.Dim2D && s.rates[f.rate] == everyTime && len(components) == 2 &&
		!slices.ContainsFunc(f.args, func(a arg) bool {
			return a.mod != 0 || s.uses[a.n] != 1 || !slices.Contains(components, a.n)
		}) && s.nodes[f.args[0].n].reg.Comp == 0 && s.nodes[f.args[1].n].reg.Comp == 1
}

// eachNeeded visits the live nodes, operands in order. The order of their numbers also depends on dead code.
func (s *stage) eachNeeded(visit func(int32)) {
	seen := zeroed(&s.flags, len(s.nodes))
	var work []int32
	for _, o := range slices.Backward(s.outs) {
		work = append(work, o.arg.n)
	}
	for _, i := range slices.Backward(s.effects) {
		work = append(work, i)
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		if work = work[:len(work)-1]; seen[i] {
			continue
		}
		seen[i] = true
		visit(i)
		for _, a := range slices.Backward(s.nodes[i].inputs()) {
			work = append(work, a.n)
		}
	}
}
