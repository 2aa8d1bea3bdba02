package reals

import (
	"cmp"
	"slices"
)

// split applies f to args by cases: a function of a choice is the choice between the function's values,
// rcp(c ? a : b) = c ? rcp(a) : rcp(b). Where there would be more than [maxCases], f is applied to the
// args as they are.
func (r *Reals) split(args []Element, f func([]Element) Element) Element {
	return r.splitAtMost(maxCases, args, f)
}

// splitAtMost is split with a bound of its own. cases counts down the cases that are left while a split is
// under way; a split within another is done by it, so that f is applied directly.
func (r *Reals) splitAtMost(n int, args []Element, f func([]Element) Element) Element {
	if len(r.conditions(args)) == 0 || r.work > maxProducts || r.cases > 0 {
		return r.directly(args, f)
	}
	r.cases = n
	x := r.splitBy(args, func(args []Element) Element { return r.directly(args, f) })
	left := r.cases
	r.cases = 0
	// Too many: the result is of no use.
	if left < 0 {
		return f(args)
	}
	return x
}

// directly is f of args, in which cases are distinguished anew.
func (r *Reals) directly(args []Element, f func([]Element) Element) Element {
	cases := r.cases
	r.cases = 0
	defer func() { r.cases = cases }()
	return f(args)
}

// choice is what a case distinction is made by: a family, or a single truth value.
type choice struct {
	family int32 // or -1
	truth  int32
}

// conditions lists what args choose by.
func (r *Reals) conditions(args []Element) (list []choice) {
	for _, x := range args {
		if !hasTerms(x) {
			continue
		}
		for _, t := range x.more.terms {
			for _, g := range r.monomials[t.of] {
				if r.gens[g].condition() {
					if c := r.choiceOf(g); !slices.Contains(list, c) {
						list = append(list, c)
					}
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b choice) int {
		return cmp.Or(cmp.Compare(a.family, b.family), cmp.Compare(a.truth, b.truth))
	})
	return list
}

// choiceOf is what the case distinction by generator g is made by.
func (r *Reals) choiceOf(g int32) choice {
	if r.gens[g].kind == isTruth {
		return choice{-1, g}
	}
	return choice{r.gens[g].family, -1}
}

// splitBy distinguishes the cases of the first condition that args mention, and in each of them those
// of the others. A family with points t1 < t2 has the cases x < t1, x = t1, t1 < x < t2, and so on; the
// value is put together from above, as that of the last case plus, for each point, the generator times
// what changes there.
func (r *Reals) splitBy(args []Element, f func([]Element) Element) Element {
	conds := r.conditions(args)
	if len(conds) == 0 {
		r.cases--
		return f(args)
	}
	if r.cases < 0 {
		return args[0]
	}
	c := conds[0]
	in := func(holds func(*generator) bool, at *threshold) Element {
		// The arguments as they are in that case.
		some := make([]Element, len(args))
		for i, x := range args {
			some[i] = r.under(c, x, holds, at)
		}
		return r.splitBy(some, f)
	}
	never := func(*generator) bool { return false }
	// Above all points no condition holds.
	x := in(never, nil)
	if c.family < 0 {
		y := in(func(*generator) bool { return true }, nil)
		return r.Choose(r.generated(c.truth), y, x)
	}
	// From the last interval to the first.
	points := r.pointsOf(c, args)
	above := x
	for i := len(points) - 1; i >= 0; i-- {
		p := points[i]
		t := p.t
		if p.at >= 0 && r.mentions(args, p.at) {
			here := in(func(g *generator) bool {
				u := r.families[c.family].points[g.point].t
				return g.kind == isLess && t < u || g.kind == isAt && t == u
			}, &p)
			if here.v != above.v {
				x = r.Add(x, r.Mul(r.generated(p.at), r.Add(here, r.Neg(above))))
			}
		}
		if p.less < 0 || !r.mentions(args, p.less) {
			continue
		}
		below := in(func(g *generator) bool {
			return g.kind == isLess && t <= r.families[c.family].points[g.point].t
		}, nil)
		if below.v != above.v {
			x = r.Add(x, r.Mul(r.generated(p.less), r.Add(below, r.Neg(above))))
		}
		above = below
	}
	return x
}

// pointsOf lists the points of a family that args mention, in order.
func (r *Reals) pointsOf(c choice, args []Element) (list []threshold) {
	for _, p := range r.families[c.family].points {
		if p.less >= 0 && r.mentions(args, p.less) || p.at >= 0 && r.mentions(args, p.at) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b threshold) int { return cmp.Compare(a.t, b.t) })
	return list
}

// mentions reports whether generator g occurs in args.
func (r *Reals) mentions(args []Element, g int32) bool {
	for _, x := range args {
		if hasTerms(x) && slices.ContainsFunc(x.more.terms, func(t summandOf) bool { return slices.Contains(r.monomials[t.of], g) }) {
			return true
		}
	}
	return false
}

// under is x in one case of c: holds says which of its conditions do; at, if not nil, is
// the point that the quantity is at.
func (r *Reals) under(c choice, x Element, holds func(*generator) bool, at *threshold) Element {
	if !hasTerms(x) {
		return r.restrictedTo(c, x, at)
	}
	out := make([]summandOf, 0, len(x.more.terms))
terms:
	for _, t := range x.more.terms {
		gens := make([]int32, 0, 4)
		for _, g := range r.monomials[t.of] {
			switch {
			case !r.gens[g].condition() || r.choiceOf(g) != c:
				gens = append(gens, g)
			case !holds(&r.gens[g]):
				continue terms
			}
		}
		out = append(out, summandOf{r.monomial(gens), r.restrictedTo(c, t.by, at)})
	}
	return r.form(r.collect(out))
}

// restrictedTo is x in a case in which the quantity of c is at a point, if at is not nil.
func (r *Reals) restrictedTo(c choice, x Element, at *threshold) Element {
	if at == nil {
		return x
	}
	return r.at(x, &r.families[c.family], at)
}
