package rounding

import (
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/shaderlift/shaderlift/ir"
)

// graph holds the terms that programs compute, each once (hash-consing), with the range of its value. Its
// methods are the operations of formulas (see ir.Algebra). Hash-consing distinguishes squares from
// products, and x/|x| from a quotient. Plain interval arithmetic would let x*x be negative, the dependency
// problem. nodes[0] is unused; arguments of a term have smaller numbers.
type graph struct {
	hw    *Arithmetic
	nodes []node
	table []place // open addressing by the hash of a key; the length is a power of two
	live  int     // places taken

	prec   precision // of the current instruction
	f      *format   // the format for it
	site   cause     // the current instruction
	texels texels
	// point is the point of the box at which values are evaluated, or 0 for the whole box.
	point uint64
	// unknown gives terms of unknown constants the range of an unknown constant, see growth.growingSinks.
	unknown bool
	// fused receives each instruction that amplifies the error of a sum with a product.
	fused func(cause)
	drawn []drawn // leaves that a point decides
	// marked is the number of terms at the last mark. changed lists those of them that have changed since.
	marked  int
	changed []changed

	several []value // for hull
	args    [3]ref  // for evaluate
}

// ref is a term of a graph.
type ref int32

// place is a slot of the hash table: a term, 0 for none, and the hash of its key.
type place struct {
	ref  ref
	hash uint32
}

// node is a term with its value.
type node struct {
	key  key
	site cause // the instruction that created it
	value
	// squares lists the terms whose squares this one sums: x, y and z of dot(v, v). They identify a
	// component of a normalised vector.
	squares []ref
	// mean holds the operands of a mean (see mix), if the term is one.
	mean [3]ref
	// known and fixed report that the term consists of literals only, or of literals and constants that the
	// host sets.
	known, fixed bool
}

// key identifies a term. Terms of different precisions differ, because their roundings do.
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
	kindRound // a conversion to another format
	kindSplit // one addition of a sum in any order; the third argument is its tuple
	kindInterpolate
	kindFetch
	kindChoose
	kindHull
	kindTuple
	kindOneOf
	kindFresh
)

// cause is the number of an instruction that amplifies errors, 0 for none.
type cause int32

func newGraph(hw *Arithmetic) *graph {
	g := idle.Get().(*graph)
	*g = graph{hw: hw, nodes: g.nodes[:1], table: g.table, drawn: g.drawn[:0], several: g.several, f: &hw.vertex}
	return g
}

// compute sets the precision of the current instruction.
func (g *graph) compute(p precision) { g.prec, g.f = p, g.hw.format(p) }

// idle pools graphs without terms: an analysis needs one for every point.
var idle = sync.Pool{New: func() any { return &graph{nodes: make([]node, 1, 256), table: make([]place, 512)} }}

// release clears g and returns it to the pool.
func (g *graph) release() {
	if g == nil {
		return
	}
	clear(g.nodes)
	clear(g.table)
	idle.Put(g)
}

// valueOf returns the value of x.
func (g *graph) valueOf(x ref) *value { return &g.nodes[x].value }

// internTerm returns the node for k in the current precision. It evaluates new nodes.
func (g *graph) internTerm(k key) ref {
	k.prec = g.prec
	hash := k.hash()
	if p := g.findSlot(&k, hash); p.ref != 0 {
		return p.ref
	}
	return g.insert(&k, hash, g.evaluate(&k))
}

// given returns the node for k, with value v if it is new.
func (g *graph) given(k key, v value) ref {
	k.prec = g.prec
	hash := k.hash()
	if p := g.findSlot(&k, hash); p.ref != 0 {
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
	*g.findSlot(k, hash) = place{x, hash}
	return x
}

// guess gives a term of constants alone, at least one of which is unknown, the range of an unknown
// constant: -1..1 (see growth.growingSinks).
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
	if n.fixed && !n.known && n.exactMax() > 1 {
		n.value = exactly(-1, 1)
		n.round(g.f, g.f.unit)
	}
}

// findSlot returns the slot of the term for k, or the slot for inserting it.
func (g *graph) findSlot(k *key, hash uint32) *place {
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
			*g.findSlot(&g.nodes[p.ref].key, p.hash) = p
		}
	}
}

// hash mixes the whole key except the precision, which has few values.
func (k *key) hash() uint32 {
	x := uint64(k.kind)<<56 ^ uint64(k.prim)<<48 ^ uint64(k.a[0])<<32 ^ uint64(k.a[1])<<16 ^ uint64(k.a[2])
	return uint32(scramble(x ^ scramble(k.aux)))
}

