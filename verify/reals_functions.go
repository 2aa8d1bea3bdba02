package verify

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// functions remembers how values came about, by image, so that what holds of a function
// of a product, a quotient or another function's value can be used.
type functions struct {
	factors  map[image][2]element // of products
	inverted map[image]element    // of reciprocals
	roots    []known              // of 1/sqrt|x|
	exps     []known
	logs     []known
	sines    []known
	// composite are logarithms that are sums of others.
	composite []known
	exponent  map[image]element // of values of exp2
	// exponents are those that were met, and sums those of them that are sums of two others.
	exponents   map[image]element
	sums        map[image][2]element
	reciprocals map[image]bool // values that are inverses of others
	integers    map[image]bool // values of floor
	below1      map[image]bool // values of x - floor(x)
	rank        map[image]int  // in which order values were met
}

// known is the value that a function has at x.
type known struct {
	x, val element
	gen    int32
}

func (m *functions) init() {
	m.factors, m.inverted, m.exponent = map[image][2]element{}, map[image]element{}, map[image]element{}
	m.exponents, m.reciprocals = map[image]element{}, map[image]bool{}
	m.integers, m.below1, m.rank = map[image]bool{}, map[image]bool{}, map[image]int{}
}

// searched are those of list that a new value is compared with.
func searched(list []known) []known { return list[:min(len(list), maxSearched)] }

// order numbers values, but for their signs, in the order in which they are met.
func (r *reals) order(x element) int {
	u, _ := r.unsigned(x.v)
	n, ok := r.made.rank[u]
	if !ok {
		n = len(r.made.rank)
		r.made.rank[u] = n
	}
	return n
}

// multiplied notes that x is a*b, unless x was there before its factors: what is taken
// apart by factors must come to an end.
func (r *reals) multiplied(x, a, b element) {
	if len(r.made.rank) > maxValues {
		return
	}
	first := max(r.order(a), r.order(b))
	if r.order(x) > first {
		u, neg := r.unsigned(x.v)
		if neg {
			a = element{v: r.neg(a.v), deg: a.deg}
		}
		r.made.factors[u] = [2]element{a, b}
	}
}

// factors are two values that x, which has no generators, is known to be the product of.
func (r *reals) factors(x element) (a, b element, ok bool) {
	u, neg := r.unsigned(x.v)
	ab, ok := r.made.factors[u]
	if !ok || hasTerms(x) || r.nested > maxDepth {
		return a, b, false
	}
	if a, b = ab[0], ab[1]; neg {
		a = r.minus(a)
	}
	return a, b, true
}

// within computes something of the factors of a value.
func (r *reals) within(f func() element) element {
	r.nested++
	defer func() { r.nested-- }()
	return f()
}

