package amdil

import "slices"

// structurer turns jumps into branches and flags. It is goto elimination as by Erosa
// and Hendren ("Taming Control Flow", ICCL 1994), simplified: jumps go forward to the
// end of a block around them only, so they never have to be lifted or moved into loops.
//
// What follows a branch that may have jumped must not run then. Where one side jumps
// for certain and the other never does, it moves into the other. Else it is guarded by
// the flags of the jumps that may be under way: values, which cost nothing where nobody
// asks for them. A jump out of a loop leaves it by a break, and goes on behind it.
//
//	loop { if c { continue }; A; if d { B; continue }; C }
//	loop { if c { } else { A; if d { B } else { C } } }          no flag is read
//
//	block { if c { if d { jump } ; A }; B }
//	f = 0; if c { if d { f = 1 } else { A } }; if f { } else { B }
type structurer struct {
	room  *room
	depth int        // loops around the code at hand
	out   [][]*label // by loop around: jumps that leave it
}

// structured is the tree of main without blocks and jumps. Code is never copied, so the
// result is as large as main but for flags and guards.
func structured(main node, room *room) []node {
	s := &structurer{room: room}
	list, _, _ := s.list([]node{main})
	return list
}

// list structures code. jumps are those that may be under way at its end; ends tells
// that control does not get there otherwise. Every jump sets its flag, which the block
// that it leaves has cleared. The result begins with what is given as head.
func (s *structurer) list(in []node, head ...node) (out []node, jumps []*label, ends bool) {
	out = append(s.room.nodes.Take(len(head) + len(in))[:0], head...)
	for i := range in {
		n := &in[i]
		var under []*label // jumps that n may have begun
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
		// A jump within the loop only sets its flag, since nothing follows; one that
		// leaves the loop breaks it.
		case nodeJump:
			out = append(out, node{kind: nodeFlag, inst: n.inst, at: n.at, to: n.to, set: true})
			if n.to.depth < s.depth {
				s.leave(n.to)
				return append(out, node{kind: nodeBreak, inst: n.inst, at: n.at}), jumps, true
			}
			return out, join(jumps, n.to), true
		// Jumps to the end of this block are no longer under way behind it.
		case nodeBlock:
			body, j, e := s.list(n.a, node{kind: nodeFlag, inst: n.inst, at: n.at, to: n.to})
			if len(in) == 1 && len(out) == 0 { // nothing else is in the list
				out = body
			} else {
				out = append(out, body...)
			}
			if k := slices.Index(j, n.to); k >= 0 {
				j, e = slices.Delete(slices.Clone(j), k, k+1), false
			}
			if e {
				return out, join(jumps, j...), true
			}
			under = j
		// Jumps that left the loop by a break go on from here, out of the next loop or
		// to the end of a block around.
		case nodeLoop:
			loop, j := s.loop(n)
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
			a, ja, ea := s.list(n.a)
			b, jb, eb := s.list(n.b)
			branch := node{kind: nodeIf, inst: n.inst, at: n.at, cond: n.cond, a: a, b: b}
			under = join(ja, jb...)
			switch {
			case ea && eb:
				return append(out, branch), join(jumps, under...), true
			case len(under) == 0:
				out = append(out, branch)
				continue
			// One side jumps, the other does not: what follows belongs to the other.
			case ea && len(jb) == 0:
				rest, jr, er := s.list(in[i+1:])
				branch.b = append(b, rest...)
				return append(out, branch), join(jumps, join(ja, jr...)...), er
			case eb && len(ja) == 0:
				rest, jr, er := s.list(in[i+1:])
				branch.a = append(a, rest...)
				return append(out, branch), join(jumps, join(jb, jr...)...), er
			}
			out = append(out, branch)
		}
		// What follows runs unless a jump is under way.
		if len(under) > 0 && i+1 < len(in) {
			rest, jr, _ := s.list(in[i+1:])
			guard := node{kind: nodeIf, inst: n.inst, at: n.at, cond: &cond{kind: condFlags, flags: under}, b: rest}
			return append(out, guard), join(jumps, join(under, jr...)...), false
		}
		jumps = join(jumps, under...)
	}
	return out, jumps, false
}

// loop structures a loop and tells the jumps that leave it.
func (s *structurer) loop(n *node) (node, []*label) {
	s.depth++
	s.out = append(s.out, nil)
	body, _, _ := s.list(n.a, node{kind: nodeFlag, inst: n.inst, at: n.at, to: n.to})
	j := s.out[len(s.out)-1]
	s.out = s.out[:len(s.out)-1]
	s.depth--
	return node{kind: nodeLoop, inst: n.inst, at: n.at, a: body}, j
}

// leave notes a jump out of the innermost loop.
func (s *structurer) leave(to *label) {
	last := &s.out[len(s.out)-1]
	*last = join(*last, to)
}

// join is the union of a and b, in order.
func join(a []*label, b ...*label) []*label {
	for _, l := range b {
		if !slices.Contains(a, l) {
			a = append(a[:len(a):len(a)], l)
		}
	}
	return a
}
