package reals

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// signConditions returns the conditions x < 0 and x = 0 as forms. A quantity is compared as the member of its family:
// x = p*y + q with literals p and q is less than 0 where y is less than -q/p, for positive p. So 2*a < 1
// and a < 0.5 are one generator. Positive factors have no effect.
func (r *Reals) signConditions(x Element) (below, zero Element) {
	if !hasTerms(x) {
		return r.signOf(x)
	}
	return r.below(x), r.zeroCondition(x)
}

// below and zero return one half of sign each. In a form with cases, each half splits over all cases.
func (r *Reals) below(x Element) Element {
	return r.halfSign(x, 0, func(below, _ Element) Element { return below })
}

func (r *Reals) zeroCondition(x Element) Element {
	return r.halfSign(x, 1, func(_, zero Element) Element { return zero })
}

// halfSign returns half n of sign. It caches the result for forms, except within a case or a product, where
// a form may be restricted. Both versions have most values in common, and roundings compute them again.
func (r *Reals) halfSign(x Element, n int, half func(below, zero Element) Element) Element {
	if !hasTerms(x) {
		return half(r.signOf(x))
	}
	r.values++
	v, outermost := r.recordWeight(x).v, r.cases == 0 && r.nested == 0
	if y, ok := r.halfSigns[n][v]; ok && outermost {
		return y
	}
	y := r.split([]Element{x}, func(x []Element) Element { return half(r.signOf(x[0])) })
	if outermost && !r.tired() && len(r.halfSigns[n]) < maxValues {
		r.halfSigns[n][v] = y
	}
	return y
}

// signOf returns the sign of a value without choices. If nothing is known about it, both results are
// conditions of a family. The family is that of x without its constant, and the point is the zero of x.
func (r *Reals) signOf(x Element) (below, zero Element) {
	x = r.withoutRoots(x)
	f := r.about(x)
	if hasTerms(x) && x.more.terms[0].of == 0 {
		f.constant = r.about(x.more.terms[0].by).constant
	}
	if c, ok := r.isConstant(x); ok {
		return r.truthValue(c < 0), r.truthValue(c == 0)
	}
	if f.positive {
		return r.truthValue(false), r.truthValue(false)
	}
	// y is x without its literal summand.
	y := r.plus(x.withImage(x.v), r.number(-f.constant))
	if r.factoring && f.constant == 0 && !hasTerms(x) {
		if a, b, ok := r.factors(x); ok {
			return r.signOfProduct(a, b)
		}
	}
	i, p, inverted := r.familyOf(y)
	t := -float64(f.constant) / float64(p)
	// The same point as an element of the field. The float t represents it in the order of points.
	val := r.Field.Mul(r.number(-f.constant), Element{v: r.inverse(r.imageOf(p))})
	if inverted { // y is 1/p times the quantity
		t = -float64(f.constant) * float64(p)
		val = r.Field.Mul(r.number(-f.constant), r.number(p))
	}
	at, ok := r.families[i].thresholdIndex(t, val)
	if !ok {
		return r.Boolean(r.random(symbolic.TagCompare, 1, []Element{x})),
			r.Boolean(r.random(symbolic.TagCompare, 2, []Element{x}))
	}
	zero = r.comparison(i, at, isAt)
	switch {
	// signs holds values that were shown to be nonnegative.
	case f.nonNegative || r.signs[x.v]:
		return r.truthValue(false), zero
	case r.signs[r.neg(x.v)]:
		return r.Add(r.truthValue(true), r.Neg(zero)), zero
	}
	below = r.comparison(i, at, isLess)
	// A negative factor reverses the comparison.
	if p < 0 {
		below = r.Add(r.truthValue(true), r.Neg(r.Add(below, zero)))
	}
	return below, zero
}