// Call implements ir.Algebra: a primitive, case by case of what its arguments choose.
func (r *reals) Call(p ir.Prim, args []element) element {
	switch p {
	case ir.PrimFma:
		return r.Add(r.Mul(args[0], args[1]), args[2])
	case ir.PrimDsx, ir.PrimDsy: // which look at neighbours, where conditions may be others
		return r.random(tagPrim, uint64(p), args)
	case ir.PrimAbs:
		return r.abs(args[0])
	case ir.PrimSat:
		return r.saturate(args[0])
	case ir.PrimMin, ir.PrimMinIEEE:
		return r.least(args[0], args[1])
	case ir.PrimMax, ir.PrimMaxIEEE:
		return r.greatest(args[0], args[1])
	case ir.PrimSlt, ir.PrimLT:
		return r.indicator(ir.CondLT, args[0], args[1])
	case ir.PrimSge, ir.PrimGE:
		return r.indicator(ir.CondGE, args[0], args[1])
	case ir.PrimGT:
		return r.indicator(ir.CondGT, args[0], args[1])
	case ir.PrimEQ:
		return r.indicator(ir.CondEQ, args[0], args[1])
	case ir.PrimNE:
		return r.indicator(ir.CondNE, args[0], args[1])
	case ir.PrimLE:
		return r.indicator(ir.CondLE, args[0], args[1])
	case ir.PrimSelGE:
		return r.choose(r.indicator(ir.CondGE, args[0], r.number(0)), args[1], args[2])
	case ir.PrimSgn:
		below, zero := r.sign(args[0])
		return r.Add(r.number(1), r.Neg(r.Add(zero, r.Mul(r.number(2), below))))
	case ir.PrimLitSpec:
		const limit = 127 + 255.0/256 // of the exponent, in 8.8 fixed point
		w := r.least(r.greatest(args[2], r.number(-limit)), r.number(limit))
		zero := r.number(0)
		lit := r.and(r.settled(r.indicator(ir.CondGT, args[0], zero)), r.settled(r.indicator(ir.CondGT, args[1], zero)))
		return r.choose(lit, r.Call(ir.PrimPow, []element{args[1], w}), zero)
	}
	for _, x := range args {
		if r.opaqueLiteral(x) {
			return r.random(tagPrim, uint64(p), args)
		}
	}
	if !r.splitting && len(r.conditions(args)) > 0 {
		return r.random(tagPrim, uint64(p), args)
	}
	return r.split(args, func(args []element) element { return r.primitive(p, args) })
}

// primitive applies p to what makes no choices.
func (r *reals) primitive(p ir.Prim, args []element) element {
	x := args[0]
	switch p {
	case ir.PrimRcp:
		return r.reciprocalOf(x)
	case ir.PrimRsq:
		return r.root(x)
	case ir.PrimSqrt:
		return r.reciprocal(r.root(x))
	case ir.PrimExp2:
		return r.exp(x)
	case ir.PrimLog2:
		return r.log(x)
	case ir.PrimPow:
		if y, ok := r.isConstant(args[1]); ok && isHalves(y) {
			return r.power(x, int(2*y))
		}
		return r.exp(r.Mul(args[1], r.log(x)))
	case ir.PrimFloor:
		return r.floor(x)
	case ir.PrimCeil:
		return r.Neg(r.floor(r.Neg(x)))
	case ir.PrimFrc:
		return r.fract(x)
	case ir.PrimSin:
		return r.sine(x)
	case ir.PrimCos:
		return r.cosine(x)
	}
	return r.random(tagPrim, uint64(p), args)
}

func (r *reals) inverse(v image) image {
	r.unpaid++
	return image{r.mod[0].invert(v[0]), r.mod[1].invert(v[1])}
}

// invert is the multiplicative inverse of a, by Fermat's little theorem; that of 0 is 0.
func (m *modulus) invert(a uint64) uint64 {
	x := m.one
	for e := m.p - 2; e > 0; e >>= 1 {
		if e&1 != 0 {
			x = m.mul(x, a)
		}
		a = m.mul(a, a)
	}
	return x
}

// reciprocal is 1/x.
func (r *reals) reciprocal(x element) element {
	return r.split([]element{x}, func(x []element) element { return r.reciprocalOf(x[0]) })
}

// reciprocalOf is 1/x of what makes no choice.
func (r *reals) reciprocalOf(x element) element {
	terms := r.terms(x)
	switch {
	case len(terms) == 0:
		return r.random(tagPrim, uint64(ir.PrimRcp), []element{x})
	case !hasTerms(x):
		return r.inverseOf(x)
	case len(terms) == 1:
		// The reciprocal of a generator is a multiple of it.
		gens := r.monomials[terms[0].of]
		y := r.inverseOf(terms[0].by)
		for _, g := range gens {
			y = r.Mul(y, r.Mul(r.generated(g), r.reciprocal(r.gens[g].square)))
		}
		return y
	case len(terms) <= 4 && len(r.conditions([]element{x})) == 0:
		// With x = a + b*s, 1/x is (a - b*s) / (a*a - b*b*s*s).
		s := r.monomials[terms[len(terms)-1].of][0]
		c, d := r.conjugate(x, s)
		if d.v != (image{}) {
			return r.Mul(c, r.reciprocal(d))
		}
	}
	return r.random(tagPrim, uint64(ir.PrimRcp), []element{x})
}

