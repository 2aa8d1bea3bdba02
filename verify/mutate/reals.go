package mutate

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// EquivalentOverReals reports whether two versions of a subject are the same program over the real
// numbers, by the proof of [Equivalent] with one law more: sums and products of floats are
// polynomials over the rationals in whatever is no sum or product. These are multiplied out into
// their canonical form exactly, in which equal polynomials are the same. The judge instead
// evaluates them at random points modulo primes (Schwartz 1980, Zippel 1979), so that the two
// share no arithmetic.
//
// The law is that of numbers. A term that may be infinite or NaN whatever the inputs, as a division
// by a literal zero is, has no place in a polynomial: where one would vanish, as in x/0 * 0 or in
// x/0 - x/0, the computation is not simplified.
func EquivalentOverReals(before, after *Subject) bool {
	return equivalent(before, after, true)
}

// polynomial is a sum of monomials, sorted by factors, with no two alike and no coefficient zero. The
// empty one is zero.
type polynomial []monomial

// monomial is a coefficient times a product of terms, which are sorted; a power repeats its base.
// Neither by nor of is ever changed once it is part of a polynomial, so that they are shared.
type monomial struct {
	by *big.Rat
	of []int
}

// unpaired are the factors with odd exponents, once each: what decides the sign of the product.
func (m *monomial) unpaired() (list []int) {
	for i := 0; i < len(m.of); i++ {
		if i+1 < len(m.of) && m.of[i] == m.of[i+1] {
			i++
			continue
		}
		list = append(list, m.of[i])
	}
	return list
}

// Limits of a polynomial and of its degree, and of the products of monomials in a whole comparison:
// multiplying out is exponential in the depth of nested products. What would be larger becomes an
// opaque term. Assumed; the programs of the corpus stay far below.
const maxMonomials, maxDegree, maxProducts = 48, 12, 1 << 17

// ring computes a sum or product of floats, or a modifier that is one, as a polynomial. It fails where
// op is neither, or the result is too large, or a term vanishes that may be no number; the caller
// then makes an opaque term.
func (t *terms) ring(op string, args []int) (n int, ok bool) {
	name, _, _ := strings.Cut(op, "|")
	p := make([]polynomial, len(args))
	for i, a := range args {
		if p[i], ok = t.polynomial(a); !ok {
			return 0, false
		}
	}
	var sum polynomial
	add := func(q polynomial) { sum, ok = t.plus(sum, q, ok) }
	minus := polynomial{{big.NewRat(-1, 1), nil}}
	ok = true
	switch {
	case name == "add" && len(p) == 2:
		add(p[0])
		add(p[1])
	case name == "sub" && len(p) == 2:
		add(p[0])
		add(t.product(minus, p[1], &ok))
	case name == "mul" && len(p) == 2:
		add(t.product(p[0], p[1], &ok))
	case (name == "mad" || name == "fma") && len(p) == 3:
		add(t.product(p[0], p[1], &ok))
		add(p[2])
	case name == "neg" && len(p) == 1:
		add(t.product(minus, p[0], &ok))
	case name == "invert" && len(p) == 1:
		add(t.product(minus, p[0], &ok))
		add(polynomial{{big.NewRat(1, 1), nil}})
	case name == "bias" && len(p) == 1:
		add(p[0])
		add(polynomial{{big.NewRat(-1, 2), nil}})
	case name == "x2" && len(p) == 1:
		add(t.product(polynomial{{big.NewRat(2, 1), nil}}, p[0], &ok))
	case name == "lrp" && len(p) == 3:
		add(t.product(p[0], p[1], &ok))
		add(t.product(minus, t.product(p[0], p[2], &ok), &ok))
		add(p[2])
	case (name == "dp2" || name == "dp3" || name == "dp4") && len(p)%2 == 0:
		for i := range len(p) / 2 {
			add(t.product(p[i], p[len(p)/2+i], &ok))
		}
	case name == "dp2add" && len(p) == 5:
		for i := range 2 {
			add(t.product(p[i], p[2+i], &ok))
		}
		add(p[4])
	default:
		return 0, false
	}
	if !ok || len(sum) > maxMonomials {
		return 0, false
	}
	return t.form(sum)
}

// polynomial reads a term as a polynomial: its form if it has one, a literal as a constant, anything
// else as a variable. It fails for literals that are denormal, which machines may flush, infinite
// or NaN.
func (t *terms) polynomial(n int) (polynomial, bool) {
	if p, ok := t.forms[n]; ok {
		return p, true
	}
	v, ok := t.literal(n)
	if !ok {
		return polynomial{{big.NewRat(1, 1), []int{n}}}, true
	}
	x := float64(math.Float32frombits(v))
	switch size := math.Abs(x); {
	case x == 0:
		return nil, true
	case !(size >= 0x1p-126 && size <= math.MaxFloat32):
		return nil, false
	}
	return polynomial{{new(big.Rat).SetFloat64(x), nil}}, true
}

