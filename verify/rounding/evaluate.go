package rounding

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// evaluate returns the value of the term k, neither a leaf nor a literal, from the values of its arguments.
// It uses the current format and instruction. It depends on nothing else, so that reevaluate can evaluate
// terms again at another point.
func (g *graph) evaluate(k *key) value {
	a := k.a
	switch k.kind {
	// Negation is exact and reverses the interval.
	case kindNeg:
		v := *g.valueOf(a[0])
		v.lo, v.hi, v.clo, v.chi = -v.hi, -v.lo, -v.chi, -v.clo
		return v
	case kindAdd:
		return g.roundedSum(a[0], a[1], 0)
	case kindSplit:
		return g.roundedSum(a[0], a[1], g.magnitude(a[2]))
	case kindMul:
		return g.roundedProduct(a[0], a[1])
	// Integers that the narrower format holds do not round.
	case kindRound:
		v := *g.valueOf(a[0])
		if !v.whole || v.exactMax() > g.f.exact {
			v.round(g.f, g.f.unit)
		}
		return v
	case kindInterpolate:
		v := *g.valueOf(a[0])
		if !v.whole || !v.point() || v.lo != 0 {
			v.roundAt(g.f, max(g.hw.interpolation, g.f.unit), v.computedMax(), false)
		}
		return v
	// A comparison, or a primitive.
	case kindCall:
		if k.aux == decided {
			return g.amplify(g.compare(k.conditionOf(), a[0], a[1]))
		}
		g.args = a
		return g.primitiveValue(k.prim, g.args[:k.argumentCount()])
	case kindFetch:
		return g.fetch(k)
	case kindChoose:
		v := g.selectValue(g.valueOf(a[0]), a[1], a[2])
		if v.cause == 0 {
			v.cause = g.valueOf(a[0]).cause
		}
		return v
	case kindOneOf:
		g.several = g.several[:0]
		for v := range g.listed(a[0]) {
			g.several = append(g.several, *v)
		}
		return either(k.aux != 0, g.several...)
	case kindHull:
		return g.registerHull(k)
	}
	return unlimited()
}

// conditionOf returns the condition of a comparison term.
func (k *key) conditionOf() ir.Cond { return ir.CondGT + ir.Cond(k.prim-ir.PrimGT) }

// argumentCount counts the arguments of a call.
func (k *key) argumentCount() (n int) {
	for n < len(k.a) && k.a[n] != 0 {
		n++
	}
	return n
}

// drawn is a leaf with the range from which its value at a point is drawn.
type drawn struct {
	leaf ref
	interval
}

// rangeAt returns the range of a leaf over the box, or its number at a point of the box. A hash of the leaf's
// number and the point's draws the number, so that versions of a program have the same points.
func (i *interval) rangeAt(number, point uint64) (lo, hi float64) {
	if point == 0 {
		return i.lo, i.hi
	}
	// 24 bits, as many as a float32 holds.
	t := float64(scramble(number^point*0x9e3779b97f4a7c15)>>40) / (1 << 24)
	x := float64(float32(i.lo + (i.hi-i.lo)*t))
	if i.whole {
		x = math.Round(x)
	}
	return x, x
}

// extract copies the terms that from needs, and no others, to another graph, and renames the references in
// from. Arguments come before their users in either graph. One backward pass therefore finds the needed
// terms, and one forward pass copies them.
func (g *graph) extract(to *graph, from []*ref) {
	name := make([]ref, len(g.nodes)) // not 0 for terms that are needed
	for _, x := range from {
		name[*x] = 1
	}
	for i := len(g.nodes) - 1; i > 0; i-- {
		if name[i] != 0 {
			n := &g.nodes[i]
			for k := range n.key.a {
				name[n.key.a[k]], name[n.mean[k]] = 1, 1
			}
		}
	}
	name[0] = 0
	leaves := g.drawn
	for i := 1; i < len(g.nodes); i++ {
		leaf := len(leaves) > 0 && leaves[0].leaf == ref(i)
		if name[i] != 0 {
			name[i] = ref(len(to.nodes))
			n := g.nodes[i]
			for k := range n.key.a {
				n.key.a[k], n.mean[k] = name[n.key.a[k]], name[n.mean[k]]
			}
			if len(n.squares) > 0 {
				n.squares = slices.Clone(n.squares)
				for k, x := range n.squares {
					n.squares[k] = name[x]
				}
			}
			to.nodes = append(to.nodes, n)
			if leaf {
				to.drawn = append(to.drawn, drawn{name[i], leaves[0].interval})
			}
		}
		if leaf {
			leaves = leaves[1:]
		}
	}
	for _, x := range from {
		*x = name[*x]
	}
}

// reevaluate evaluates all terms again, for another arithmetic or another point, and reports whether they
// are still the same terms. For example, a product that was a square may not be one there. One pass in the
// order of the nodes suffices. drawn lists leaves in the same order.
func (g *graph) reevaluate() bool {
	leaves := g.drawn
	for i := 1; i < len(g.nodes); i++ {
		n := &g.nodes[i]
		g.compute(n.key.prec)
		g.site = n.site
		switch n.key.kind {
		case kindLeaf:
			if len(leaves) > 0 && leaves[0].leaf == ref(i) {
				lo, hi := leaves[0].rangeAt(n.key.aux, g.point)
				n.value, leaves = g.outside(lo, hi, leaves[0].whole), leaves[1:]
			}
		case kindLiteral:
			n.value = g.number(math.Float64frombits(n.key.aux))
		case kindFresh, kindTuple:
		default:
			n.value = g.evaluate(&n.key)
		}
		if n.mean[0] != 0 {
			g.narrow(n)
		}
		if n.key.kind == kindMul && g.squared(n) != (len(n.squares) > 0) {
			return false
		}
	}
	return true
}