// signOfProduct returns the sign of a*b: below zero where exactly one factor is, and zero where either is.
func (r *Reals) signOfProduct(a, b Element) (below, zero Element) {
	if a.v == b.v {
		return r.truthValue(false), r.zeroCondition(a)
	}
	r.nested++
	defer func() { r.nested-- }()
	belowA, zeroA := r.signConditions(a)
	belowB, zeroB := r.signConditions(b)
	no := func(x Element) Element { return r.Add(r.truthValue(true), r.Neg(x)) }
	zero = no(r.Mul(no(zeroA), no(zeroB)))
	either := r.Mul(belowA, no(r.Add(belowB, zeroB)))
	return r.Add(either, r.Mul(belowB, no(r.Add(belowA, zeroA)))), zero
}

// truthValue returns 1 if c holds, else 0.
func (r *Reals) truthValue(c bool) Element {
	if c {
		return r.number(1)
	}
	return r.number(0)
}

// withoutRoots drops the roots in a product, since they are positive.
func (r *Reals) withoutRoots(x Element) Element {
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

// familyOf returns a family of which y, or its negation, is a multiple by a literal p. If inverted is set,
// the family's quantity is p times y instead. It creates a family if necessary. Literals are those that the
// programs have used so far: each family costs a lookup of a quotient.
func (r *Reals) familyOf(y Element) (i int, p float32, inverted bool) {
	// The quantity itself, or its negation.
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
		if p, ok := r.literalRatio(r.Field.Mul(y, Element{v: fam.inv}).v); ok {
			return i, p, false
		}
		if p, ok := r.literalRatio(r.Field.Mul(fam.of, Element{v: inv}).v); ok {
			return i, p, true
		}
	}
	r.recordWeight(y)
	r.families = append(r.families, family{of: y, inv: inv})
	n := len(r.families) - 1
	r.familyIDs[y.v] = n
	if r.findCircuits(); r.families[n].of.v != y.v {
		return n, -1, false
	}
	return n, 1, false
}

// literalRatio reads a ratio as a literal of the programs, of either sign.
func (r *Reals) literalRatio(ratio Image) (float32, bool) {
	if p, ok := r.literals[ratio]; ok {
		return p, p != 0
	}
	p, ok := r.literals[r.neg(ratio)]
	return -p, ok && p != 0
}

// thresholdIndex returns the number of a threshold of the family, and adds new ones. It fails if another threshold has
// the same float t but a different value: their order is not known.
func (f *family) thresholdIndex(t float64, val Element) (n int, ok bool) {
	for i := range f.points {
		if f.points[i].t == t {
			return i, f.points[i].val.v == val.v
		}
	}
	f.points = append(f.points, threshold{t: t, val: val, less: -1, at: -1})
	return len(f.points) - 1, true
}

// comparison returns the condition that the quantity of family i is less than one of its points, or equal
// to it.
func (r *Reals) comparison(i, at int, kind generatorKind) Element {
	fam := &r.families[i]
	p := &fam.points[at]
	g := &p.less
	if kind == isAt {
		g = &p.at
	}
	if *g < 0 {
		val := r.random(symbolic.TagCompare, uint64(kind), []Element{fam.of, p.val})
		*g = r.generate(generator{kind: kind, family: int32(i), point: int32(at), val: val})
	}
	return r.generated(*g)
}

// valueAt returns x, a value without generators, where the quantity of f is the literal p. A multiple of the
// quantity that is finite there becomes a multiple of the literal.
func (r *Reals) valueAt(x Element, f *family, p *threshold) Element {
	known := r.about(x)
	constant := Element{v: r.imageOf(known.constant)}
	rest := r.Field.Add(x, Element{v: r.neg(constant.v)})
	if rest.v == (Image{}) {
		return x
	}
	ratio := r.Field.Mul(rest, Element{v: f.inv}).v
	r.tests += 2 * float64(len(r.finite)+len(r.literals))
	k, isLiteral := r.literalRatio(ratio)
	multiple := isLiteral || r.finite[ratio] || r.finite[r.neg(ratio)]
	if !multiple {
		_, multiple = r.literalRatio(r.inverse(ratio))
	}
	switch {
	case isLiteral && symbolic.IsFloat(p.t) && p.val.v == r.imageOf(float32(p.t)) && symbolic.IsFloat(float64(k)*p.t) &&
		symbolic.ExactSum(float64(known.constant), float64(k)*p.t):
		return r.number(float32(float64(known.constant) + float64(k)*p.t))
	case !multiple:
		return x
	case p.t == 0:
		return r.number(known.constant)
	}
	product := r.Field.Mul(x.withImage(ratio), p.val)
	return r.coefficient(r.Field.Add(product, constant), traits{depends: known.depends, poles: known.poles})
}

