package verify

import (
	"github.com/shaderlift/shaderlift/ir"
)

// sign is when x is less than 0 and when it is 0. A quantity is compared as the member of
// its family: x = p*y + q with literals p and q is less than 0 where y is less than -q/p, if
// p is positive. Positive factors do not matter.
func (r *reals) sign(x element) (below, zero element) {
	if !hasTerms(x) {
		return r.signOf(x)
	}
	below = r.split([]element{x}, func(x []element) element {
		c, _ := r.signOf(x[0])
		return c
	})
	zero = r.split([]element{x}, func(x []element) element {
		_, c := r.signOf(x[0])
		return c
	})
	return below, zero
}

// signOf is sign of what makes no choice.
func (r *reals) signOf(x element) (below, zero element) {
	x = r.withoutRoots(x)
	f := r.about(x)
	if hasTerms(x) && x.more.terms[0].of == 0 {
		f.constant = r.about(x.more.terms[0].by).constant
	}
	if c, ok := r.isConstant(x); ok {
		return r.bit(c < 0), r.bit(c == 0)
	}
	if f.positive {
		return r.bit(false), r.bit(false)
	}
	y := r.plus(element{v: x.v, deg: x.deg}, r.number(-f.constant))
	if r.factoring && f.constant == 0 && !hasTerms(x) {
		if a, b, ok := r.factors(x); ok {
			return r.signOfProduct(a, b)
		}
	}
	i, p, inverted := r.familyOf(y)
	t := -float64(f.constant) / float64(p)
	val := r.field.Mul(r.number(-f.constant), element{v: r.inverse(r.imageOf(p))})
	if inverted { // y is 1/p times the quantity
		t = -float64(f.constant) * float64(p)
		val = r.field.Mul(r.number(-f.constant), r.number(p))
	}
	at, ok := r.families[i].at(t, val)
	if !ok {
		return r.boolean(r.random(tagCompare, 1, []element{x})), r.boolean(r.random(tagCompare, 2, []element{x}))
	}
	zero = r.comparison(i, at, isAt)
	switch {
	case f.nonNegative || r.signs[x.v]:
		return r.bit(false), zero
	case r.signs[r.neg(x.v)]:
		return r.Add(r.bit(true), r.Neg(zero)), zero
	}
	below = r.comparison(i, at, isLess)
	if p < 0 {
		below = r.Add(r.bit(true), r.Neg(r.Add(below, zero)))
	}
	return below, zero
}

// signOfProduct is sign of a*b.
func (r *reals) signOfProduct(a, b element) (below, zero element) {
	if a.v == b.v {
		_, zero = r.sign(a)
		return r.bit(false), zero
	}
	r.nested++
	defer func() { r.nested-- }()
	belowA, zeroA := r.sign(a)
	belowB, zeroB := r.sign(b)
	no := func(x element) element { return r.Add(r.bit(true), r.Neg(x)) }
	zero = no(r.Mul(no(zeroA), no(zeroB)))
	either := r.Mul(belowA, no(r.Add(belowB, zeroB)))
	return r.Add(either, r.Mul(belowB, no(r.Add(belowA, zeroA)))), zero
}

// bit is 1 where c holds, else 0.
func (r *reals) bit(c bool) element {
	if c {
		return r.number(1)
	}
	return r.number(0)
}

// withoutRoots drops the roots that a product is multiplied by: they are positive.
func (r *reals) withoutRoots(x element) element {
	terms := r.terms(x)
	if len(terms) != 1 {
		return x
	}
	for _, g := range r.monomials[terms[0].of] {
		if r.gens[g].kind != isRoot {
			return x
		}
	}
	return terms[0].by
}

// familyOf finds the family that y, or its negation, is a literal multiple p of, or if
// inverted says so, the other way round; or makes one.
func (r *reals) familyOf(y element) (i int, p float32, inverted bool) {
	if i, ok := r.familyIDs[y.v]; ok {
		return i, 1, false
	}
	if i, ok := r.familyIDs[r.neg(y.v)]; ok {
		return i, -1, false
	}
	inv := r.inverse(y.v)
	for i := range r.families[:min(len(r.families), maxSearched)] {
		fam := &r.families[i]
		r.tests += 2 * float64(len(r.literals))
		if p, ok := r.literalRatio(r.field.Mul(y, element{v: fam.inv}).v); ok {
			return i, p, false
		}
		if p, ok := r.literalRatio(r.field.Mul(fam.of, element{v: inv}).v); ok {
			return i, p, true
		}
	}
	r.seen(y)
	r.families = append(r.families, family{of: y, inv: inv})
	n := len(r.families) - 1
	r.familyIDs[y.v] = n
	if r.join(); r.families[n].of.v != y.v {
		return n, -1, false
	}
	return n, 1, false
}

// literalRatio reads a ratio as a literal of the programs, of either sign.
func (r *reals) literalRatio(ratio image) (float32, bool) {
	if p, ok := r.literals[ratio]; ok {
		return p, p != 0
	}
	p, ok := r.literals[r.neg(ratio)]
	return -p, ok && p != 0
}

// at is the number of a threshold of the family. It fails if another one is so close that
// their order is not known.
func (f *family) at(t float64, val element) (n int, ok bool) {
	for i := range f.points {
		if f.points[i].t == t {
			return i, f.points[i].val.v == val.v
		}
	}
	f.points = append(f.points, threshold{t: t, val: val, less: -1, at: -1})
	return len(f.points) - 1, true
}

