package reals

// Comparisons of different families are not independent either: a < b and b < c imply a < c. Three
// quantities with h = f + g form a circuit, in the terms of hyperplane arrangements. With A = (f < s), C =
// (g < t), B = (h < s+t),
//
//	A*C*(1-B) = 0 and (1-A)*(1-C)*B = 0, hence A*C = A*B + B*C - B
//
// which rewrites the product of any two in terms of the third. The two later ones are rewritten. Next to an
// equality, any that is later than the third is rewritten. The remaining products have no broken circuits.
// They are a basis of the functions on the regions of an arrangement, so the form is unique (Varchenko and
// Gelfand, Heaviside functions of a configuration of hyperplanes, 1987). Longer circuits are not searched,
// which proves less.

// circuit is a relation h = f + g among families.
type circuit struct{ f, g, h int32 }

// findCircuits finds the circuits of the last family with all pairs of earlier families. It negates the family if
// more of them are circuits then.
func (r *Reals) findCircuits() {
	n := len(r.families) - 1
	if n >= maxSearched {
		return
	}
	y := &r.families[n]
	var found []circuit
	for i := range n {
		for side := range 2 {
			f := r.families[i].of
			if side == 1 {
				f.v = r.neg(f.v)
			}
			rest := r.Field.Add(y.of, Element{v: r.neg(f.v)}) // y = f + rest
			r.tests += float64(2 * n)
			if j, ok := r.familyIDs[rest.v]; ok && j < i {
				found = append(found, oriented(i, j, n, side, 0))
			}
			if j, ok := r.familyIDs[r.neg(rest.v)]; ok && j < i {
				found = append(found, oriented(i, j, n, side, 1))
			}
		}
	}
	opposite := false
	for _, c := range found {
		opposite = opposite || c.h < 0
	}
	if opposite {
		delete(r.familyIDs, y.of.v)
		y.of.v, y.inv = r.neg(y.of.v), r.neg(y.inv)
		r.familyIDs[y.of.v] = n
	}
	for _, c := range found {
		if opposite {
			c = c.turned(int32(n))
		}
		if c.h >= 0 {
			for _, pair := range [...][2]int32{bothOf(c.f, c.g), bothOf(c.f, c.h), bothOf(c.g, c.h)} {
				if _, ok := r.circuits[pair]; !ok {
					r.circuits[pair] = c
				}
			}
		}
	}
}

// oriented returns the circuit n = ±i ± j; h is -1 if both signs are negative.
func oriented(i, j, n, negI, negJ int) circuit {
	f, g, h := int32(i), int32(j), int32(n)
	switch {
	case negI == 0 && negJ == 0:
		return circuit{f, g, h}
	case negI == 0:
		return circuit{h, g, f}
	case negJ == 0:
		return circuit{h, f, g}
	}
	return circuit{f, g, -1}
}

// turned returns the circuit with family n negated; h is -1 if the result is not a circuit.
func (c circuit) turned(n int32) circuit {
	switch {
	case c.h < 0:
		return circuit{c.f, c.g, n}
	case c.h == n:
		return circuit{c.f, c.g, -1}
	case c.f == n: // h = n + g becomes g = n + h
		return circuit{n, c.h, c.g}
	}
	return circuit{n, c.h, c.f}
}

// straighten rewrites the first two generators in a product whose circuit has a suitable third family, and
// returns their value. rest holds the other generators.
func (r *Reals) straighten(gens []int32) (rest []int32, x Element, ok bool) {
	if len(r.circuits) == 0 {
		return nil, x, false
	}
	for i, a := range gens {
		for _, b := range gens[i+1:] {
			if r.gens[a].kind > isAt || r.gens[b].kind > isAt {
				continue
			}
			c, found := r.circuits[bothOf(r.gens[a].family, r.gens[b].family)]
			if !found {
				continue
			}
			if x, ok = r.rewritten(c, a, b); ok {
				for _, g := range gens {
					if g != a && g != b {
						rest = append(rest, g)
					}
				}
				return rest, x, true
			}
		}
	}
	return nil, x, false
}

func bothOf(f, g int32) [2]int32 { return [2]int32{min(f, g), max(f, g)} }

// rewritten returns the product of generators p and q, of two families of circuit c, in terms of the third,
// if that is earlier.
func (r *Reals) rewritten(c circuit, p, q int32) (x Element, ok bool) {
	if r.gens[q].kind == isAt && (r.gens[p].kind == isLess || r.gens[q].family < r.gens[p].family) {
		p, q = q, p
	}
	a, b := &r.gens[p], &r.gens[q]
	third := c.f + c.g + c.h - a.family - b.family
	if third > b.family || a.kind == isLess && third > a.family {
		return x, false
	}
	x, y := r.generated(p), r.generated(q)
	_, u, ok := r.thirdAt(a.family, b.family, r.families[a.family].points[a.point], r.families[b.family].points[b.point])
	if !ok {
		return x, false
	}
	n, ok := r.families[third].thresholdIndex(u.t, u.val)
	switch {
	case !ok:
		return x, false
	case a.kind == isAt: // where a holds, b implies the same for the third
		z := r.comparison(int(third), n, b.kind)
		if a.family == c.h && b.kind == isLess { // its converse
			z = r.Add(r.number(1), r.Neg(r.Add(z, r.comparison(int(third), n, isAt))))
		}
		return r.Mul(x, z), true
	}
	z := r.comparison(int(third), n, isLess)
	switch c.h {
	case third: // A*C = B*(A + C - 1)
		return r.Add(r.Mul(z, r.Add(x, y)), r.Neg(z)), true
	case a.family: // B*C = A*(C - B) + B
		return r.Add(r.Mul(z, r.Add(y, r.Neg(x))), x), true
	}
	return r.Add(r.Mul(z, r.Add(x, r.Neg(y))), y), true
}

// thirdAt returns the point of the third family of a circuit if the others are at s and t.
func (r *Reals) thirdAt(f, g int32, s, t threshold) (third int32, u threshold, ok bool) {
	c, ok := r.circuits[bothOf(f, g)]
	if !ok {
		return 0, u, false
	}
	third = c.f + c.g + c.h - f - g
	switch c.h {
	case third:
		u, ok = offset(r, t, s, 1)
	case f:
		u, ok = offset(r, s, t, -1)
	default:
		u, ok = offset(r, t, s, -1)
	}
	return third, u, ok
}

// offset returns s + sign*t, if that is exact.
func offset(r *Reals, s, t threshold, sign float64) (u threshold, ok bool) {
	if sign < 0 {
		t.t, t.val.v = -t.t, r.neg(t.val.v)
	}
	u.t, u.val = s.t+t.t, r.Field.Add(s.val, t.val)
	d := u.t - s.t
	return u, (s.t-(u.t-d))+(t.t-d) == 0
}
