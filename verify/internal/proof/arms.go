package proof

import (
	"maps"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// signs are the signs of differences that a point assumes, by number.
type signs map[uint32]int

// explorer finds the arms of choices that only after makes, and for each the signs that lead to it.
type explorer struct {
	*domain
	visited []bool
	path    signs // to the node being visited
	found   []signs
}

// armSigns lists the signs that lead to each arm of a choice in the values of a list.
func (d *domain) armSigns(list []candidate) []signs {
	e := explorer{domain: d, visited: make([]bool, len(d.nodes)), path: signs{}}
	for _, c := range slices.Backward(list) {
		e.visit(c.after)
	}
	return e.found
}

// visit explores a value that the versions compute in different ways.
func (e *explorer) visit(r ref) {
	n := &e.nodes[r]
	if e.visited[r] || n.inBothVersions(e.round) {
		return
	}
	e.visited[r] = true
	switch {
	case n.kind == kindChoose:
		e.under(e.decide(n.args[0], true, signs{}), n.args[1])
		e.under(e.decide(n.args[0], false, signs{}), n.args[2])
	case n.signs[0] != 0:
		positive, negative := n.args[0], n.args[0]
		switch n.prim {
		case ir.PrimSelGE:
			positive, negative = n.args[1], n.args[2]
		case ir.PrimMin, ir.PrimMinIEEE:
			positive = n.args[1]
		case ir.PrimMax, ir.PrimMaxIEEE:
			negative = n.args[1]
		}
		e.under(signs{}.withSign(n.signs[0], 1), positive)
		e.under(signs{}.withSign(n.signs[0], -1), negative)
	}
	for _, a := range n.args {
		e.visit(a)
	}
}

// under visits r under further signs, unless they contradict the path.
func (e *explorer) under(further signs, r ref) {
	if len(e.found) >= maxArms {
		return
	}
	outside := e.path
	path := maps.Clone(outside)
	for of, v := range further { // a set
		if old, ok := path[of]; ok && old != v {
			return
		}
		path[of] = v
	}
	e.found = append(e.found, path)
	e.path = path
	e.visit(r)
	e.path = outside
}

// decide adds signs under which a condition holds, or fails. An opaque word stays random.
func (e *explorer) decide(c ref, want bool, s signs) signs {
	n := &e.nodes[c]
	switch n.kind {
	case kindNot:
		return e.decide(n.args[0], !want, s)
	case kindAnd:
		s = e.decide(n.args[0], want, s)
		if want {
			s = e.decide(n.args[1], want, s)
		}
	case kindCompare:
		for _, v := range [...]int{1, -1, 0} {
			if holds(n.cond, v) == want {
				return s.withSign(n.signs[0], v)
			}
		}
	}
	return s
}

// withSign adds the sign of a difference, which is the numbered one or its negation.
func (s signs) withSign(of sign, v int) signs {
	if of < 0 {
		v = -v
	}
	s[of.number()] = v
	return s
}
