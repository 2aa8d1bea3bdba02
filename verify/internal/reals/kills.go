package reals

import "slices"

// Dropped represents the condition that any of conds drops the fragment, in a form that does not depend on
// their distribution over instructions. It returns factors of the complement: all conditions fail where the
// product of their complements is 1. It multiplies complements with common quantities.
func (r *Reals) Dropped(conds []Element) []Element {
	var out []Element
	for _, c := range conds {
		if c.v == (Image{}) {
			continue
		}
		for _, x := range r.apart(r.Add(r.number(1), r.Neg(c))) {
			out = r.gathered(out, x)
		}
	}
	return out
}

// gathered multiplies x by the elements of list that share quantities with it.
func (r *Reals) gathered(list []Element, x Element) []Element {
	rest := make([]Element, 0, len(list)+1)
	for _, y := range list {
		if z := r.Mul(x, y); r.linked(x, y) && len(r.terms(z)) <= maxTerms/2 {
			x = z
		} else {
			rest = append(rest, y)
		}
	}
	return append(rest, x)
}

// linked reports whether x and y choose by the same family, or by two of a circuit.
func (r *Reals) linked(x, y Element) bool {
	for _, c := range r.conditions([]Element{x}) {
		for _, d := range r.conditions([]Element{y}) {
			_, related := r.circuits[bothOf(c.family, d.family)]
			if c == d || related && c.family >= 0 && d.family >= 0 {
				return true
			}
		}
	}
	return false
}

// apart splits a condition into factors, one for each family if possible. It is possible if the condition
// is the product of its value without the other families and its value without this one.
func (r *Reals) apart(x Element) (factors []Element) {
	conds := r.conditions([]Element{x})
	for _, c := range conds {
		if len(conds) < 2 {
			break
		}
		part := x
		for _, d := range conds {
			if d != c {
				part = r.without(part, d)
			}
		}
		if rest := r.without(x, c); r.Mul(part, rest).v == x.v {
			factors, x = append(factors, part), rest
			conds = slices.DeleteFunc(slices.Clone(conds), func(d choice) bool { return d == c })
		}
	}
	return append(factors, x)
}

// without returns x where no condition of c holds.
func (r *Reals) without(x Element, c choice) Element {
	return r.under(c, x, func(*generator) bool { return false }, nil)
}
