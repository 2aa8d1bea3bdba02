package vsps

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// maxNodesVisited is how many statements a search may try to place. Programs have at most
// sixteen statements and most fit in their first order; it bounds the rest.
const maxNodesVisited = 6000

// fixedSearch finds an order, pairs and registers for the statements of a program of
// ps_1_x: depth first, with what saves slots tried first (branch and bound on the slots
// that are left). List scheduling would not do: two registers up to ps_1_3, and pairs
// that have to write colour and alpha apart, leave few orders, and a greedy one often
// ends without a register.
type fixedSearch struct {
	*fixedEmitter
	// left is how many more calls of step the search may make.
	left int
	// best is the cheapest body found so far, nil before the first.
	best []d3d9.Inst
	// slots is the cost of best, in arithmetic slots.
	slots int
	// least is a lower bound of the cost of any body: the search stops when best reaches it.
	least int
	// order lists by phase the texture instructions that stay, as indices into the input.
	order [2][]int
}

// machineState is what registers hold at a point of the program: for each component of r# and t#
// the value that it holds, nil if that is unknown or undefined. The search copies it at each
// branch, so nothing has to be undone on the way back; body is the only part that is shared, and
// whoever appends to it clones it first.
type machineState struct {
	temps, tex [6][4]*ir.Value
	// done is the set of placed nodes, by fixedNode.index.
	done uint32
	// slots is what the arithmetic statements placed so far cost, a pair counting once.
	slots int
	// phase is 0 before the phase marker of ps_1_4 and 1 behind it, and in programs without one.
	phase int
	// body is what has been written, texture instructions and arithmetic.
	body []d3d9.Inst
}

// cells is the content of register r, r# or t#.
func (s *machineState) cells(r d3d9.Reg) *[4]*ir.Value {
	if r.File == d3d9.Texture {
		return &s.tex[r.Index]
	}
	return &s.temps[r.Index]
}

// search places all statements.
//
// Its bound assumes that every node that writes alpha alone is paired with one that writes colour
// alone. A complete body of that cost cannot be beaten, and ends the search.
func (x *fixedEmitter) search() ([]d3d9.Inst, error) {
	s := &fixedSearch{fixedEmitter: x, left: maxNodesVisited}
	phase := 1
	border := slices.IndexFunc(x.orig.Insts, func(in d3d9.Inst) bool { return in.Op == d3d9.OpPhase })
	if border >= 0 {
		phase = 0
	}
	for i := range x.orig.Insts {
		if x.alive[i] {
			p := 1
			if i < border {
				p = 0
			}
			s.order[p] = append(s.order[p], i)
		}
	}
	st := machineState{phase: phase}
	s.least = s.rest(&st)
	if s.enter(&st) {
		s.step(&st)
	}
	if s.best == nil {
		return nil, errFixed
	}
	return s.best, nil
}

// enter executes the texture instructions that a phase begins with; in every model
// those stand before arithmetic. bem and texdepth are counted with them but come at the
// end of their phase.
func (s *fixedSearch) enter(st *machineState) bool {
	for _, i := range s.order[st.phase] {
		in := &s.orig.Insts[i]
		// texdepth and bem need the results of arithmetic; leave places them at the end of their
		// phase.
		if in.Op == d3d9.OpTexDepth || in.Op == d3d9.OpBem {
			continue
		}
		if !s.anchor(st, i) {
			return false
		}
	}
	return true
}

