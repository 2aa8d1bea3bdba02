package algebra

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// expr is a way to compute a polynomial.
type expr struct {
	op   ir.Op // OpMov: the atom
	atom *atom
	args []arg
	cost int // in instructions, those of atoms included; common subexpressions count each time
	// uniform means that all lanes have the same value, so one is enough.
	uniform bool
}

// arg is an expression that is read, perhaps negated.
type arg struct {
	*expr
	negative bool
}

// extractor finds cheap expressions for polynomials. It tries every factor that terms share, and every vector
// that dot products share, and computes the rest in the same way: Horner's scheme for several variables.
// Breuer, "Generation of Optimal Code for Expressions via Factorization", CACM 12(6), 1969, describes the search.
type extractor struct {
	known  map[string]*expr
	leaves map[string]*expr
}

// maxPolynomials bounds the polynomials that a search looks at (assumed).
const maxPolynomials = 100

// sum returns the cheapest expression that was found for s or -s, or nil if the search was cut short.
func (x *extractor) sum(s sum) (best *expr, negative bool) {
	s, negative = s.ordered()
	key := s.key()
	if e, ok := x.known[key]; ok {
		return e, negative
	}
	if len(x.known) >= maxPolynomials {
		return nil, false
	}
	x.known[key] = nil
	if len(s) == 1 {
		best = x.product(s[0].factors)
	} else {
		tried := map[string]bool{}
		for _, f := range s.factors() {
			if !tried[f.key] {
				tried[f.key] = true
				best = cheaper(best, x.factored(s, f.atom))
			}
			for k := range 2 {
				if f.op == ir.OpDp3 || f.op == ir.OpDp4 {
					best = cheaper(best, x.joined(s, f.atom, k))
				}
			}
		}
	}
	x.known[key] = best
	return best, negative
}

// factors lists the factors of all terms, those with poles first: they then multiply a sum.
func (s sum) factors() (list []factor) {
	for _, pole := range []bool{true, false} {
		for _, t := range s {
			for _, f := range t.factors {
				if f.pole == pole {
					list = append(list, f)
				}
			}
		}
	}
	return list
}

// total returns the number of instructions of e that are not in counted, each counted once.
func (e *expr) total(counted map[*expr]bool) (n int) {
	if counted[e] {
		return 0
	}
	counted[e] = true
	if e.atom != nil {
		return e.cost
	}
	for _, a := range e.args {
		n += a.total(counted)
	}
	return n + 1
}

// cheaper returns the cheaper one of two expressions, a if they cost the same. Either may be nil.
func cheaper(a, b *expr) *expr {
	if a == nil || b != nil && b.cost < a.cost {
		return b
	}
	return a
}

// shares reports whether two terms of s share a factor, or dot products a vector.
func (s sum) shares() bool {
	met := map[string]int{}
	for i, t := range s {
		for _, f := range t.factors {
			keys := []string{f.key}
			if f.op == ir.OpDp3 || f.op == ir.OpDp4 {
				for k := range f.src {
					a, _ := operandAtom(f.src[k])
					keys = append(keys, f.op.String()+a.key)
				}
			}
			for _, key := range keys {
				if j, ok := met[key]; ok && j != i {
					return true
				}
				met[key] = i
			}
		}
	}
	return false
}

// cost returns the instructions that s takes if no two terms share a factor: each term is added to the sum of the
// others together with its last product.
func (s sum) cost() (n int) {
	bare := false
	for _, t := range s {
		muls := -1
		for _, f := range t.factors {
			if f.parts != nil {
				n += f.parts.cost()
			} else {
				n += f.cost()
			}
			muls += f.n
		}
		n += max(muls, 1)
		bare = bare || muls < 1
	}
	if bare {
		n--
	}
	return n
}

// newExpr returns the expression op(args...).
func newExpr(op ir.Op, args ...arg) *expr {
	e := &expr{op: op, args: args, cost: 1, uniform: true}
	for _, a := range args {
		e.cost += a.cost
		e.uniform = e.uniform && a.uniform
	}
	return e
}

// leaf returns the expression that reads a, or nil if none was found.
func (x *extractor) leaf(a *atom) *expr {
	if a.parts != nil {
		e, _ := x.sum(a.parts)
		return e
	}
	e := x.leaves[a.key]
	if e == nil {
		e = &expr{op: ir.OpMov, atom: a, uniform: a.uniform, cost: a.cost()}
		x.leaves[a.key] = e
	}
	return e
}