// conjugate changes the sign of generator s in x, and returns the product of both too.
func (r *reals) conjugate(x element, s int32) (c, norm element) {
	var out []summandOf
	for _, t := range r.terms(x) {
		for _, g := range r.monomials[t.of] {
			if g == s {
				t.by = r.minus(t.by)
			}
		}
		out = append(out, t)
	}
	c = r.form(out)
	return c, r.Mul(x, c)
}

// inverseOf is the reciprocal of a value without generators, as a variable whose degree
// counts as 1; what it stands for is in inverses.
func (r *reals) inverseOf(x element) element {
	f := r.about(x)
	if c, ok := r.isConstant(x); ok && isPowerOfTwo(c) {
		return r.number(1 / c)
	}
	v := r.inverse(x.v)
	if _, ok := r.made.inverted[v]; !ok {
		r.made.inverted[v], r.made.reciprocals[v] = x, true
		r.made.inverted[x.v] = element{v: v, deg: 1, more: &traits{depends: f.depends, poles: true}}
		degree := x.deg
		for i, d := range r.inverses {
			if f.depends>>min(i, 63)&1 != 0 {
				degree += x.deg * d
			}
		}
		r.inverses = append(r.inverses, degree)
		r.spread += degree
	}
	f.depends |= 1 << min(len(r.inverses)-1, 63)
	return r.coefficient(element{v: v, deg: 1}, traits{depends: f.depends, nonNegative: f.nonNegative, positive: f.positive, poles: true})
}

func isPowerOfTwo(x float32) bool {
	frac, _ := math.Frexp(float64(x))
	return math.Abs(frac) == 0.5 && math.Abs(float64(x)) >= 0x1p-126 && math.Abs(float64(x)) <= 0x1p126
}

// root is 1/sqrt|x|.
func (r *reals) root(x element) element {
	if c, ok := r.isConstant(x); ok {
		if s := math.Sqrt(math.Abs(float64(c))); c != 0 && isFloat(s) && s*s == math.Abs(float64(c)) {
			return r.reciprocal(r.number(float32(s)))
		}
	}
	if y, ok := r.rootOfKnown(x); ok {
		return y
	}
	if terms := r.terms(x); hasTerms(x) && len(terms) == 1 {
		y := r.root(terms[0].by)
		for _, g := range r.monomials[terms[0].of] {
			y = r.Mul(y, r.rootOf(r.generated(g)))
		}
		return y
	}
	if a, b, ok := r.factors(x); ok {
		if a.v == b.v || a.v == r.neg(b.v) {
			return r.reciprocal(r.abs(a))
		}
		if r.isSquareOrUnknown(a) && r.isSquareOrUnknown(b) {
			return r.within(func() element { return r.Mul(r.root(a), r.root(b)) })
		}
	}
	if y, ok := r.made.inverted[x.v]; ok && !hasTerms(x) {
		if y, ok := r.rootOfKnown(y); ok {
			return r.reciprocal(y)
		}
	}
	return r.rootOf(x)
}

// isSquareOrUnknown reports whether x is no literal, or one with a root.
func (r *reals) isSquareOrUnknown(x element) bool {
	c, ok := r.isConstant(x)
	s := math.Sqrt(math.Abs(float64(c)))
	return !ok || c != 0 && isFloat(s) && s*s == math.Abs(float64(c))
}