// tuple returns a term for a list of others.
func (g *graph) tuple(list []ref) (t ref) {
	for i := range list {
		t = g.given(key{kind: kindTuple, a: [3]ref{t, list[len(list)-1-i]}}, unlimited())
	}
	return t
}

// listed iterates over the values of the terms in a tuple.
func (g *graph) listed(t ref) iter.Seq[*value] {
	return func(yield func(*value) bool) {
		for ; t != 0 && yield(g.valueOf(g.nodes[t].key.a[1])); t = g.nodes[t].key.a[0] {
		}
	}
}

// fresh returns a new term that equals no other.
func (g *graph) fresh(v value) ref {
	g.nodes = append(g.nodes, node{key: key{kind: kindFresh}, value: v})
	return ref(len(g.nodes) - 1)
}

// oneOf returns a new term that is an unknown one of several. flips reports that the computed value may be
// another one than the exact value.
func (g *graph) oneOf(flips bool, list []ref) ref {
	k := key{kind: kindOneOf, prec: g.prec, a: [3]ref{g.tuple(list)}}
	if flips {
		k.aux = 1
	}
	g.nodes = append(g.nodes, node{key: k, site: g.site, value: g.evaluate(&k)})
	return ref(len(g.nodes) - 1)
}

// leafTerm returns an external value, identified by its number.
func (g *graph) leafTerm(number uint64, lo, hi float64, whole bool) ref {
	return g.given(key{kind: kindLeaf, aux: number}, g.outside(lo, hi, whole))
}

// outside returns the value of a leaf in a range.
func (g *graph) outside(lo, hi float64, whole bool) value {
	v := exactly(lo, hi)
	v.whole = whole
	g.roundLoaded(&v)
	return v
}

// roundLoaded rounds an external value, if the format is a narrow one.
func (g *graph) roundLoaded(v *value) {
	if g.f.leaf && !(v.whole && v.exactMax() <= g.f.exact) {
		v.round(g.f, g.f.unit)
	}
}

// literal returns a constant with these bits of a float.
func (g *graph) literal(bits uint32) ref {
	x := float64(math.Float32frombits(bits))
	return g.given(key{kind: kindLiteral, aux: math.Float64bits(x)}, g.number(x))
}

// number returns the value of a literal.
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
	return g.internTerm(key{kind: kindNeg, a: [3]ref{x}})
}

// Add sorts its terms, so that a+b and b+a are the same term.
func (g *graph) Add(a, b ref) ref {
	return g.sumOf(key{kind: kindAdd, a: sorted(a, b)})
}

// sumOf returns the sum k. A sum of at most four squares records their operands.
func (g *graph) sumOf(k key) ref {
	fresh := len(g.nodes)
	x := g.internTerm(k)
	if int(x) == fresh {
		p, q := g.nodes[k.a[0]].squares, g.nodes[k.a[1]].squares
		if len(p) > 0 && len(q) > 0 && len(p)+len(q) <= 4 {
			g.nodes[x].squares = append(slices.Clone(p), q...)
		}
	}
	return x
}

func sorted(a, b ref) [3]ref { return [3]ref{min(a, b), max(a, b)} }

// roundedSum returns a+b, rounded for a magnitude of at least size. Adding zero does not round, and neither do
// sums of integers that the format holds. A sum of opposite terms is 0, except for a product that may be
// fused with it.
func (g *graph) roundedSum(a, b ref, size float64) value {
	x, y := *g.valueOf(a), *g.valueOf(b)
	if isZero(&x) {
		return y
	}
	if isZero(&y) {
		return x
	}
	if g.opposite(a, b) < 0 {
		v := exactly(0, 0)
		if p := g.withoutSigns(a); g.nodes[p].key.kind == kindMul { // a product may be fused with the sum
			v.roundAt(g.f, g.f.unit, x.computedMax(), false)
		}
		return v
	}
	v := value{lo: x.lo + y.lo, hi: x.hi + y.hi, clo: x.clo + y.clo, chi: x.chi + y.chi, err: x.err + y.err,
		cause: worse(&x, &y)}
	if v.whole = x.whole && y.whole; v.whole && v.exactMax() <= g.f.exact {
		return v
	}
	v.settle()
	if size == 0 {
		v.round(g.f, g.f.unit)
		return v
	}
	positive := x.clo >= 0 && y.clo >= 0
	v.roundAt(g.f, g.f.unit, max(size, v.computedMax()), false)
	if positive {
		v.clo = max(v.clo, 0)
	}
	return v
}