// cost returns the number of instructions that compute a from operands.
func (a *atom) cost() int {
	switch {
	case a.op == ir.OpMov:
		return 0
	case a.op == ir.OpLog && !a.uniform:
		return len(distinct(&a.src[0]))
	}
	return 1
}

// distinct returns the different lanes of o.
func distinct(o *ir.Operand) (lanes []ir.Lane) {
	for _, l := range o {
		if l.V != nil && !slices.Contains(lanes, l) {
			lanes = append(lanes, l)
		}
	}
	return lanes
}

// product multiplies factors, first those that are the same in all lanes. Constants are last if there is a pole: they
// may make an infinity of the largest number, which is NaN times a factor 0. It returns nil if a factor has no
// expression.
func (x *extractor) product(factors []factor) (e *expr) {
	if len(factors) == 0 {
		return x.leaf(&unit)
	}
	pole := slices.ContainsFunc(factors, func(f factor) bool { return f.pole })
	rank := func(f factor) (n int) {
		if f.scale && pole {
			n = 2
		}
		if !f.uniform {
			n++
		}
		return n
	}
	factors = slices.SortedStableFunc(slices.Values(factors), func(a, b factor) int { return rank(a) - rank(b) })
	for _, f := range factors {
		l := x.leaf(f.atom)
		if l == nil {
			return nil
		}
		for range f.n {
			if e == nil {
				e = l
			} else {
				e = newExpr(ir.OpMul, arg{l, false}, arg{e, false})
			}
		}
	}
	return e
}

// factored computes s as a*p + q, where q has the terms without factor a.
func (x *extractor) factored(s sum, a *atom) *expr {
	var p, q sum
	for _, t := range s {
		if t.has(a) {
			p = append(p, t.times(powerOf(a, -1)))
		} else {
			q = append(q, t)
		}
	}
	l := x.leaf(a)
	if l == nil {
		return nil
	}
	args := []arg{{l, false}}
	op := ir.OpAdd
	if len(p) > 1 || len(p[0].factors) > 0 {
		e, negative := x.sum(p)
		if e == nil {
			return nil
		}
		args[0].negative = negative
		args, op = append(args, arg{e, false}), ir.OpMul
	} else {
		args[0].negative = p[0].negative
	}
	if len(q) > 0 {
		e, negative := x.sum(q)
		if e == nil {
			return nil
		}
		args = append(args, arg{e, negative})
		if op == ir.OpMul {
			op = ir.OpMad
		}
	}
	return newExpr(op, args...)
}

// joined computes the dot products in s that share source k of d as one dot product of a sum of vectors. The
// other factors of their terms have to be uniform.
func (x *extractor) joined(s sum, d *atom, k int) *expr {
	by, negative := operandAtom(d.src[k])
	var vectors, q sum
	for _, t := range s {
		v, ok := sharedVector(t, d.op, by)
		if !ok {
			q = append(q, t)
			continue
		}
		v.negative = v.negative != negative
		vectors = vectors.plus(sum{v})
	}
	if len(vectors) < 2 {
		return nil
	}
	e, minus := x.sum(vectors)
	if e == nil {
		return nil
	}
	dot := newExpr(d.op, arg{e, minus}, arg{x.leaf(by), negative})
	dot.uniform = true
	if len(q) == 0 {
		return dot
	}
	rest, minus := x.sum(q)
	if rest == nil {
		return nil
	}
	return newExpr(ir.OpAdd, arg{dot, false}, arg{rest, minus})
}

// sharedVector returns t without the dot product with by that is a factor of it, times the other vector of
// that dot product.
func sharedVector(t term, op ir.Op, by *atom) (v term, ok bool) {
	for i, f := range t.factors {
		if f.op != op || f.n != 1 {
			continue
		}
		for k := range 2 {
			b, minus := operandAtom(f.src[k])
			if b.key != by.key || b.uniform {
				continue
			}
			a, negative := operandAtom(f.src[1-k])
			rest := term{t.negative, slices.Delete(slices.Clone(t.factors), i, i+1)}
			if a.uniform || slices.ContainsFunc(rest.factors, func(f factor) bool { return !f.uniform }) {
				return v, false
			}
			v = powerOf(a, 1)
			v.negative = negative != minus
			return v.times(rest), true
		}
	}
	return v, false
}
