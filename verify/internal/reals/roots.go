package reals

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// inverse returns 1/v in both fields, or 0 for 0. The first call takes about ninety multiplications in each
// field. Repeated calls by searches count as work too, so that it stays bounded.
func (r *Reals) inverse(v Image) Image {
	r.unpaid++
	w, ok := r.inverted[v]
	if !ok {
		r.unpaid += inverseSteps - 1
		w = Image{r.mod[0].invert(v[0]), r.mod[1].invert(v[1])}
		if len(r.inverted) < maxValues {
			r.inverted[v] = w
		}
	}
	return w
}

// invert returns the multiplicative inverse of a, by Fermat's little theorem, or 0 for 0.
func (m *modulus) invert(a uint64) uint64 { return m.power(a, m.p-2) }

// reciprocal returns 1/x.
func (r *Reals) reciprocal(x Element) Element {
	return r.split([]Element{x}, func(x []Element) Element { return r.reciprocalOf(x[0]) })
}

// reciprocalOf returns 1/x of a value without choices. Without generators it is an inverse in the field.
// With generators it rationalizes the denominator where that is cheap; otherwise the result is opaque. 1/0
// is opaque.
func (r *Reals) reciprocalOf(x Element) Element {
	terms := r.terms(x)
	switch {
	case len(terms) == 0:
		return r.random(symbolic.TagPrim, uint64(ir.PrimRcp), []Element{x})
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
	case len(terms) <= 4 && len(r.conditions([]Element{x})) == 0:
		// With x = a + b*s, 1/x is (a - b*s) / (a*a - b*b*s*s).
		s := r.monomials[terms[len(terms)-1].of][0]
		c, d := r.conjugate(x, s)
		if d.v != (Image{}) {
			return r.Mul(c, r.reciprocal(d))
		}
	}
	return r.random(symbolic.TagPrim, uint64(ir.PrimRcp), []Element{x})
}

// conjugate flips the sign of generator s in x, and also returns the product of both.
func (r *Reals) conjugate(x Element, s int32) (c, norm Element) {
	var out []summandOf
	for _, t := range r.terms(x) {
		for _, g := range r.monomials[t.of] {
			if g == s {
				t.by = r.minus(t.by)
			}
		}
		out = append(out, t)
	}
	c = r.normalForm(out)
	return c, r.Mul(x, c)
}

// inverseOf returns the reciprocal of a value without generators, as a variable whose degree counts as 1.
// inverses records it. Epsilon multiplies a difference by powers of all denominators; the degree of a
// denominator bounds the powers of other denominators in it.
func (r *Reals) inverseOf(x Element) Element {
	f := r.about(x)
	if c, ok := r.isConstant(x); ok && isPowerOfTwo(c) {
		return r.number(1 / c)
	}
	v := r.inverse(x.v)
	if _, ok := r.made.inverted[v]; !ok {
		r.made.inverted[v], r.made.reciprocals[v] = x, true
		r.made.inverted[x.v] = Element{v: v, deg: 1, more: &traits{depends: f.depends, poles: true}}
		weight := x.weight()
		for i, d := range r.inverses {
			if f.depends>>min(i, 63)&1 != 0 {
				weight += float64(x.deg) * d
			}
		}
		r.inverses = append(r.inverses, weight)
		r.spread += weight
	}
	f.depends |= 1 << min(len(r.inverses)-1, 63)
	return r.coefficient(Element{v: v, deg: 1},
		traits{depends: f.depends, nonNegative: f.nonNegative, positive: f.positive, poles: true})
}

// isPowerOfTwo reports whether |x| is a power of two whose reciprocal is also a normal float.
func isPowerOfTwo(x float32) bool {
	frac, _ := math.Frexp(float64(x))
	return math.Abs(frac) == 0.5 && math.Abs(float64(x)) >= 0x1p-126 && math.Abs(float64(x)) <= 0x1p126
}

