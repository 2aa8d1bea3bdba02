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

// beforeStart returns the nodes that cost nothing, because the GPU computes them before it starts a program.
func (t *scalars) beforeStart(s *stage) map[int32]bool {
	switch {
	case !s.pixel:
		return nil
	case t.preloads > 0:
		return s.preloaded(t.preloads)
	case t.prefetches > 0:
		return s.prefetched(t.prefetches)
	}
	return nil
}

// prefetched returns the components that only the first n fetches at interpolated coordinates read. The GPU makes these
// fetches before it starts the program (Mesa 25.0.7, ir3_nir_lower_tex_prefetch.c).
func (s *stage) prefetched(n int) map[int32]bool {
	readers := map[int32]int32{}
	for i := range s.nodes {
		f := &s.nodes[i]
		if !s.live[i] || n == 0 || !s.isPlain(f) || !s.areNeighbours(f.args[0], f.args[1]) {
			continue
		}
		n--
		for _, a := range f.args {
			readers[a.n]++
		}
	}
	nodes := map[int32]bool{}
	for i, count := range readers {
		nodes[i] = count == s.uses[i]
	}
	return nodes
}

// areNeighbours reports whether x and y are components of an interpolated register, y next to x.
func (s *stage) areNeighbours(x, y arg) bool {
	a, b := &s.nodes[x.n], &s.nodes[y.n]
	next := a.reg
	next.Comp++
	return a.kind == input && b.kind == input && s.interpolated(a) && x.mod|y.mod == 0 && b.reg == next
}

// isPlain reports whether f is a fetch from a plain texture at two coordinates, outside of loops.
func (s *stage) isPlain(f *node) bool {
	return f.kind == fetch && f.op == ir.OpFetch && f.res.Dim == ir.Dim2D && len(f.args) == 2 && s.rates[f.rate] == everyTime
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
		if f := &s.nodes[i]; s.live[i] && s.isPlain(f) {
			x := s.nodes[f.args[0].n].reg
			if k, known := at[ir.Reg{File: x.File, Index: x.Index}]; known && s.readsAlone(f, list[k].inputs) {
				list[k].fetch = int32(i)
			}
		}
	}
	return list
}

// readsAlone reports whether a plain fetch reads the first two components of a register, which are all that is read of it,
// and is their only reader.
func (s *stage) readsAlone(f *node, components []int32) bool {
	x, y := f.args[0], f.args[1]
	return s.areNeighbours(x, y) && s.nodes[x.n].reg.Comp == 0 && len(components) == 2 && s.uses[x.n] == 1 && s.uses[y.n] == 1
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
