package reals

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// inverse is 1/v in both fields, 0 for 0. It takes about ninety multiplications in either the first
// time. Those who search among values ask again and again, which is counted too: it is no work
// without end.
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
func (r *Reals) reciprocal(x Element) Element {
	return r.split([]Element{x}, func(x []Element) Element { return r.reciprocalOf(x[0]) })
}

// reciprocalOf is 1/x of what makes no choice: as an inverse in the field where x has no generators; with
// generators by rationalizing the denominator, where that is cheap; else opaque. 1/0 is opaque.
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

// conjugate changes the sign of generator s in x, and returns the product of both too.
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
	c = r.form(out)
	return c, r.Mul(x, c)
}

// inverseOf is the reciprocal of a value without generators, as a variable whose degree counts as 1.
// What it stands for is in inverses: multiplied by all denominators, a difference that does not vanish
// is a polynomial whose degree is larger by what these have, which spread adds up.
func (r *Reals) inverseOf(x Element) Element {
	f := r.about(x)
	if c, ok := r.isConstant(x); ok && isPowerOfTwo(c) {
		return r.number(1 / c)
	}
	v := r.inverse(x.v)
	if _, ok := r.made.inverted[v]; !ok {
		r.made.inverted[v], r.made.reciprocals[v] = x, true
		r.made.inverted[x.v] = Element{v: v, deg: 1, more: &traits{depends: f.depends, poles: true}}
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
	return r.coefficient(Element{v: v, deg: 1}, traits{depends: f.depends, nonNegative: f.nonNegative, positive: f.positive, poles: true})
}

// isPowerOfTwo reports whether |x| is a power of two whose reciprocal is a normal float, too.
func isPowerOfTwo(x float32) bool {
	frac, _ := math.Frexp(float64(x))
	return math.Abs(frac) == 0.5 && math.Abs(float64(x)) >= 0x1p-126 && math.Abs(float64(x)) <= 0x1p126
}

// root is 1/sqrt|x|, the rsq of Direct3D 9: that of a literal square is a literal, of a known one a
// multiple, of a product the product, of a square the reciprocal of the size; else a generator g with
// g*g = 1/|x|.
func (r *Reals) root(x Element) Element {
	if c, ok := r.isConstant(x); ok {
		if s := math.Sqrt(math.Abs(float64(c))); c != 0 && symbolic.IsFloat(s) && s*s == math.Abs(float64(c)) {
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
		// 1/sqrt(a*a) = 1/|a|.
		if a.v == b.v || a.v == r.neg(b.v) {
			return r.reciprocal(r.abs(a))
		}
		if r.isSquareOrUnknown(a) && r.isSquareOrUnknown(b) {
			return r.within(func() Element { return r.Mul(r.root(a), r.root(b)) })
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
func (r *Reals) isSquareOrUnknown(x Element) bool {
	c, ok := r.isConstant(x)
	s := math.Sqrt(math.Abs(float64(c)))
	return !ok || c != 0 && symbolic.IsFloat(s) && s*s == math.Abs(float64(c))
}

// rootOfKnown finds the root of x if x is, but for a square and a sign, what the root was
// taken of before, or the product of two such.
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
		if k.x.v == (Image{}) { // nothing is a multiple of it
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

// rootOf is 1/sqrt|x| as a generator, whose square is 1/x where x is positive, -1/x where it is negative,
// and opaque like 1/x where it is 0.
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
	g := r.generate(generator{kind: isRoot, val: r.random(symbolic.TagPrim, uint64(ir.PrimRsq), []Element{x}), square: square, of: x})
	y := r.generated(g)
	r.made.roots = append(r.made.roots, known{x: x, val: y, gen: g})
	return y
}