// Conditions.

// settled returns c with the encoding of a literal truth value, if it is one.
func (r *Reals) settled(c Element) Element {
	if hasTerms(c) {
		return c
	}
	switch c.v {
	case r.one():
		return r.Always()
	case Image{}:
		return Element{isBits: true}
	}
	return c
}

// Compare implements symbolic.Domain.
func (r *Reals) Compare(c ir.Cond, a, b Element) Element {
	if r.opaqueLiteral(a) || r.opaqueLiteral(b) {
		return r.Boolean(r.Field.Compare(c, a, b))
	}
	return r.settled(r.indicator(c, a, b))
}

// indicator returns 1 where a comparison holds and 0 elsewhere.
func (r *Reals) indicator(c ir.Cond, a, b Element) Element {
	x := r.Add(a, r.Neg(b))
	complement := func(x Element) Element { return r.Add(r.number(1), r.Neg(x)) }
	switch c {
	case ir.CondEQ:
		return r.zeroCondition(x)
	case ir.CondNE:
		return complement(r.zeroCondition(x))
	case ir.CondLT:
		return r.below(x)
	case ir.CondGE:
		return complement(r.below(x))
	}
	below, zero := r.signConditions(x)
	if c == ir.CondGT {
		return complement(r.Add(below, zero))
	}
	return r.Add(below, zero)
}

// Boolean implements symbolic.Domain.
func (r *Reals) Boolean(x Element) Element {
	if x.isBits {
		return r.Field.Boolean(x)
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
	val := r.random(symbolic.TagTruth, 1, []Element{x})
	return r.generated(r.generate(generator{kind: isTruth, val: val, of: x}))
}

// Not implements symbolic.Domain.
func (r *Reals) Not(c Element) Element {
	if c.isBits {
		return r.Field.Not(c)
	}
	return r.settled(r.Add(r.number(1), r.Neg(c)))
}

// And implements symbolic.Domain.
func (r *Reals) And(a, b Element) Element {
	if a.isBits || b.isBits {
		return r.Field.And(a, b)
	}
	return r.settled(r.Mul(a, b))
}

// Choose implements symbolic.Domain: b + c*(a-b), which is a where c is 1 and b where it is 0.
func (r *Reals) Choose(c, a, b Element) Element {
	switch holds, known := r.Truth(r.settled(c)); {
	case known && holds || a.v == b.v:
		return a
	case known:
		return b
	}
	a, b = r.asWord(a), r.asWord(b)
	return r.chosen(r.Add(b, r.Mul(c, r.Add(a, r.Neg(b)))), a, b)
}

// least and greatest return the lesser and the greater of a and b. If both are equal, they choose a, as
// code written with cmp does.
func (r *Reals) least(a, b Element) Element {
	return r.Choose(r.indicator(ir.CondGE, b, a), a, b)
}

func (r *Reals) greatest(a, b Element) Element {
	return r.Choose(r.indicator(ir.CondLT, a, b), b, a)
}

// Saturate implements symbolic.Domain.
func (r *Reals) Saturate(x Element) Element {
	if c, ok := r.isConstant(x); ok {
		return r.number(min(max(c, 0), 1))
	}
	y := r.least(r.greatest(x, r.number(0)), r.number(1))
	if _, ok := r.clamped[y.v]; !ok && y.v != x.v && r.clamped != nil {
		r.clamped[y.v] = x
	}
	return y
}

// abs returns x or its negation, by its sign. For an opaque literal it clears the sign bit.
func (r *Reals) abs(x Element) Element {
	if x.isBits {
		return r.Literal(x.lit &^ symbolic.SignBit)
	}
	return r.Choose(r.below(x), r.Neg(x), x)
}
