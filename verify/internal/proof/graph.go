package proof

import (
	"github.com/shaderlift/shaderlift/ir"
)

// ref is the index of a node in the graph; 0 is none.
type ref int32

// kind is the operation of a node. Its size leaves no padding in shape.
type kind uint16

const (
	kindNone kind = iota
	kindLiteral
	kindLeaf
	kindAdd
	kindMul
	kindNeg
	kindCall        // a primitive that has a rule
	kindInterpolate // of three vertices
	kindChoose      // a0 ? a1 : a2
	// Conditions are 1 or 0.
	kindCompare // of a0 with a1
	kindNot
	kindAnd
	kindTruth // whether an opaque word is true
)

// shape is the operation and the operands of a node. Equal shapes are one node. It has no padding, so one
// pass hashes it.
type shape struct {
	// aux is the word of a literal, the image of a leaf, or the kind of an interpolation.
	aux  uint64
	args [3]ref
	// signs are the signs that decide a comparison, or a choice that a call makes.
	signs [2]sign
	kind  kind
	prim  ir.Prim // of a call
	cond  ir.Cond // of a comparison
}

// sign is the number of a difference, negative for the sign of its negation, or 0 for none.
type sign int32

// number returns the number of the difference.
func (s sign) number() uint32 { return uint32(max(s, -s)) }

// node is a value of either version.
type node struct {
	shape
	image uint64
	// seen has the last rounds in which before and after computed the value.
	seen [2]int32
	in   *ir.Instr // that computed it first; may be nil
	// position means that the value is the position of an invocation.
	position bool
}

// inBothVersions reports whether both versions compute the value in the same way.
func (n *node) inBothVersions(round int32) bool { return n.seen[0] == round && n.seen[1] == round }

// isNumber reports whether a node is a number that operations have computed.
func (n *node) isNumber() bool { return n.kind >= kindAdd && n.kind <= kindChoose }

// graph is a directed acyclic graph. Operands precede the nodes that read them.
type graph struct {
	nodes []node
	made  map[shape]ref
	// behind has the operands of opaque functions, which do not determine the value of the function here.
	behind map[ref][]ref
}

// internShape returns the node of a shape.
func (g *graph) internShape(s shape) ref {
	if r, ok := g.made[s]; ok {
		return r
	}
	r := ref(len(g.nodes))
	g.nodes = append(g.nodes, node{shape: s})
	g.made[s] = r
	return r
}

// needs adds to set all nodes on which the nodes in it depend. If far is set, it also follows the operands of
// opaque functions.
func (g *graph) needs(set []bool, far bool) {
	for r := ref(len(g.nodes) - 1); r > 0; r-- {
		if !set[r] {
			continue
		}
		for _, a := range g.nodes[r].args {
			set[a] = true
		}
		if far {
			for _, a := range g.behind[r] {
				set[a] = true
			}
		}
	}
	set[0] = false
}

// values returns the operands whose errors a node passes on. The operands of a comparison only decide, and rounding
// may move the boundary.
func (n *node) values() []ref {
	switch {
	case n.kind == kindChoose, n.prim == ir.PrimSelGE, n.prim == ir.PrimLitSpec:
		return n.args[1:]
	case n.kind > kindChoose, n.prim >= ir.PrimGT && n.prim <= ir.PrimLE, n.prim == ir.PrimSlt, n.prim == ir.PrimSge,
		n.prim == ir.PrimSgn:
		return nil
	}
	return n.args[:]
}