// anchor executes texture instruction i, if it finds what it reads. What it leaves in
// its register is known by now.
func (s *fixedSearch) anchor(st *machineState, i int) bool {
	in := &s.orig.Insts[i]
	one := *in
	// texkill and texdepth name their operand as destination. In ps_1_1 to ps_1_3 it is a t# that
	// the instructions before have filled; in ps_1_4 it may be an r#, which must hold what was
	// there in the input.
	for k, o := range s.reads(i) {
		if in.Op == d3d9.OpTexKill || in.Op == d3d9.OpTexDepth {
			if in.Dst.File == d3d9.Temp && !holds(st.cells(in.Dst.Reg), o.lane, d3d9.Identity) {
				return false
			}
			continue
		}
		if k < int(in.NSrc) && !s.readAnchored(st, &one.Src[k], o) {
			return false
		}
	}
	if !one.Same(in) {
		one.Text, one.Raw = "", nil
	}
	st.body = append(st.body, one)
	if in.Op == d3d9.OpTexKill {
		return true
	}
	cells := st.cells(in.Dst.Reg)
	// These leave nothing that may be read.
	switch in.Op {
	case d3d9.OpTexM3x2pad, d3d9.OpTexM3x3pad, d3d9.OpTexDepth, d3d9.OpTexM3x2depth:
		*cells = [4]*ir.Value{}
		return true
	}
	// A texture instruction keeps its destination: only arithmetic moves between registers.
	for c := range 4 {
		if in.Dst.Mask.Has(c) {
			cells[c] = s.made[i][c]
		}
	}
	return true
}

// readAnchored finds the register that a texture instruction of ps_1_4 reads, that of
// the input first.
func (s *fixedSearch) readAnchored(st *machineState, src *d3d9.Src, o fixedOperand) bool {
	if src.File != d3d9.Temp {
		return true
	}
	for r := range uint16(6) {
		// Coordinates in a temporary (texld r1, r0 of the second phase) may have been placed
		// elsewhere; the instruction then names the register that they are in.
		k := (src.Index + r) % 6
		if holds(&st.temps[k], o.lane, d3d9.Identity) {
			src.Index = k
			return true
		}
	}
	return false
}

// holds reports whether a register has values where a swizzle reads them.
func holds(cells *[4]*ir.Value, lanes [4]*ir.Value, swz d3d9.Swizzle) bool {
	for c, v := range lanes {
		if v == nil {
			continue
		}
		// Literals with the same bits are one number, whichever instruction of texm3x3 and kin left
		// them.
		w := cells[swz.At(c)]
		if w == nil || w != v && !(v.Kind == ir.Literal && w.Kind == ir.Literal && v.Bits == w.Bits) {
			return false
		}
	}
	return true
}

// step places one statement, or two together, in every way, and goes on from there. It
// gives up after maxNodesVisited statements, or where the best there is cannot be beaten any
// more.
func (s *fixedSearch) step(st *machineState) {
	// Branch and bound: the cost of the body so far and of what is left at least is compared with
	// the best.
	if s.left--; s.left < 0 || s.best != nil && (st.slots+s.rest(st) >= s.slots || s.slots <= s.least) {
		return
	}
	var ready []*fixedNode
	for _, n := range s.nodes {
		if n.phase == st.phase && st.done>>n.index&1 == 0 && n.deps&^st.done == 0 {
			ready = append(ready, n)
		}
	}
	if len(ready) == 0 {
		s.leave(st)
		return
	}
	// A value that was overwritten while a node still reads it cannot come back: give the branch
	// up now, not when the reader becomes ready.
	if !s.operandsAvailable(st) {
		return
	}
	// Colour first, alone and with each node of alpha beside it. A node of alpha may also be placed
	// alone: its n has a partner m only where n writes no alpha.
	for _, n := range ready {
		for _, m := range ready {
			if m != n && n.need != d3d9.MaskW && m.need == d3d9.MaskW {
				s.place(st, n, m)
			}
		}
		s.place(st, n, nil)
	}
}

// rest is how many slots at least what is left to place takes. Pairs share a slot: one node that
// writes colour alone and one that writes alpha alone. A node that writes both fills a slot of its
// own.
func (s *fixedSearch) rest(st *machineState) int {
	whole, vector, scalar := 0, 0, 0
	for _, n := range s.nodes {
		switch {
		case st.done>>n.index&1 != 0:
		case n.need == d3d9.MaskW:
			scalar++
		case n.need.Has(3):
			whole++
		default:
			vector++
		}
	}
	return whole + max(vector, scalar)
}

