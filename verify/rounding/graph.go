package rounding

import (
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/shaderlift/shaderlift/ir"
)

// graph holds the terms that programs compute, each once (hash-consing), with what is known of its value.
// Its methods are the operations of formulas (see ir.Algebra). That a term meets itself again is what
// tells squares from products, and x/|x| from a quotient: interval arithmetic alone would have x*x
// negative, the dependency problem. nodes[0] is none; arguments of a term have smaller numbers.
type graph struct {
	hw    *Arithmetic
	nodes []node
	table []place // by the hash of a key, or the next free one behind it; a power of two of them
	live  int     // places taken

	prec   precision // of the instruction at hand
	f      *format   // the format for it
	site   cause     // the instruction at hand
	texels texels
	// point is the point of the box that values are at, 0 for all of it.
	point uint64
	// unknown has what is computed of unknown constants alone be as unknown as these, see Growth.
	unknown bool
	// fused is told of an instruction that amplifies the error of a sum with a product.
	fused func(cause)
	drawn []drawn // leaves that a point decides
	// marked is how many terms there were at the last mark, and changed are those of them that have
	// changed since.
	marked  int
	changed []changed

	several []value // for hull
	args    [3]ref  // for evaluate
}

// ref is a term of a graph.
type ref int32

// place is where the table of a graph has a term, 0 for none, with the hash of its key.
type place struct {
	ref  ref
	hash uint32
}

// node is a term with its value.
type node struct {
	key  key
	site cause // the instruction that it was met at first
	value
	// squares are the terms whose squares this one is the sum of, x, y and z of dot(v, v): what a
	// component of a normalised vector is recognised by.
	squares []ref
	// mean, if there are any, are the terms that this one is a mean of (see mix).
	mean [3]ref
	// known and fixed tell whether it is made of literals alone, or of them and constants that
	// the host sets.
	known, fixed bool
}

// key tells terms apart. Terms of different precisions differ: their roundings do.
type key struct {
	kind kind
	prec precision
	prim ir.Prim
	aux  uint64
	a    [3]ref
}

type kind uint8

const (
	kindLeaf kind = iota + 1
	kindLiteral
	kindAdd
	kindMul
	kindNeg
	kindCall
	kindRound // a move into another format
	kindSplit // another step of a sum in any order, the third argument
	kindInterpolate
	kindFetch
	kindChoose
	kindHull
	kindTuple
	kindOneOf
	kindFresh
)

// cause is an instruction that amplifies errors: its number in the analysis, 0 for none.
type cause int32

func newGraph(hw *Arithmetic) *graph {
	g := idle.Get().(*graph)
	*g = graph{hw: hw, nodes: g.nodes[:1], table: g.table, drawn: g.drawn[:0], several: g.several, f: &hw.vertex}
	return g
}

// compute sets the precision of the instruction at hand.
func (g *graph) compute(p precision) { g.prec, g.f = p, g.hw.format(p) }

// idle are graphs without terms, to be used again: an analysis makes one for every point.
var idle = sync.Pool{New: func() any { return &graph{nodes: make([]node, 1, 256), table: make([]place, 512)} }}

// release forgets all terms. Nothing of g is used any more.
func (g *graph) release() {
	if g == nil {
		return
	}
	clear(g.nodes)
	clear(g.table)
	idle.Put(g)
}

// at is the value of x.
func (g *graph) at(x ref) *value { return &g.nodes[x].value }

// term is the node for k in the precision at hand, evaluated if it is new.
func (g *graph) term(k key) ref {
	k.prec = g.prec
	hash := k.hash()
	if p := g.find(&k, hash); p.ref != 0 {
		return p.ref
	}
	return g.insert(&k, hash, g.evaluate(&k))
}

// given is the node for k, which is v if it is new.
func (g *graph) given(k key, v value) ref {
	k.prec = g.prec
	hash := k.hash()
	if p := g.find(&k, hash); p.ref != 0 {
		return p.ref
	}
	return g.insert(&k, hash, v)
}

