package amdil

import "slices"

// structurer turns jumps into branches and flags. It is goto elimination after Erosa and Hendren ("Taming
// Control Flow", ICCL 1994), simplified. Jumps go forward to the end of an enclosing block only, so they
// never have to be lifted or moved into loops.
//
// Code after a branch that may have jumped must then be skipped. If one side always jumps and the other never
// does, that code moves into the other side. Otherwise the flags of the pending jumps guard it. Flags are
// values, and cost nothing if they are not read. A jump out of a loop leaves it by a break, and continues
// after it.
//
//	loop { if c { continue }; A; if d { B; continue }; C }
//	loop { if c { } else { A; if d { B } else { C } } }          no flag is read
//
//	block { if c { if d { jump } ; A }; B }
//	f = 0; if c { if d { f = 1 } else { A } }; if f { } else { B }
type structurer struct {
	room  *room
	depth int        // enclosing loops
	out   [][]*label // by enclosing loop: jumps that leave it
}

// structured returns the tree of main without blocks and jumps. It never copies code, so the result grows
// only by flags and guards.
func structured(main node, room *room) []node {
	s := &structurer{room: room}
	list, _, _ := s.structureNodes([]node{main})
	return list
}

// structureNodes structures code. jumps are the jumps that may be pending at its end; ends reports that control reaches
// the end only by a jump. Every jump sets its flag, which the block that it leaves has cleared. The result
// begins with head.
func (s *structurer) structureNodes(in []node, head ...node) (out []node, jumps []*label, ends bool) {
	out = append(s.room.nodes.Alloc(len(head) + len(in))[:0], head...)
	for i := range in {
		n := &in[i]
		var under []*label // jumps that n may have started
		switch n.kind {
		case nodeInst, nodeFlag:
			out = append(out, *n)
			continue
		case nodeBreak:
			out = append(out, *n)
			if n.cond == nil {
				return out, jumps, true
			}
			continue
		// A jump within the loop only sets its flag, since no code follows; one that leaves the loop breaks
		// it.
		case nodeJump:
			out = append(out, node{kind: nodeFlag, inst: n.inst, at: n.at, to: n.to, set: true})
			if n.to.depth < s.depth {
				s.leave(n.to)
				return append(out, node{kind: nodeBreak, inst: n.inst, at: n.at}), jumps, true
			}
			return out, unionLabels(jumps, n.to), true
		// Jumps to the end of this block are no longer pending after it.
		case nodeBlock:
			body, j, e := s.structureNodes(n.a, node{kind: nodeFlag, inst: n.inst, at: n.at, to: n.to})
			if len(in) == 1 && len(out) == 0 { // the list has no other code
				out = body
			} else {
				out = append(out, body...)
			}
			if k := slices.Index(j, n.to); k >= 0 {
				j, e = slices.Delete(slices.Clone(j), k, k+1), false
			}
			if e {
				return out, unionLabels(jumps, j...), true
			}
			under = j
		// Jumps that left the loop by a break continue from here, out of the next loop or to the end of an
		// enclosing block.
		case nodeLoop:
			loop, j := s.structureLoop(n)
			out = append(out, loop)
			for _, to := range j {
				if to.depth < s.depth {
					s.leave(to)
					out = append(out, node{kind: nodeBreak, inst: n.inst, at: n.at, cond: &cond{kind: condFlags, flags: []*label{to}}})
				} else {
					under = append(under, to)
				}
			}
		case nodeIf:
			a, ja, ea := s.structureNodes(n.a)
			b, jb, eb := s.structureNodes(n.b)
			branch := node{kind: nodeIf, inst: n.inst, at: n.at, cond: n.cond, a: a, b: b}
			under = unionLabels(ja, jb...)
			switch {
			case ea && eb:
				return append(out, branch), unionLabels(jumps, under...), true
			case len(under) == 0:
				out = append(out, branch)
				continue
			// One side jumps, the other does not: the following code belongs to the other.
			case ea && len(jb) == 0:
				rest, jr, er := s.structureNodes(in[i+1:])
				branch.b = append(b, rest...)
				return append(out, branch), unionLabels(jumps, unionLabels(ja, jr...)...), er
			case eb && len(ja) == 0:
				rest, jr, er := s.structureNodes(in[i+1:])
				branch.a = append(a, rest...)
				return append(out, branch), unionLabels(jumps, unionLabels(jb, jr...)...), er
			}
			out = append(out, branch)
		}
		// The following code runs unless a jump is pending.
		if len(under) > 0 && i+1 < len(in) {
			rest, jr, _ := s.structureNodes(in[i+1:])
			guard := node{kind: nodeIf, inst: n.inst, at: n.at, cond: &cond{kind: condFlags, flags: under}, b: rest}
			return append(out, guard), unionLabels(jumps, unionLabels(under, jr...)...), false
		}
		jumps = unionLabels(jumps, under...)
	}
	return out, jumps, false
}

// structureLoop structures a loop and returns the jumps that leave it.
func (s *structurer) structureLoop(n *node) (node, []*label) {
	s.depth++
	s.out = append(s.out, nil)
	body, _, _ := s.structureNodes(n.a, node{kind: nodeFlag, inst: n.inst, at: n.at, to: n.to})
	j := s.out[len(s.out)-1]
	s.out = s.out[:len(s.out)-1]
	s.depth--
	return node{kind: nodeLoop, inst: n.inst, at: n.at, a: body}, j
}

// leave records a jump out of the innermost loop.
func (s *structurer) leave(to *label) {
	last := &s.out[len(s.out)-1]
	*last = unionLabels(*last, to)
}

// unionLabels returns the union of a and b, in order.
func unionLabels(a []*label, b ...*label) []*label {
	for _, l := range b {
		if !slices.Contains(a, l) {
			a = append(a[:len(a):len(a)], l)
		}
	}
	return a
}
