package reals

import (
	"encoding/binary"
	"slices"
)

// generator is a variable of the polynomials that represent values: a condition, which is 0 or 1, or a root
// or a sine, whose square is known. Products of generators are linear in each of them (see Reals).
type generator struct {
	kind   generatorKind
	family int32   // of comparisons
	point  int32   // literal of the family
	val    Element // the value it has in images
	square Element // square of a root
	of     Element // operand from which it was made
}

type generatorKind uint8

const (
	isLess generatorKind = iota // a quantity is less than a literal
	isAt                        // or is it
	isTruth
	isRoot // positive
	isSine
)

// condition reports whether g is 0 or 1.
func (g *generator) condition() bool { return g.kind <= isTruth }

// family is a quantity that is compared with literals.
type family struct {
	of     Element
	inv    Image
	points []threshold // in the order of their first occurrence
}

// threshold is a literal with which the quantity of a family is compared, and the generators of the two
// comparisons, -1 for missing ones.
type threshold struct {
	t        float64
	val      Element
	less, at int32
}

// generate adds a generator and returns its number. Numbers order monomials.
func (r *Reals) generate(g generator) int32 {
	r.gens = append(r.gens, g)
	return int32(len(r.gens) - 1)
}

// generated returns the value of generator g.
func (r *Reals) generated(g int32) Element {
	return r.normalForm([]summandOf{{r.monomial([]int32{g}), r.number(1)}})
}

// monomial returns the number of a product of generators, given in order and without repetition; 0 is the
// empty product. Its weight is the image of the product.
func (r *Reals) monomial(gens []int32) int32 {
	key := make([]byte, 0, 32)
	for _, g := range gens {
		key = binary.LittleEndian.AppendUint32(key, uint32(g))
	}
	id, ok := r.monomialIDs[string(key)]
	if !ok {
		id = int32(len(r.monomials))
		weight := r.one()
		for _, g := range gens {
			weight = r.Field.Mul(Element{v: weight}, r.gens[g].val).v
		}
		r.monomialIDs[string(key)] = id
		r.monomials = append(r.monomials, slices.Clone(gens))
		r.weights = append(r.weights, weight)
	}
	return id
}

// terms reads any value as a form.
func (r *Reals) terms(x Element) []summandOf {
	switch {
	case x.more != nil && x.more.terms != nil:
		return x.more.terms
	case x.v == Image{}:
		return nil
	}
	return []summandOf{{0, x}}
}

// normalForm returns the value of a polynomial in normal form, with terms in the order of monomials. Under a
// monomial that states that a quantity equals a literal, coefficients use that literal. A form without
// generators is its coefficient; one that is too large becomes an opaque coefficient.
func (r *Reals) normalForm(terms []summandOf) Element {
	for i := range terms {
		terms[i].by = r.restricted(terms[i].by, terms[i].of)
	}
	terms = slices.DeleteFunc(terms, func(t summandOf) bool { return t.by.v == Image{} })
	switch {
	case len(terms) == 0:
		return r.number(0)
	case len(terms) == 1 && terms[0].of == 0:
		return terms[0].by
	}
	var x Element
	f := traits{terms: terms, poles: true}
	for _, t := range terms {
		y := r.Field.Mul(t.by, Element{v: r.weights[t.of], deg: float32(len(r.monomials[t.of]))})
		x = r.Field.Add(x, y)
		f.depends |= r.about(t.by).depends
	}
	x.isBits, x.lit = false, 0
	if len(terms) > maxTerms || r.tired() {
		return r.coefficient(x, f)
	}
	x.more = &f
	return x
}

// Add implements ir.Algebra.
func (r *Reals) Add(a, b Element) Element {
	a, b = r.asNumber(a), r.asNumber(b)
	if !hasTerms(a) && !hasTerms(b) {
		return r.plus(a, b)
	}
	r.caseByCase(a, b, r.plus)
	return r.normalForm(r.collect(append(slices.Clone(r.terms(a)), r.terms(b)...)))
}

// caseByCase computes a sum or product in every case, to record its properties: the sign of a sum, the
// factors of a product.
func (r *Reals) caseByCase(a, b Element, op func(a, b Element) Element) {
	if !r.factoring || r.cases != 0 {
		return
	}
	r.split([]Element{a, b}, func(x []Element) Element {
		if !hasTerms(x[0]) && !hasTerms(x[1]) {
			return op(x[0], x[1])
		}
		return x[0]
	})
}

// hasTerms reports whether x is a form with generators.
func hasTerms(x Element) bool { return x.more != nil && x.more.terms != nil }

// collect sorts terms by monomial and adds the coefficients of equal ones, in place.
func (r *Reals) collect(terms []summandOf) []summandOf {
	slices.SortStableFunc(terms, func(s, t summandOf) int { return int(s.of - t.of) })
	n := 0
	for _, t := range terms {
		if n > 0 && terms[n-1].of == t.of {
			terms[n-1].by = r.plus(terms[n-1].by, t.by)
			continue
		}
		terms[n] = t
		n++
	}
	return terms[:n]
}