func (g *graph) insert(k *key, hash uint32, v value) ref {
	n := node{key: *k, site: g.site, value: v}
	if g.unknown {
		g.guess(&n)
	}
	x := ref(len(g.nodes))
	g.nodes = append(g.nodes, n)
	if g.live++; 2*g.live > len(g.table) {
		g.grow()
	}
	*g.find(k, hash) = place{x, hash}
	return x
}

// guess takes the value of a term of constants alone, one of which nobody knows, for as large as a
// constant is that nobody knows: -1..1 (see Growth).
func (g *graph) guess(n *node) {
	switch k := &n.key; k.kind {
	case kindLiteral:
		n.known, n.fixed = true, true
		return
	case kindLeaf:
		n.fixed = k.aux>>56 == leafUniform>>56
		n.known = n.fixed && (n.lo != -1 || n.hi != 1)
		return
	case kindFetch, kindInterpolate, kindTuple:
		return
	}
	n.known, n.fixed = true, true
	for _, a := range n.key.a {
		if a != 0 {
			n.known, n.fixed = n.known && g.nodes[a].known, n.fixed && g.nodes[a].fixed
		}
	}
	if n.fixed && !n.known && n.mag() > 1 {
		n.value = exactly(-1, 1)
		n.round(g.f, g.f.unit)
	}
}

// find is the place of the term for k, or where it would be.
func (g *graph) find(k *key, hash uint32) *place {
	mask := uint32(len(g.table) - 1)
	for h := hash & mask; ; h = (h + 1) & mask {
		if p := &g.table[h]; p.ref == 0 || p.hash == hash && g.nodes[p.ref].key == *k {
			return p
		}
	}
}

func (g *graph) grow() {
	old := g.table
	g.table = make([]place, 2*len(old))
	for _, p := range old {
		if p.ref != 0 {
			*g.find(&g.nodes[p.ref].key, p.hash) = p
		}
	}
}

// hash mixes all of a key but the precision, of which there are few.
func (k *key) hash() uint32 {
	x := uint64(k.kind)<<56 ^ uint64(k.prim)<<48 ^ uint64(k.a[0])<<32 ^ uint64(k.a[1])<<16 ^ uint64(k.a[2])
	return uint32(scramble(x ^ scramble(k.aux)))
}

// tuple is a term that stands for a list of others.
func (g *graph) tuple(list []ref) (t ref) {
	for i := range list {
		t = g.given(key{kind: kindTuple, a: [3]ref{t, list[len(list)-1-i]}}, unlimited())
	}
	return t
}

// listed are the terms that a tuple stands for.
func (g *graph) listed(t ref) iter.Seq[*value] {
	return func(yield func(*value) bool) {
		for ; t != 0 && yield(g.at(g.nodes[t].key.a[1])); t = g.nodes[t].key.a[0] {
		}
	}
}

// fresh is a term that nothing else equals.
func (g *graph) fresh(v value) ref {
	g.nodes = append(g.nodes, node{key: key{kind: kindFresh}, value: v})
	return ref(len(g.nodes) - 1)
}

// oneOf is a term of its own, one of several: which one is not known. Flips tells that it may
// be another one for what is computed.
func (g *graph) oneOf(flips bool, list []ref) ref {
	k := key{kind: kindOneOf, prec: g.prec, a: [3]ref{g.tuple(list)}}
	if flips {
		k.aux = 1
	}
	g.nodes = append(g.nodes, node{key: k, site: g.site, value: g.evaluate(&k)})
	return ref(len(g.nodes) - 1)
}

// leaf is a value from outside, known by its number.
func (g *graph) leaf(number uint64, lo, hi float64, whole bool) ref {
	return g.given(key{kind: kindLeaf, aux: number}, g.outside(lo, hi, whole))
}

// outside is the value of a leaf in a range.
func (g *graph) outside(lo, hi float64, whole bool) value {
	v := exactly(lo, hi)
	v.whole = whole
	g.load(&v)
	return v
}

// load rounds what is read from outside, if the format is a narrow one.
func (g *graph) load(v *value) {
	if g.f.leaf && !(v.whole && v.mag() <= g.f.exact) {
		v.round(g.f, g.f.unit)
	}
}

// literal is a constant with these bits, read as a float.
func (g *graph) literal(bits uint32) ref {
	x := float64(math.Float32frombits(bits))
	return g.given(key{kind: kindLiteral, aux: math.Float64bits(x)}, g.number(x))
}