// sumTerms adds terms in any order, since hardware chooses the order for products of vectors. Each of the n-1
// additions rounds a partial sum that is at most the sum of all magnitudes (Higham, section 4.2). Every
// step therefore rounds for that magnitude (kindSplit).
func (g *graph) sumTerms(terms []ref) ref {
	if len(terms) == 2 { // both orders are the same
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

// magnitude returns the sum of the magnitudes of all terms of a tuple.
func (g *graph) magnitude(t ref) (total float64) {
	for v := range g.listed(t) {
		total += v.computedMax()
	}
	return total
}

func isZero(v *value) bool { return v.lo == 0 && v.hi == 0 && v.err == 0 }

// worse returns the cause of the larger error.
func worse(x, y *value) cause {
	if y.err > x.err && y.cause != 0 || x.cause == 0 {
		return y.cause
	}
	return x.cause
}

// withoutSigns returns x without signs.
func (g *graph) withoutSigns(x ref) ref {
	for {
		n := &g.nodes[x]
		if n.key.kind != kindNeg && (n.key.kind != kindCall || n.key.prim != ir.PrimAbs) {
			return x
		}
		x = n.key.a[0]
	}
}

// Mul sorts its factors and cancels their signs.
func (g *graph) Mul(a, b ref) ref {
	if p, q := &g.nodes[a].key, &g.nodes[b].key; p.kind == kindNeg && q.kind == kindNeg {
		a, b = p.a[0], q.a[0]
	}
	fresh := len(g.nodes)
	x := g.internTerm(key{kind: kindMul, a: sorted(a, b)})
	if n := &g.nodes[x]; int(x) == fresh && g.squared(n) {
		n.squares = []ref{g.withoutSigns(a)}
	}
	return x
}

// squared reports whether a product is the square of a term.
func (g *graph) squared(n *node) bool {
	return n.lo >= 0 && g.withoutSigns(n.key.a[0]) == g.withoutSigns(n.key.a[1])
}

// roundedProduct returns a*b. A square is not negative, a component of a normalised vector is at most 1, and
// multiplying by a power of two does not round.
func (g *graph) roundedProduct(a, b ref) value {
	x, y := *g.valueOf(a), *g.valueOf(b)
	if isZero(&x) || isZero(&y) {
		return exactly(0, 0) // or not a number, which bounds exclude
	}
	v := value{cause: worse(&x, &y)}
	v.lo, v.hi = productRange(x.lo, x.hi, y.lo, y.hi)
	v.clo, v.chi = productRange(x.clo, x.chi, y.clo, y.chi)
	if g.withoutSigns(a) == g.withoutSigns(b) {
		g.square(a, b, &v)
	}
	// |x'y' - xy| <= |x'-x||y| + |x'||y'-y|, and also with x and y exchanged.
	v.err = min(product(x.err, y.exactMax())+product(x.computedMax(), y.err),
		product(x.err, y.computedMax())+product(x.exactMax(), y.err))
	if q := g.normal(a, b); q {
		v.clamp(-1, 1)
		// The computed one may exceed 1, because rsq and the dot product have errors. This bound is not
		// sharp.
		slop := 4 * (g.hw.reciprocal + 4*g.f.unit)
		v.clo, v.chi = v.clo-slop, v.chi+slop
	}
	if v.whole = x.whole && y.whole; v.whole && v.exactMax() <= g.f.exact {
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

// square narrows the product v of a term with itself, up to sign, where the signs are known.
func (g *graph) square(a, b ref, v *value) {
	x := g.valueOf(a)
	lo, hi := x.exactMin()*x.exactMin(), x.exactMax()*x.exactMax()
	clo, chi := x.computedMin()*x.computedMin(), x.computedMax()*x.computedMax()
	switch opposite := g.opposite(a, b); {
	case opposite == 0:
	case opposite < 0:
		v.lo, v.hi, v.clo, v.chi = -hi, -lo, -chi, -clo
	default:
		v.lo, v.hi, v.clo, v.chi = lo, hi, clo, chi
	}
}

// opposite compares terms that are equal up to sign: 1 if they are equal, -1 if one is the negative of the
// other. It returns 0 if that depends on the value; callers then use magnitudes.
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

// normal reports whether a*b is a component of a vector divided by its length, which is at most 1 for any
// vector.
func (g *graph) normal(a, b ref) bool {
	for range 2 {
		if n := &g.nodes[a]; n.key.kind == kindCall && n.key.prim == ir.PrimRsq &&
			slices.Contains(g.nodes[n.key.a[0]].squares, g.withoutSigns(b)) {
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