// rootOfKnown finds the root of x if x is, but for a square and a sign, what the root was
// taken of before, or the product of two such.
func (r *reals) rootOfKnown(x element) (y element, ok bool) {
	for _, k := range searched(r.made.roots) {
		if k.x.v == x.v || k.x.v == r.neg(x.v) {
			return k.val, true
		}
	}
	if x.v == (image{}) {
		return y, false
	}
	r.tests += float64(len(r.made.roots) * (len(r.literals) + len(r.made.factors)))
	for _, k := range searched(r.made.roots) {
		ratio := r.field.Mul(x, element{v: r.inverse(k.x.v)}).v
		if c, ok := r.literalRatio(ratio); ok {
			if s := math.Sqrt(math.Abs(float64(c))); isFloat(s) && s*s == math.Abs(float64(c)) {
				return r.Mul(k.val, r.reciprocal(r.number(float32(s)))), true
			}
		}
		if a, b, ok := r.factors(element{v: ratio}); ok && (a.v == b.v || a.v == r.neg(b.v)) {
			return r.Mul(k.val, r.reciprocal(r.abs(a))), true
		}
		if s, ok := r.squares[ratio]; ok {
			return r.Mul(k.val, r.reciprocal(r.number(s))), true
		}
		if s, ok := r.squares[r.inverse(ratio)]; ok {
			return r.Mul(k.val, r.number(s)), true
		}
	}
	return y, false
}

// rootOf is 1/sqrt|x| as a generator.
func (r *reals) rootOf(x element) element {
	if y, ok := r.rootOfKnown(x); ok {
		return y
	}
	below, _ := r.sign(x)
	square := r.reciprocal(r.choose(below, r.Neg(x), x))
	if !hasTerms(x) {
		sign := r.Add(r.number(1), r.Neg(r.Mul(r.number(2), below)))
		square = r.Mul(r.inverseOf(x), sign)
	}
	g := r.generate(generator{kind: isRoot, val: r.random(tagPrim, uint64(ir.PrimRsq), []element{x}), square: square, of: x})
	y := r.generated(g)
	r.made.roots = append(r.made.roots, known{x: x, val: y, gen: g})
	return y
}

// exp is 2^x: integers are taken out of the exponent, and logarithms, with literal factors
// that are integers or halves of some, are undone.
func (r *reals) exp(x element) element {
	if c, ok := r.isConstant(x); ok && math.Abs(float64(c)) <= 126 && c == float32(math.Trunc(float64(c))) {
		return r.number(float32(math.Ldexp(1, int(c))))
	}
	if hasTerms(x) {
		return r.expOf(x)
	}
	f := r.about(x)
	if n := math.Floor(float64(f.constant)); n != 0 && math.Abs(n) <= 126 {
		return r.Mul(r.number(float32(math.Ldexp(1, int(n)))), r.exp(r.plus(x, r.number(float32(-n)))))
	}
	if parts, ok := r.made.sums[x.v]; ok && r.nested <= maxDepth {
		return r.within(func() element { return r.Mul(r.exp(parts[0]), r.exp(parts[1])) })
	}
	if len(r.made.exponents) < maxSearched {
		r.made.exponents[x.v] = x
	}
	if y, ok := r.expKnown(x); ok {
		return y
	}
	// Sums and differences of exponents met before.
	for _, k := range searched(r.made.exps) {
		for _, sign := range [2]bool{false, true} {
			part, factor := k.x, k.val
			if sign {
				part, factor = r.minus(k.x), r.reciprocal(k.val)
			}
			rest := r.plus(x, r.minus(part))
			if y, ok := r.expKnown(rest); ok {
				return r.Mul(factor, y)
			}
		}
	}
	for _, k := range searched(r.made.logs) {
		for _, n := range [...]float32{1, -1, 2, -2, 0.5, -0.5} {
			rest := r.plus(x, r.minus(r.times(k.val, r.number(n))))
			if y, ok := r.expKnown(rest); ok {
				return r.Mul(r.power(k.x, int(2*n)), y)
			}
		}
	}
	return r.expOf(x)
}