// number is the value of a literal.
func (g *graph) number(x float64) value {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return unlimited()
	}
	return g.outside(x, x, x == math.Trunc(x))
}

// The methods of ir.Algebra.

func (g *graph) Const(x float32) ref { return g.literal(math.Float32bits(x)) }

func (g *graph) Neg(x ref) ref {
	if n := &g.nodes[x]; n.key.kind == kindNeg {
		return n.key.a[0]
	}
	return g.term(key{kind: kindNeg, a: [3]ref{x}})
}

// Add is symmetric: terms are sorted, so that a+b and b+a are one.
func (g *graph) Add(a, b ref) ref {
	return g.sumOf(key{kind: kindAdd, a: sorted(a, b)})
}

// sumOf is the sum k. One of squares, four of them at most, remembers whose.
func (g *graph) sumOf(k key) ref {
	fresh := len(g.nodes)
	x := g.term(k)
	if int(x) == fresh {
		p, q := g.nodes[k.a[0]].squares, g.nodes[k.a[1]].squares
		if len(p) > 0 && len(q) > 0 && len(p)+len(q) <= 4 {
			g.nodes[x].squares = append(slices.Clone(p), q...)
		}
	}
	return x
}

func sorted(a, b ref) [3]ref { return [3]ref{min(a, b), max(a, b)} }

// add is a+b, rounded as if the sum were of magnitude size at least. Adding zero rounds nothing, nor
// do sums of integers that the format has; a sum of opposite terms is 0, but for a product that may be
// fused with it.
func (g *graph) add(a, b ref, size float64) value {
	x, y := *g.at(a), *g.at(b)
	if isZero(&x) {
		return y
	}
	if isZero(&y) {
		return x
	}
	if g.opposite(a, b) < 0 {
		v := exactly(0, 0)
		if p := g.base(a); g.nodes[p].key.kind == kindMul { // one of two products may be fused with the sum
			v.roundAt(g.f, g.f.unit, x.cmag(), false)
		}
		return v
	}
	v := value{lo: x.lo + y.lo, hi: x.hi + y.hi, clo: x.clo + y.clo, chi: x.chi + y.chi, err: x.err + y.err, cause: worse(&x, &y)}
	if v.whole = x.whole && y.whole; v.whole && v.mag() <= g.f.exact {
		return v
	}
	v.settle()
	if size == 0 {
		v.round(g.f, g.f.unit)
		return v
	}
	positive := x.clo >= 0 && y.clo >= 0
	v.roundAt(g.f, g.f.unit, max(size, v.cmag()), false)
	if positive {
		v.clo = max(v.clo, 0)
	}
	return v
}

// sum adds terms in any order, which hardware chooses for products of vectors: each of the n-1 additions
// rounds a partial sum, none of which is larger than all magnitudes together (Higham, section 4.2). So
// every step is charged for the magnitude of all (kindSplit).
func (g *graph) sum(terms []ref) ref {
	if len(terms) == 2 { // there is one order
		return g.Add(terms[0], terms[1])
	}
	all, s := g.tuple(terms), terms[0]
	for _, t := range terms[1:] {
		k := key{kind: kindSplit, a: sorted(s, t)}
		k.a[2] = all
		s = g.sumOf(k)
	}
	return s
}

// magnitude is that of all terms of a tuple together.
func (g *graph) magnitude(t ref) (total float64) {
	for v := range g.listed(t) {
		total += v.cmag()
	}
	return total
}

func isZero(v *value) bool { return v.lo == 0 && v.hi == 0 && v.err == 0 }

// worse is the cause of the larger error of two.
func worse(x, y *value) cause {
	if y.err > x.err && y.cause != 0 || x.cause == 0 {
		return y.cause
	}
	return x.cause
}

// base is x without signs.
func (g *graph) base(x ref) ref {
	for {
		n := &g.nodes[x]
		if n.key.kind != kindNeg && (n.key.kind != kindCall || n.key.prim != ir.PrimAbs) {
			return x
		}
		x = n.key.a[0]
	}
}