// form is the term that a polynomial is, and remembers the polynomial for it. Constants that are
// float32s are literals, a lone variable is its own term, and the negation of one is "neg" of it, so
// that terms with and without polynomials meet. It fails where a coefficient overflows float32:
// products of such literals are infinite in any execution.
func (t *terms) form(p polynomial) (int, bool) {
	most := new(big.Rat).SetFloat64(math.MaxFloat32)
	for _, m := range p {
		if new(big.Rat).Abs(m.by).Cmp(most) > 0 {
			return 0, false
		}
	}
	one := big.NewRat(1, 1)
	switch {
	case len(p) == 0:
		return t.wordOf(0), true
	case len(p) == 1 && len(p[0].of) == 0:
		if x, exact := p[0].by.Float32(); exact {
			return t.wordOf(math.Float32bits(x)), true
		}
	case len(p) == 1 && len(p[0].of) == 1 && p[0].by.Cmp(one) == 0:
		return p[0].of[0], true
	}
	var key strings.Builder
	var args []int
	for _, m := range p {
		fmt.Fprint(&key, " ", m.by.RatString(), "*", len(m.of))
		args = append(args, m.of...)
	}
	n := t.cons("polynomial"+key.String(), args...)
	if len(p) == 1 && len(p[0].of) == 1 && p[0].by.Cmp(big.NewRat(-1, 1)) == 0 {
		n = t.cons("neg", args...)
	}
	if t.forms == nil {
		t.forms = map[int]polynomial{}
	}
	t.forms[n] = p
	return n, true
}

// plus is a sum in canonical form; ok is lost where a term cancels that may be no number. The merge
// writes new rationals and leaves those of p and q alone.
func (t *terms) plus(p, q polynomial, ok bool) (polynomial, bool) {
	list := slices.Concat(p, q)
	slices.SortStableFunc(list, func(a, b monomial) int { return slices.Compare(a.of, b.of) })
	var out polynomial
	for _, m := range list {
		if n := len(out); n > 0 && slices.Equal(out[n-1].of, m.of) {
			out[n-1].by = new(big.Rat).Add(out[n-1].by, m.by)
		} else {
			out = append(out, m)
		}
	}
	return slices.DeleteFunc(out, func(m monomial) bool {
		gone := m.by.Sign() == 0
		ok = ok && !(gone && t.singular(m.of))
		return gone
	}), ok
}

// product is a product in canonical form. *ok is lost where a limit is exceeded, or where a zero
// polynomial would absorb a term that may be no number.
func (t *terms) product(p, q polynomial, ok *bool) polynomial {
	t.products += len(p) * len(q)
	if *ok = *ok && len(p)*len(q) <= 4*maxMonomials && t.products <= maxProducts; !*ok {
		return nil
	}
	for _, factors := range [2][2]polynomial{{p, q}, {q, p}} {
		for _, m := range factors[0] {
			if len(factors[1]) == 0 && t.singular(m.of) {
				*ok = false
			}
		}
	}
	var list, out polynomial
	for _, a := range p {
		for _, b := range q {
			of := slices.Concat(a.of, b.of)
			slices.Sort(of)
			*ok = *ok && len(of) <= maxDegree
			list = append(list, monomial{new(big.Rat).Mul(a.by, b.by), of})
		}
	}
	out, *ok = t.plus(list, nil, *ok)
	return out
}

// singular reports whether one of the terms may be a constant that is no number, such as 1/0 or
// log(-1) on literals. Terms that depend on inputs are taken for numbers: the proof is about the
// inputs for which they are.
func (t *terms) singular(list []int) bool {
	return slices.ContainsFunc(list, func(n int) bool {
		yes, known := t.poles[n]
		if !known {
			if t.poles == nil {
				t.poles = map[int]bool{}
			}
			yes = t.pole(n)
			t.poles[n] = yes
		}
		return yes
	})
}

// pole decides singular for one term: an infinite or NaN literal; a quotient by zero; a constant
// expression that did not fold, of which nothing is known; or anything on such.
func (t *terms) pole(n int) bool {
	args := t.args[n]
	if v, ok := t.literal(n); ok {
		return v&^(1<<31) >= 0x7f800000
	}
	name, _, _ := strings.Cut(t.key[n], "|")
	if zero, ok := t.number["=00000000"]; ok && name == "div" && len(args) == 2 && args[1] == zero {
		return true
	}
	return t.constant(n) || t.singular(args)
}

// constant reports whether a term is a literal, or an operation on literals alone. Elements of arrays
// are not, even at a literal index.
func (t *terms) constant(n int) bool {
	if _, ok := t.literal(n); ok {
		return true
	}
	if len(t.args[n]) == 0 || strings.HasPrefix(t.key[n], element) {
		return false
	}
	yes, known := t.constants[n]
	if !known {
		if t.constants == nil {
			t.constants = map[int]bool{}
		}
		yes = !slices.ContainsFunc(t.args[n], func(a int) bool { return !t.constant(a) })
		t.constants[n] = yes
	}
	return yes
}

// eitherOrder sorts the operands of a minimum or maximum: over the reals these commute, as no operand is
// a NaN and there is one zero.
func eitherOrder(op string, args []int) []int {
	if name, _, _ := strings.Cut(op, "|"); (name == "min" || name == "max") && len(args) == 2 && args[0] > args[1] {
		return []int{args[1], args[0]}
	}
	return args
}

// scaled is a polynomial divided by the magnitude of its first coefficient: all positive multiples of
// a number become one term. Callers may use it where only the sign matters, in kills and in
// comparisons with zero.
func (t *terms) scaled(n int) int {
	p := t.forms[n]
	if len(p) == 0 {
		return n
	}
	by := new(big.Rat).Inv(new(big.Rat).Abs(p[0].by))
	q := make(polynomial, len(p))
	for i, m := range p {
		q[i] = monomial{new(big.Rat).Mul(m.by, by), m.of}
	}
	if m, ok := t.form(q); ok {
		return m
	}
	return n
}

// compared are the operands of lt or ge in normal form over the reals: a < b becomes a-b < 0, scaled.
func (t *terms) compared(rel string, a, b int) (x, y int) {
	zero := t.wordOf(0)
	if !t.reals || rel != "lt" && rel != "ge" {
		return a, b
	}
	if b != zero {
		d, ok := t.ring("sub", []int{a, b})
		if !ok {
			return a, b
		}
		a = d
	}
	return t.scaled(a), zero
}