// resolve finds which of the exponents that were met are sums of two others: their powers are
// products then, whichever was met first.
func (r *reals) resolve() {
	list := make([]element, 0, len(r.made.exponents))
	for _, x := range r.made.exponents {
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b element) int { return slices.Compare(a.v[:], b.v[:]) })
	r.tests += float64(len(list) * len(list))
	r.made.sums, r.made.exps = map[image][2]element{}, nil
	for i, a := range list {
		for _, b := range list[i:] {
			sum := r.field.Add(a, b).v
			_, met := r.made.exponents[sum]
			if _, found := r.made.sums[sum]; met && !found && !r.madeOf(a.v, sum) && !r.madeOf(b.v, sum) {
				r.made.sums[sum] = [2]element{a, b}
			}
		}
	}
}

// madeOf reports whether exponent x is part, or a sum of which part is one.
func (r *reals) madeOf(x, part image) bool {
	if x == part {
		return true
	}
	parts, ok := r.made.sums[x]
	return ok && (r.madeOf(parts[0].v, part) || r.madeOf(parts[1].v, part))
}

// expKnown is 2^x where that follows from what was computed before.
func (r *reals) expKnown(x element) (y element, ok bool) {
	if c, ok := r.isConstant(x); ok && math.Abs(float64(c)) <= 126 && c == float32(math.Trunc(float64(c))) {
		return r.number(float32(math.Ldexp(1, int(c)))), true
	}
	if y, ok := r.powerOfKnown(x); ok {
		return y, true
	}
	for _, k := range searched(r.made.exps) {
		if n, ok := r.halves(x, k.x); ok {
			return r.power(k.val, n), true
		}
	}
	return y, false
}

// halves reads x as a multiple of y by a few halves.
func (r *reals) halves(x, y element) (n int, ok bool) {
	if y.v == (image{}) {
		return 0, false
	}
	r.tests += float64(len(r.literals))
	k, ok := r.literalRatio(r.field.Mul(x, element{v: r.inverse(y.v)}).v)
	return int(2 * k), ok && isHalves(k)
}

// isHalves reports whether x is a multiple of a half by few of them.
func isHalves(x float32) bool {
	return math.Abs(float64(x)) <= 16 && 2*x == float32(math.Trunc(float64(2*x)))
}

// powerOfKnown is |y|^n where x is n times the logarithm of y.
func (r *reals) powerOfKnown(x element) (y element, ok bool) {
	if x.v == (image{}) {
		return y, false
	}
	for _, list := range [...][]known{r.made.logs, r.made.composite} {
		for _, k := range searched(list) {
			if n, ok := r.halves(x, k.val); ok {
				return r.power(k.x, n), true
			}
		}
	}
	return y, false
}

// power is sqrt|x| to the n-th.
func (r *reals) power(x element, n int) element {
	size := n
	if n < 0 {
		size = -n
	}
	y, factor := r.number(1), r.abs(x)
	for range size / 2 {
		y = r.Mul(y, factor)
	}
	switch {
	case n < 0 && size&1 != 0:
		return r.Mul(r.reciprocal(y), r.root(x))
	case n < 0:
		return r.reciprocal(y)
	case size&1 != 0:
		return r.Mul(y, r.reciprocal(r.root(x)))
	}
	return y
}

func (r *reals) expOf(x element) element {
	for _, k := range searched(r.made.exps) {
		if k.x.v == x.v {
			return k.val
		}
	}
	y := r.atom(r.random(tagPrim, uint64(ir.PrimExp2), []element{x}), traits{positive: true})
	r.made.exps = append(r.made.exps, known{x: x, val: y})
	r.made.exponent[y.v] = x
	return y
}