// Mul is symmetric, and signs of both factors cancel.
func (g *graph) Mul(a, b ref) ref {
	if p, q := &g.nodes[a].key, &g.nodes[b].key; p.kind == kindNeg && q.kind == kindNeg {
		a, b = p.a[0], q.a[0]
	}
	fresh := len(g.nodes)
	x := g.term(key{kind: kindMul, a: sorted(a, b)})
	if n := &g.nodes[x]; int(x) == fresh && g.squared(n) {
		n.squares = []ref{g.base(a)}
	}
	return x
}

// squared reports whether a product is a square, of a term with itself and not the opposite.
func (g *graph) squared(n *node) bool { return n.lo >= 0 && g.base(n.key.a[0]) == g.base(n.key.a[1]) }

// mul is a*b. A square is not negative, a component of a normalised vector not above 1, and multiplying
// by a power of two rounds nothing.
func (g *graph) mul(a, b ref) value {
	x, y := *g.at(a), *g.at(b)
	if isZero(&x) || isZero(&y) {
		return exactly(0, 0) // or not a number: of those nothing is said
	}
	v := value{cause: worse(&x, &y)}
	v.lo, v.hi = span(x.lo, x.hi, y.lo, y.hi)
	v.clo, v.chi = span(x.clo, x.chi, y.clo, y.chi)
	if g.base(a) == g.base(b) {
		g.square(a, b, &v)
	}
	// |x'y' - xy| <= |x'-x||y| + |x'||y'-y|, or the other way round.
	v.err = min(product(x.err, y.mag())+product(x.cmag(), y.err), product(x.err, y.cmag())+product(x.mag(), y.err))
	if q := g.normal(a, b); q {
		v.clamp(-1, 1)
		// What the computed one may be beyond 1: rsq and the dot product are off, too. A bound of that, not
		// a sharp one.
		slop := 4 * (g.hw.reciprocal + 4*g.f.unit)
		v.clo, v.chi = v.clo-slop, v.chi+slop
	}
	if v.whole = x.whole && y.whole; v.whole && v.mag() <= g.f.exact {
		return v
	}
	v.settle()
	if powerOfTwo(&x) || powerOfTwo(&y) {
		v.round(g.f, 0)
	} else {
		v.round(g.f, g.f.unit)
	}
	return v
}

// square narrows the product v of a term with itself, signs aside, where it is known whether they are
// the same.
func (g *graph) square(a, b ref, v *value) {
	x := g.at(a)
	lo, hi := x.low()*x.low(), x.mag()*x.mag()
	clo, chi := x.clow()*x.clow(), x.cmag()*x.cmag()
	switch opposite := g.opposite(a, b); {
	case opposite == 0:
	case opposite < 0:
		v.lo, v.hi, v.clo, v.chi = -hi, -lo, -chi, -clo
	default:
		v.lo, v.hi, v.clo, v.chi = lo, hi, clo, chi
	}
}

// opposite tells of terms that are equal but for signs: 1 if they are equal, -1 if one is
// the other's negative, 0 if that depends on the value, for which magnitudes are taken.
func (g *graph) opposite(a, b ref) int {
	sign := 1
	for a != b {
		switch {
		case g.nodes[a].key.kind == kindNeg:
			a, sign = g.nodes[a].key.a[0], -sign
		case g.nodes[b].key.kind == kindNeg:
			b, sign = g.nodes[b].key.a[0], -sign
		default:
			return 0
		}
	}
	return sign
}

// normal reports whether a*b is a component of a vector divided by its length: then it is
// no more than 1, however short the vector.
func (g *graph) normal(a, b ref) bool {
	for range 2 {
		if n := &g.nodes[a]; n.key.kind == kindCall && n.key.prim == ir.PrimRsq &&
			slices.Contains(g.nodes[n.key.a[0]].squares, g.base(b)) {
			return true
		}
		a, b = b, a
	}
	return false
}

// powerOfTwo reports whether multiplying by v is exact.
func powerOfTwo(v *value) bool {
	if v.lo != v.hi || v.err != 0 || v.lo == 0 {
		return false
	}
	frac, exp := math.Frexp(math.Abs(v.lo))
	return frac == 0.5 && exp > -24 && exp < 24
}