// reciprocalRoot returns 1/sqrt|x|, the rsq of Direct3D 9. For a literal square it is a literal, for a known square a
// multiple, for a product the product, for a square the reciprocal of its magnitude. Otherwise it is a
// generator g with g*g = 1/|x|.
func (r *Reals) reciprocalRoot(x Element) Element {
	if c, ok := r.isConstant(x); ok {
		if s := math.Sqrt(math.Abs(float64(c))); c != 0 && symbolic.IsFloat(s) && s*s == math.Abs(float64(c)) {
			return r.reciprocal(r.number(float32(s)))
		}
	}
	if y, ok := r.rootOfKnown(x); ok {
		return y
	}
	if terms := r.terms(x); hasTerms(x) && len(terms) == 1 {
		y := r.reciprocalRoot(terms[0].by)
		for _, g := range r.monomials[terms[0].of] {
			y = r.Mul(y, r.rootOf(r.generated(g)))
		}
		return y
	}
	if a, b, ok := r.factors(x); ok {
		// 1/sqrt(a*a) = 1/|a|.
		if a.v == b.v || a.v == r.neg(b.v) {
			return r.reciprocal(r.abs(a))
		}
		if r.isSquareOrUnknown(a) && r.isSquareOrUnknown(b) {
			return r.within(func() Element { return r.Mul(r.reciprocalRoot(a), r.reciprocalRoot(b)) })
		}
	}
	if y, ok := r.made.inverted[x.v]; ok && !hasTerms(x) {
		if y, ok := r.rootOfKnown(y); ok {
			return r.reciprocal(y)
		}
	}
	return r.rootOf(x)
}

// isSquareOrUnknown reports whether x is not a literal, or a literal with a root.
func (r *Reals) isSquareOrUnknown(x Element) bool {
	c, ok := r.isConstant(x)
	s := math.Sqrt(math.Abs(float64(c)))
	return !ok || c != 0 && symbolic.IsFloat(s) && s*s == math.Abs(float64(c))
}

// rootOfKnown returns the root of x if x is, up to a square and a sign, a value with a known root, or the
// product of two.
func (r *Reals) rootOfKnown(x Element) (y Element, ok bool) {
	for _, k := range searched(r.made.roots) {
		if k.x.v == x.v || k.x.v == r.neg(x.v) {
			return k.val, true
		}
	}
	if x.v == (Image{}) {
		return y, false
	}
	r.tests += float64(len(r.made.roots) * (len(r.literals) + len(r.made.factors)))
	for _, k := range searched(r.made.roots) {
		if k.x.v == (Image{}) { // it has no multiples
			continue
		}
		ratio := r.Field.Mul(x, Element{v: r.inverse(k.x.v)}).v
		if c, ok := r.literalRatio(ratio); ok {
			if s := math.Sqrt(math.Abs(float64(c))); symbolic.IsFloat(s) && s*s == math.Abs(float64(c)) {
				return r.Mul(k.val, r.reciprocal(r.number(float32(s)))), true
			}
		}
		if a, b, ok := r.factors(Element{v: ratio}); ok && (a.v == b.v || a.v == r.neg(b.v)) {
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

// rootOf returns 1/sqrt|x| as a generator. Its square is 1/x where x is positive, -1/x where x is negative,
// and opaque like 1/x where x is 0.
func (r *Reals) rootOf(x Element) Element {
	if y, ok := r.rootOfKnown(x); ok {
		return y
	}
	below := r.below(x)
	square := r.reciprocal(r.Choose(below, r.Neg(x), x))
	if !hasTerms(x) && x.v != (Image{}) {
		sign := r.Add(r.number(1), r.Neg(r.Mul(r.number(2), below)))
		square = r.Mul(r.inverseOf(x), sign)
	}
	g := r.generate(generator{kind: isRoot, val: r.random(symbolic.TagPrim, uint64(ir.PrimRsq), []Element{x}),
		square: square, of: x})
	y := r.generated(g)
	r.made.roots = append(r.made.roots, known{x: x, val: y, gen: g})
	return y
}
