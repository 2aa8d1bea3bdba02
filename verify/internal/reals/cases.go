package reals

import (
	"cmp"
	"slices"
)

// split applies f to args by cases: a function of a choice is the choice between the function's values,
// rcp(c ? a : b) = c ? rcp(a) : rcp(b). With more than [maxCases] cases it applies f to the args directly.
func (r *Reals) split(args []Element, f func([]Element) Element) Element {
	return r.splitAtMost(maxCases, args, f)
}

// splits reports whether a function of args may be applied case by case, and records if the effort forbids
// it.
func (r *Reals) splits(args []Element) bool {
	if r.splitting || len(r.conditions(args)) == 0 {
		return true
	}
	r.missed = true
	return false
}

// splitAtMost is split with a given bound. cases counts the remaining cases of a split. An outer split also
// performs an inner one, so f is applied directly there.
func (r *Reals) splitAtMost(n int, args []Element, f func([]Element) Element) Element {
	if len(r.conditions(args)) == 0 || r.tired() || r.cases > 0 {
		return r.directly(args, f)
	}
	r.cases = n
	x := r.splitBy(args, func(args []Element) Element { return r.directly(args, f) })
	left := r.cases
	r.cases = 0
	// There were too many cases: the result is invalid.
	if left < 0 {
		return f(args)
	}
	return x
}

// directly returns f(args), within which cases may be split again.
func (r *Reals) directly(args []Element, f func([]Element) Element) Element {
	cases := r.cases
	r.cases = 0
	defer func() { r.cases = cases }()
	return f(args)
}

// choice is the condition of a case distinction: a family, or a single truth value.
type choice struct {
	family int32 // or -1
	truth  int32
}

// conditions lists the conditions by which args choose.
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

// choiceOf returns the choice of generator g.
func (r *Reals) choiceOf(g int32) choice {
	if r.gens[g].kind == isTruth {
		return choice{-1, g}
	}
	return choice{r.gens[g].family, -1}
}

// splitBy distinguishes the cases of the first condition in args, and recursively those of the others. A
// family with points t1 < t2 has the cases x < t1, x = t1, t1 < x < t2, and so on. The value is built from
// above: the value of the last case plus, for each point, the generator times the change there.
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
		// The arguments in this case.
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

// pointsOf lists the points of a family that occur in args, in order.
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
		if hasTerms(x) && slices.ContainsFunc(x.more.terms,
			func(t summandOf) bool { return slices.Contains(r.monomials[t.of], g) }) {
			return true
		}
	}
	return false
}

// under returns x in one case of c. holds reports the conditions that hold; at, if not nil, is the point
// that the quantity equals.
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
	return r.normalForm(r.collect(out))
}

// restrictedTo returns x in a case in which the quantity of c equals a point, if at is not nil.
func (r *Reals) restrictedTo(c choice, x Element, at *threshold) Element {
	if at == nil {
		return x
	}
	return r.valueAt(x, &r.families[c.family], at)
}