// comparison is the condition that the quantity of family i is less than one of its
// points, or equal to it.
func (r *reals) comparison(i, at int, kind generatorKind) element {
	fam := &r.families[i]
	p := &fam.points[at]
	g := &p.less
	if kind == isAt {
		g = &p.at
	}
	if *g < 0 {
		val := r.random(tagCompare, uint64(kind), []element{fam.of, p.val})
		*g = r.generate(generator{kind: kind, family: int32(i), point: int32(at), val: val})
	}
	return r.generated(*g)
}

// at is x, a value without generators, where the quantity of f is the literal p: what is
// a multiple of the quantity, and finite there, becomes one of the literal.
func (r *reals) at(x element, f *family, p *threshold) element {
	known := r.about(x)
	constant := element{v: r.imageOf(known.constant)}
	rest := r.field.Add(x, element{v: r.neg(constant.v)})
	if rest.v == (image{}) {
		return x
	}
	ratio := r.field.Mul(rest, element{v: f.inv}).v
	r.tests += 2 * float64(len(r.finite)+len(r.literals))
	k, isLiteral := r.literalRatio(ratio)
	multiple := isLiteral || r.finite[ratio] || r.finite[r.neg(ratio)]
	if !multiple {
		_, multiple = r.literalRatio(r.inverse(ratio))
	}
	switch {
	case isLiteral && p.val.v == r.imageOf(float32(p.t)) && isFloat(float64(k)*p.t) && exactSum(float64(known.constant), float64(k)*p.t):
		return r.number(float32(float64(known.constant) + float64(k)*p.t))
	case !multiple:
		return x
	case p.t == 0:
		return r.number(known.constant)
	}
	product := r.field.Mul(element{v: ratio, deg: x.deg}, p.val)
	return r.coefficient(r.field.Add(product, constant), traits{depends: known.depends, poles: known.poles})
}

// Conditions.

// settled is c with the encoding of a literal truth value, if it is one.
func (r *reals) settled(c element) element {
	if hasTerms(c) {
		return c
	}
	switch c.v {
	case r.one():
		return r.always()
	case image{}:
		return element{isBits: true}
	}
	return c
}

func (r *reals) compare(c ir.Cond, a, b element) element {
	if r.opaqueLiteral(a) || r.opaqueLiteral(b) {
		return r.boolean(r.field.compare(c, a, b))
	}
	return r.settled(r.indicator(c, a, b))
}

// indicator is 1 where a comparison holds and 0 elsewhere.
func (r *reals) indicator(c ir.Cond, a, b element) element {
	below, zero := r.sign(r.Add(a, r.Neg(b)))
	complement := func(x element) element { return r.Add(r.number(1), r.Neg(x)) }
	switch c {
	case ir.CondGT:
		return complement(r.Add(below, zero))
	case ir.CondEQ:
		return zero
	case ir.CondGE:
		return complement(below)
	case ir.CondLT:
		return below
	case ir.CondNE:
		return complement(zero)
	}
	return r.Add(below, zero)
}

func (r *reals) boolean(x element) element {
	if x.isBits {
		return r.field.boolean(x)
	}
	if hasTerms(x) {
		return x
	}
	if s := r.settled(x); s.isBits {
		return s
	}
	for i := range r.gens {
		if g := &r.gens[i]; g.kind == isTruth && g.of.v == x.v {
			return r.generated(int32(i))
		}
	}
	val := r.random(tagTruth, 1, []element{x})
	return r.generated(r.generate(generator{kind: isTruth, val: val, of: x}))
}

func (r *reals) not(c element) element {
	if c.isBits {
		return r.field.not(c)
	}
	return r.settled(r.Add(r.number(1), r.Neg(c)))
}

func (r *reals) and(a, b element) element {
	if a.isBits || b.isBits {
		return r.field.and(a, b)
	}
	return r.settled(r.Mul(a, b))
}

func (r *reals) choose(c, a, b element) element {
	switch holds, known := r.truth(r.settled(c)); {
	case known && holds || a.v == b.v:
		return a
	case known:
		return b
	}
	return r.chosen(r.Add(b, r.Mul(c, r.Add(a, r.Neg(b)))), a, b)
}

// least is the lesser of a and b, and greatest the other.
func (r *reals) least(a, b element) element {
	return r.choose(r.indicator(ir.CondLT, a, b), a, b)
}

func (r *reals) greatest(a, b element) element {
	return r.choose(r.indicator(ir.CondLT, a, b), b, a)
}

func (r *reals) saturate(x element) element {
	if c, ok := r.isConstant(x); ok {
		return r.number(min(max(c, 0), 1))
	}
	y := r.least(r.greatest(x, r.number(0)), r.number(1))
	if _, ok := r.clamped[y.v]; !ok && y.v != x.v && r.clamped != nil {
		r.clamped[y.v] = x
	}
	return y
}

// abs is x times its sign.
func (r *reals) abs(x element) element {
	if x.isBits {
		return r.literal(x.lit &^ signBit)
	}
	below, _ := r.sign(x)
	return r.choose(below, r.Neg(x), x)
}
