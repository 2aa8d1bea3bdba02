package reals

import (
	"encoding/binary"
	"slices"
)

// generator is what values are polynomials in: a condition, which is 0 or 1, a root or a sine, whose
// square is known. Products of generators are linear in each of them (see Reals).
type generator struct {
	kind   generatorKind
	family int32   // of comparisons
	point  int32   // which literal of the family
	val    Element // the value it has in images
	square Element // of a root, what its square is
	of     Element // what it was made of
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
	points []threshold // in the order in which they were met
}

// threshold is a literal that the quantity of a family is compared with, and the generators
// of the two comparisons, -1 where there is none yet.
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

// generated is the value that is generator g.
func (r *Reals) generated(g int32) Element {
	return r.form([]summandOf{{r.monomial([]int32{g}), r.number(1)}})
}

// monomial numbers a product of generators, given in order and without repetition; 0 is the empty one.
// Its weight is the image of the product.
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

// form is the value of a polynomial in normal form, whose terms are in the order of monomials. Under a
// monomial that says that a quantity equals a literal, coefficients are taken at that literal. A form
// without generators is its coefficient; one that is too large becomes a coefficient, opaque.
func (r *Reals) form(terms []summandOf) Element {
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
		y := r.Field.Mul(t.by, Element{v: r.weights[t.of], deg: float64(len(r.monomials[t.of]))})
		x = r.Field.Add(x, y)
		f.depends |= r.about(t.by).depends
	}
	x.isBits, x.lit = false, 0
	if len(terms) > maxTerms || r.work > maxProducts {
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
	return r.form(r.collect(append(slices.Clone(r.terms(a)), r.terms(b)...)))
}

// caseByCase computes a sum or product in every case, for what is noted of it: the sign of a
// sum, the factors of a product.
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

// collect sorts terms by monomial and adds up the coefficients of equal ones, in place.
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

// Mul implements ir.Algebra. A product of forms is remembered as halfSign is, for the same reason.
func (r *Reals) Mul(a, b Element) Element {
	a, b = r.asNumber(a), r.asNumber(b)
	if !hasTerms(a) && !hasTerms(b) {
		return r.times(a, b)
	}
	as, bs := r.terms(a), r.terms(b)
	if len(as)*len(bs) > maxPairs || r.work > maxProducts {
		return r.times(a, b)
	}
	r.work += len(as) * len(bs)
	if r.depth > 0 || r.cases > 0 || r.nested > 0 {
		return r.expanded(a, b, as, bs)
	}
	r.values += 2
	key := [2]Image{r.seen(a).v, r.seen(b).v}
	x, known := r.expansions[key]
	if !known {
		if x = r.expanded(a, b, as, bs); r.work <= maxProducts && len(r.expansions) < maxValues {
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
	bs, out = r.reduced(bs, r.form(slices.Clone(as)), out)
	for _, s := range as {
		for _, t := range bs {
			by := r.times(r.restricted(s.by, t.of), r.restricted(t.by, s.of))
			for _, p := range r.multiply(s.of, t.of) {
				out = append(out, summandOf{p.of, r.times(by, p.by)})
			}
		}
	}
	return r.form(r.collect(out))
}

// reduced multiplies by b those of terms under whose equations b, as a whole, is a literal or
// a multiple of one, into out; it returns the others.
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

// restricted is x under the equations of m: where a quantity is a literal.
func (r *Reals) restricted(x Element, m int32) Element {
	gens := r.monomials[m]
	for i, g := range gens {
		a := &r.gens[g]
		if a.kind != isAt {
			continue
		}
		p := &r.families[a.family].points[a.point]
		x = r.at(x, &r.families[a.family], p)
		for _, h := range gens[i+1:] {
			if b := &r.gens[h]; b.kind == isAt {
				if third, u, ok := r.thirdAt(a.family, b.family, *p, r.families[b.family].points[b.point]); ok {
					x = r.at(x, &r.families[third], &u)
				}
			}
		}
	}
	return x
}

// multiply is the product of two monomials, as terms: generators of one family meet in one, roots and
// sines that occur in both become their squares, and what is left may be straightened (circuits.go).
// It is remembered.
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
			if gens[i] = r.meet(gens[i], g); gens[i] < 0 {
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

// product is that of generators in order, of which no two are related.
func (r *Reals) product(gens []int32) Element {
	if r.depth < maxDepth {
		r.depth++
		defer func() { r.depth-- }()
		if rest, x, ok := r.straighten(gens); ok {
			return r.Mul(x, r.product(rest))
		}
	}
	return r.form([]summandOf{{r.monomial(gens), r.number(1)}})
}

// related reports whether the product of two generators is none.
func (r *Reals) related(g, h int32) bool {
	a, b := &r.gens[g], &r.gens[h]
	return g == h || a.kind <= isAt && b.kind <= isAt && a.family == b.family
}

// meet is the conjunction of two conditions of one family, or -1 if they exclude each other.
func (r *Reals) meet(g, h int32) int32 {
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