// Mul implements ir.Algebra. It caches products of forms, for the same reason as halfSign.
func (r *Reals) Mul(a, b Element) Element {
	a, b = r.asNumber(a), r.asNumber(b)
	if !hasTerms(a) && !hasTerms(b) {
		return r.times(a, b)
	}
	as, bs := r.terms(a), r.terms(b)
	if len(as)*len(bs) > maxPairs || r.tired() {
		return r.times(a, b)
	}
	r.work += len(as) * len(bs)
	if r.depth > 0 || r.cases > 0 || r.nested > 0 {
		return r.expanded(a, b, as, bs)
	}
	r.values += 2
	key := [2]Image{r.recordWeight(a).v, r.recordWeight(b).v}
	x, known := r.expansions[key]
	if !known {
		if x = r.expanded(a, b, as, bs); !r.tired() && len(r.expansions) < maxValues {
			r.expansions[key] = x
		}
	}
	return x
}

// expanded multiplies a by b, which have these terms, term by term.
func (r *Reals) expanded(a, b Element, as, bs []summandOf) Element {
	r.caseByCase(a, b, r.times)
	out := make([]summandOf, 0, len(as)*len(bs))
	as, out = r.reduced(as, b, out)
	bs, out = r.reduced(bs, r.normalForm(slices.Clone(as)), out)
	for _, s := range as {
		for _, t := range bs {
			by := r.times(r.restricted(s.by, t.of), r.restricted(t.by, s.of))
			for _, p := range r.multiply(s.of, t.of) {
				out = append(out, summandOf{p.of, r.times(by, p.by)})
			}
		}
	}
	return r.normalForm(r.collect(out))
}

// reduced multiplies b by those terms under whose equations b, as a whole, is a literal or a multiple of
// one. It appends the products to out, and returns the other terms.
func (r *Reals) reduced(terms []summandOf, b Element, out []summandOf) (rest, products []summandOf) {
	if !hasTerms(b) {
		return terms, out
	}
	whole := r.coefficient(b, traits{poles: true})
	for _, t := range terms {
		y := r.restricted(whole, t.of)
		if y.v == b.v {
			rest = append(rest, t)
		} else {
			out = append(out, summandOf{t.of, r.times(t.by, y)})
		}
	}
	return rest, out
}

// restricted returns x under the equations of m, where quantities equal literals.
func (r *Reals) restricted(x Element, m int32) Element {
	gens := r.monomials[m]
	for i, g := range gens {
		a := &r.gens[g]
		if a.kind != isAt {
			continue
		}
		p := &r.families[a.family].points[a.point]
		x = r.valueAt(x, &r.families[a.family], p)
		for _, h := range gens[i+1:] {
			if b := &r.gens[h]; b.kind == isAt {
				if third, u, ok := r.thirdAt(a.family, b.family, *p, r.families[b.family].points[b.point]); ok {
					x = r.valueAt(x, &r.families[third], &u)
				}
			}
		}
	}
	return x
}

// multiply returns the product of two monomials as terms, and caches it. Generators of one family meet in
// one, roots and sines that occur in both become their squares, and the rest may be straightened
// (circuits.go).
func (r *Reals) multiply(a, b int32) []summandOf {
	if a == 0 || b == 0 {
		return []summandOf{{max(a, b), r.number(1)}}
	}
	key := [2]int32{min(a, b), max(a, b)}
	if p, ok := r.products[key]; ok {
		return p
	}
	gens, square, zero := slices.Clone(r.monomials[a]), r.number(1), false
	for _, g := range r.monomials[b] {
		i := slices.IndexFunc(gens, func(h int32) bool { return r.related(g, h) })
		switch {
		case i < 0:
			gens = append(gens, g)
		case r.gens[g].condition():
			if gens[i] = r.conjunction(gens[i], g); gens[i] < 0 {
				zero = true
			}
		default:
			gens = slices.Delete(gens, i, i+1)
			square = r.Mul(square, r.gens[g].square)
		}
		if zero {
			break
		}
	}
	var p []summandOf
	if !zero {
		slices.Sort(gens)
		p = r.terms(r.Mul(square, r.product(gens)))
	}
	r.products[key] = p
	return p
}

// product returns the product of generators in order, with no two related.
func (r *Reals) product(gens []int32) Element {
	if r.depth < maxDepth {
		r.depth++
		defer func() { r.depth-- }()
		if rest, x, ok := r.straighten(gens); ok {
			return r.Mul(x, r.product(rest))
		}
	}
	return r.normalForm([]summandOf{{r.monomial(gens), r.number(1)}})
}

// related reports whether the product of two generators simplifies.
func (r *Reals) related(g, h int32) bool {
	a, b := &r.gens[g], &r.gens[h]
	return g == h || a.kind <= isAt && b.kind <= isAt && a.family == b.family
}

// conjunction returns the conjunction of two conditions of one family, or -1 if they exclude each other.
func (r *Reals) conjunction(g, h int32) int32 {
	if g == h {
		return g
	}
	a, b := &r.gens[g], &r.gens[h]
	points := r.families[a.family].points
	s, t := points[a.point].t, points[b.point].t
	switch {
	case a.kind == isLess && b.kind == isLess:
		if s < t {
			return g
		}
		return h
	case a.kind == isAt && b.kind == isLess && s < t:
		return g
	case a.kind == isLess && b.kind == isAt && t < s:
		return h
	}
	return -1
}