// log is the logarithm of |x| to base 2.
func (r *reals) log(x element) element {
	if c, ok := r.isConstant(x); ok && isPowerOfTwo(c) {
		return r.number(float32(math.Log2(math.Abs(float64(c)))))
	}
	if terms := r.terms(x); hasTerms(x) && len(terms) == 1 {
		y := r.log(terms[0].by)
		for _, g := range r.monomials[terms[0].of] {
			if r.gens[g].kind != isRoot {
				return r.logOf(x)
			}
			y = r.Add(y, r.Mul(r.number(-0.5), r.log(r.gens[g].of)))
		}
		return y
	}
	if y, ok := r.logKnown(x); ok {
		return y
	}
	if y, ok := r.made.exponent[x.v]; ok {
		return y
	}
	if hasTerms(x) {
		return r.logOf(x)
	}
	if a, b, ok := r.factors(x); ok {
		y := r.within(func() element { return r.Add(r.log(a), r.log(b)) })
		r.made.composite = append(r.made.composite, known{x: x, val: y})
		return y
	}
	if y, ok := r.made.inverted[x.v]; ok {
		if k, ok := r.logKnown(y); ok {
			return r.Neg(k)
		}
		if r.made.reciprocals[x.v] && !r.made.reciprocals[y.v] && r.nested <= maxDepth {
			return r.Neg(r.within(func() element { return r.log(y) }))
		}
		if k, ok := r.made.exponent[y.v]; ok {
			return r.Neg(k)
		}
	}
	return r.logOf(x)
}

func (r *reals) logKnown(x element) (y element, ok bool) {
	for _, k := range searched(r.made.logs) {
		if k.x.v == x.v || k.x.v == r.neg(x.v) {
			return k.val, true
		}
	}
	return y, false
}

func (r *reals) logOf(x element) element {
	if y, ok := r.logKnown(x); ok {
		return y
	}
	y := r.atom(r.random(tagPrim, uint64(ir.PrimLog2), []element{x}), traits{poles: true})
	r.made.logs = append(r.made.logs, known{x: x, val: y})
	return y
}

// floor takes integers out of what it is of.
func (r *reals) floor(x element) element {
	if c, ok := r.isConstant(x); ok {
		return r.number(float32(math.Floor(float64(c))))
	}
	if hasTerms(x) {
		return r.random(tagPrim, uint64(ir.PrimFloor), []element{x})
	}
	n := float32(math.Floor(float64(r.about(x).constant)))
	y := x
	if n != 0 {
		y = r.plus(x, r.number(-n))
	}
	switch {
	case r.made.integers[y.v]:
	case r.made.below1[y.v]:
		y = r.number(0)
	default:
		z := r.atom(r.random(tagPrim, uint64(ir.PrimFloor), []element{y}), traits{})
		r.made.integers[z.v] = true
		y = z
	}
	return r.Add(y, r.number(n))
}

func (r *reals) fract(x element) element {
	y := r.Add(x, r.Neg(r.floor(x)))
	r.made.below1[y.v] = true
	if !hasTerms(y) {
		f := r.about(y)
		f.nonNegative = true
		y = r.coefficient(y, f)
	}
	return y
}

// sine is odd, and its square what the cosine's leaves.
func (r *reals) sine(x element) element {
	for _, k := range searched(r.made.sines) {
		switch x.v {
		case k.x.v:
			return k.val
		case r.neg(k.x.v):
			return r.Neg(k.val)
		}
	}
	c := r.cosine(x)
	square := r.Add(r.number(1), r.Neg(r.Mul(c, c)))
	g := r.generate(generator{kind: isSine, val: r.random(tagPrim, uint64(ir.PrimSin), []element{x}), square: square, of: x})
	y := r.generated(g)
	r.made.sines = append(r.made.sines, known{x: x, val: y, gen: g})
	return y
}

// cosine is even.
func (r *reals) cosine(x element) element {
	minus := r.neg(x.v)
	if x.v[0] > minus[0] {
		x = element{v: minus, deg: x.deg}
	}
	return r.atom(r.random(tagPrim, uint64(ir.PrimCos), []element{x}), traits{})
}
