package flow

import (
	"slices"

	"github.com/shaderlift/shaderlift/internal/container"
)

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
type structurer[T any] struct {
	room  *container.Slab[Node[T]]
	depth int        // enclosing loops
	lists int        // enclosing lists
	deep  bool       // there are too many of them, and the rest is left out
	out   [][]*Label // by enclosing loop: jumps that leave it
}

// Structure returns the tree of main without blocks and jumps. It never copies code, so the result grows only by flags and
// guards. ok is false if the result would nest too deep.
func Structure[T any](main Node[T]) (list []Node[T], ok bool) {
	s := &structurer[T]{room: new(container.Slab[Node[T]])}
	targets := map[*Label]bool{}
	jumpTargets([]Node[T]{main}, targets)
	list, _, _ = s.nodes(joined([]Node[T]{main}, targets))
	return list, !s.deep && !isTooDeep(list)
}

// jumpTargets adds the labels that jumps in list name.
func jumpTargets[T any](list []Node[T], targets map[*Label]bool) {
	for i := range list {
		if list[i].Kind == Jump {
			targets[list[i].To] = true
		}
		jumpTargets(list[i].A, targets)
		jumpTargets(list[i].B, targets)
	}
}

// joined returns list with the code of blocks that no jump leaves in place of the blocks. Code behind a branch that
// always jumps can then move into the other side. It changes the lists inside list.
func joined[T any](list []Node[T], targets map[*Label]bool) (out []Node[T]) {
	isJoined := func(n Node[T]) bool { return n.Kind == Block && !targets[n.To] }
	for i := range list {
		list[i].A, list[i].B = joined(list[i].A, targets), joined(list[i].B, targets)
	}
	if !slices.ContainsFunc(list, isJoined) {
		return list
	}
	for _, n := range list {
		if isJoined(n) {
			out = append(out, n.A...)
		} else {
			out = append(out, n)
		}
	}
	return out
}

// flag returns a node that clears or sets the flag of the label of n.
func flag[T any](n *Node[T], set bool) Node[T] {
	return Node[T]{Kind: Flag, Item: n.Item, To: n.To, Set: set}
}

// nodes structures code. jumps are the jumps that may be pending at its end; ends reports that control reaches the end
// only by a jump. Every jump sets its flag, which the block that it leaves has cleared. The result begins with head.
func (s *structurer[T]) nodes(in []Node[T], head ...Node[T]) (out []Node[T], jumps []*Label, ends bool) {
	s.lists++
	defer func() { s.lists-- }()
	if s.lists > 2*MaxDepth {
		s.deep = true
		return nil, nil, false
	}
	out = append(s.room.Alloc(len(head) + len(in))[:0], head...)
	for i := range in {
		n := &in[i]
		var under []*Label // jumps that n may have started
		switch n.Kind {
		case Code, Flag:
			out = append(out, *n)
			continue
		case Break:
			out = append(out, *n)
			if n.Always {
				return out, jumps, true
			}
			continue
		// A jump within the loop only sets its flag, since no code follows; one that leaves the loop breaks
		// it.
		case Jump:
			out = append(out, flag(n, true))
			if n.To.Depth < s.depth {
				s.leave(n.To)
				return append(out, Node[T]{Kind: Break, Item: n.Item, Always: true}), jumps, true
			}
			return out, union(jumps, n.To), true
		// Jumps to the end of this block are no longer pending after it.
		case Block:
			body, j, e := s.nodes(n.A, flag(n, false))
			if len(in) == 1 && len(out) == 0 { // the list has no other code
				out = body
			} else {
				out = append(out, body...)
			}
			if k := slices.Index(j, n.To); k >= 0 {
				j, e = slices.Delete(slices.Clone(j), k, k+1), false
			}
			if e {
				return out, union(jumps, j...), true
			}
			under = j
		// Jumps that left the loop by a break continue from here, out of the next loop or to the end of an
		// enclosing block.
		case Loop:
			loop, j := s.loop(n)
			out = append(out, loop)
			for _, to := range j {
				if to.Depth < s.depth {
					s.leave(to)
					out = append(out, Node[T]{Kind: Break, Item: n.Item, Flags: []*Label{to}})
				} else {
					under = append(under, to)
				}
			}
		case If:
			a, ja, ea := s.nodes(n.A)
			b, jb, eb := s.nodes(n.B)
			branch := Node[T]{Kind: If, Item: n.Item, Flags: n.Flags, A: a, B: b}
			under = union(ja, jb...)
			switch {
			case ea && eb:
				return append(out, branch), union(jumps, under...), true
			// One side leaves the loop: the code of the other one follows the branch, so that all spellings have one form.
			case len(under) == 0 && ea:
				branch.B = nil
				out = append(append(out, branch), b...)
				continue
			case len(under) == 0 && eb:
				branch.A = nil
				out = append(append(out, branch), a...)
				continue
			case len(under) == 0:
				out = append(out, branch)
				continue
			// One side jumps, the other does not: the following code belongs to the other.
			case ea && len(jb) == 0:
				rest, jr, er := s.nodes(in[i+1:])
				branch.B = append(b, rest...)
				return append(out, branch), union(jumps, union(ja, jr...)...), er
			case eb && len(ja) == 0:
				rest, jr, er := s.nodes(in[i+1:])
				branch.A = append(a, rest...)
				return append(out, branch), union(jumps, union(jb, jr...)...), er
			}
			out = append(out, branch)
		}
		// The following code runs unless a jump is pending.
		if len(under) > 0 && i+1 < len(in) {
			rest, jr, _ := s.nodes(in[i+1:])
			guard := Node[T]{Kind: If, Item: n.Item, Flags: under, B: rest}
			return append(out, guard), union(jumps, union(under, jr...)...), false
		}
		jumps = union(jumps, under...)
	}
	return out, jumps, false
}

// loop structures a loop and returns the jumps that leave it.
func (s *structurer[T]) loop(n *Node[T]) (Node[T], []*Label) {
	s.depth++
	s.out = append(s.out, nil)
	body, _, _ := s.nodes(n.A, flag(n, false))
	j := s.out[len(s.out)-1]
	s.out = s.out[:len(s.out)-1]
	s.depth--
	return Node[T]{Kind: Loop, Item: n.Item, A: body}, j
}

// leave records a jump out of the innermost loop.
func (s *structurer[T]) leave(to *Label) {
	last := &s.out[len(s.out)-1]
	*last = union(*last, to)
}

// union returns the union of a and b, in order.
func union(a []*Label, b ...*Label) []*Label {
	for _, l := range b {
		if !slices.Contains(a, l) {
			a = append(a[:len(a):len(a)], l)
		}
	}
	return a
}