// operandsAvailable reports whether all that is still to be read of what was computed is
// somewhere: not overwritten.
func (s *fixedSearch) operandsAvailable(st *machineState) bool {
	here := func(v *ir.Value) bool {
		for _, file := range [2]*[6][4]*ir.Value{&st.temps, &st.tex} {
			for r := range file {
				for _, w := range file[r] {
					if w == v {
						return true
					}
				}
			}
		}
		return false
	}
	computed := func(v *ir.Value) bool {
		n := s.nodeOf(v)
		return n != nil && st.done>>n.index&1 != 0
	}
	for _, n := range s.nodes {
		if st.done>>n.index&1 != 0 {
			continue
		}
		for k := range n.src {
			for _, v := range n.src[k].lane {
				if v != nil && !n.src[k].fixed && computed(v) && !here(v) {
					return false
				}
			}
		}
	}
	for _, v := range s.outs {
		if v != nil && computed(v) && !here(v) {
			return false
		}
	}
	return true
}

// leave ends a phase, or the program, which has to leave its result in r0.
func (s *fixedSearch) leave(st *machineState) {
	next := *st
	next.body = slices.Clone(st.body)
	for _, i := range s.order[st.phase] {
		if op := s.orig.Insts[i].Op; (op == d3d9.OpTexDepth || op == d3d9.OpBem) && !s.anchor(&next, i) {
			return
		}
	}
	if st.phase == 0 {
		next.phase = 1
		// At the phase marker the alpha of temporaries is lost (MSDN, "phase - ps").
		for r := range next.temps {
			next.temps[r][3] = nil
		}
		// A program of which all statements of the first phase are gone needs no marker.
		if len(next.body) > 0 {
			k := slices.IndexFunc(s.orig.Insts, func(in d3d9.Inst) bool { return in.Op == d3d9.OpPhase })
			next.body = append(next.body, s.orig.Insts[k])
		}
		if s.enter(&next) {
			s.step(&next)
		}
		return
	}
	// The result of a ps_1_x program is r0 at its end ("Pixel Shader Registers": r0 is the output).
	if !holds(&next.temps[0], s.outs, d3d9.Identity) {
		return
	}
	if s.best == nil || next.slots < s.slots {
		s.best, s.slots = next.body, next.slots
	}
}

// place writes n, and m beside it if that is not nil, in every way. n is the one that
// writes colour.
func (s *fixedSearch) place(st *machineState, n, m *fixedNode) {
	for _, a := range s.encodings(st, n, m != nil) {
		if m == nil {
			s.follow(st, []*fixedNode{n}, a)
			continue
		}
		for _, b := range s.encodings(st, m, true) {
			if b.CoIssue = true; d3d9.PairFits(s.model, &a, &b) {
				s.follow(st, []*fixedNode{n, m}, a, b)
			}
		}
	}
}

// follow goes on behind statements that were placed: one, or a pair. Both of a pair read before
// either writes, so the sources of both were chosen in st.
func (s *fixedSearch) follow(st *machineState, nodes []*fixedNode, ins ...d3d9.Inst) {
	next := *st
	next.body = append(slices.Clone(st.body), ins...)
	for i, n := range nodes {
		in := &ins[i]
		cells := next.cells(in.Dst.Reg)
		for c := range 4 {
			if in.Dst.Mask.Has(c) {
				cells[c] = n.val[c]
			}
		}
		next.done |= 1 << n.index
		slots, _ := in.Slots(s.model, false) // 0 for the second of a pair
		next.slots += slots
		// A statement that came out as it was in the input keeps its text and its position.
		if n.in.Orig >= 0 {
			if old := &s.orig.Insts[n.in.Orig]; old.Same(in) {
				next.body[len(st.body)+i] = *old
			}
			next.body[len(st.body)+i].Pos = n.in.Pos
		}
		next.body[len(st.body)+i].Also = n.in.Also
	}
	s.step(&next)
}
