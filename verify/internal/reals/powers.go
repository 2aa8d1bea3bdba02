package reals

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// powerOfTwo returns 2^x in a normal form. It extracts integers from the exponent, splits 2^(a+b) into 2^a * 2^b
// if these exponents were met (see resolve), and inverts logarithms. For n an integer or half of one,
// 2^(n*log2(y)) = |y|^n. The rest is an opaque positive value.
func (r *Reals) powerOfTwo(x Element) Element {
	if c, ok := r.isConstant(x); ok && math.Abs(float64(c)) <= 126 && c == float32(math.Trunc(float64(c))) {
		return r.number(float32(math.Ldexp(1, int(c))))
	}
	if hasTerms(x) {
		return r.expOf(x)
	}
	f := r.about(x)
	if n := math.Floor(float64(f.constant)); n != 0 && math.Abs(n) <= 126 {
		return r.Mul(r.number(float32(math.Ldexp(1, int(n)))), r.powerOfTwo(r.plus(x, r.number(float32(-n)))))
	}
	// The exponent is a sum of two known exponents: a product.
	if parts, ok := r.made.sums[x.v]; ok && r.nested <= maxDepth {
		return r.within(func() Element { return r.Mul(r.powerOfTwo(parts[0]), r.powerOfTwo(parts[1])) })
	}
	// resolve can then find it among sums.
	if len(r.made.exponents) < maxSearched {
		r.made.exponents[x.v] = x
	}
	if y, ok := r.expKnown(x); ok {
		return y
	}
	// Sums and differences of known exponents.
	for _, k := range searched(r.made.exps) {
		if y, ok := r.expKnown(r.remainder(x, k.x)); ok {
			return r.Mul(k.val, y)
		}
		if y, ok := r.expKnown(r.remainder(x, r.Field.Neg(k.x))); ok {
			return r.Mul(r.reciprocal(k.val), y)
		}
	}
	// Exponents in which one part is a multiple of a logarithm: 2^(rest + n*log2(y)).
	for _, k := range searched(r.made.logs) {
		for _, n := range [...]float32{1, -1, 2, -2, 0.5, -0.5} {
			if y, ok := r.expKnown(r.remainder(x, r.Field.Mul(k.val, r.number(n)))); ok {
				return r.Mul(r.power(k.x, int(2*n)), y)
			}
		}
	}
	return r.expOf(x)
}

// remainder returns x - y for a search, as a value of the field without a normal form.
func (r *Reals) remainder(x, y Element) Element {
	rest := r.Field.Add(x, r.Field.Neg(y))
	rest.more = &traits{constant: exactly(float64(r.about(x).constant) - float64(r.about(y).constant))}
	return rest
}

// resolve finds the known exponents that are sums of two others. Their powers become products in the next
// evaluation, whichever was met first. It is quadratic in their number, which maxSearched bounds. Each
// comparison may be a coincidence of images, which tests counts.
func (r *Reals) resolve() {
	list := make([]Element, 0, len(r.made.exponents))
	for _, x := range r.made.exponents {
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b Element) int { return slices.Compare(a.v[:], b.v[:]) })
	r.tests += float64(len(list) * len(list))
	r.made.sums, r.made.exps, r.made.expsBy = map[Image][2]Element{}, nil, multiples{}
	for i, a := range list {
		for _, b := range list[i:] {
			sum := r.Field.Add(a, b).v
			_, met := r.made.exponents[sum]
			if _, found := r.made.sums[sum]; met && !found && !r.madeOf(a.v, sum) && !r.madeOf(b.v, sum) {
				r.made.sums[sum] = [2]Element{a, b}
			}
		}
	}
}

// madeOf reports whether exponent x is part, or a sum that contains part.
func (r *Reals) madeOf(x, part Image) bool {
	if x == part {
		return true
	}
	parts, ok := r.made.sums[x]
	return ok && (r.madeOf(parts[0].v, part) || r.madeOf(parts[1].v, part))
}

// expKnown returns 2^x if it follows from earlier results.
func (r *Reals) expKnown(x Element) (y Element, ok bool) {
	r.unpaid++
	if c, ok := r.isConstant(x); ok && math.Abs(float64(c)) <= 126 && c == float32(math.Trunc(float64(c))) {
		return r.number(float32(math.Ldexp(1, int(c)))), true
	}
	if y, ok := r.powerOfKnown(x); ok {
		return y, true
	}
	if k, n := r.halves(&r.made.expsBy, r.made.exps, func(k known) Element { return k.x }, x); n != 0 {
		return r.power(k.val, n), true
	}
	return y, false
}

// maxHalves bounds the multiples of a half that powers are searched for (assumed).
const maxHalves = 32

// isHalves reports whether x is a small multiple of a half.
func isHalves(x float32) bool {
	return math.Abs(float64(x)) <= maxHalves/2 && 2*x == float32(math.Trunc(float64(2*x)))
}

// multiples finds a value among the small multiples of the values in a list: by image without sign, the position in
// the list and the number of halves.
type multiples struct {
	of   map[Image][2]int
	size int // values of the list that are in the map
}

// halves returns the first entry k of list such that x is n/2 times value(k), for a small n, or n = 0.
func (r *Reals) halves(m *multiples, list []known, value func(known) Element, x Element) (k known, n int) {
	list = searched(list)
	if m.of == nil {
		m.of = map[Image][2]int{}
	}
	for ; m.size < len(list); m.size++ {
		half := r.Field.Mul(value(list[m.size]), r.number(0.5))
		for n, y := 1, half; n <= maxHalves; n, y = n+1, r.Field.Add(y, half) {
			u, neg := r.unsigned(y.v)
			if _, met := m.of[u]; met {
				continue
			}
			m.of[u] = [2]int{m.size, n}
			if neg {
				m.of[u] = [2]int{m.size, -n}
			}
		}
		r.unpaid += inverseSteps
	}
	r.tests += float64(len(m.of))
	u, neg := r.unsigned(r.recordWeight(x).v)
	at, ok := m.of[u]
	switch {
	case !ok || x.v == Image{}:
		return k, 0
	case neg:
		at[1] = -at[1]
	}
	return list[at[0]], at[1]
}

// powerOfKnown returns |y|^n where x is n times the logarithm of y.
func (r *Reals) powerOfKnown(x Element) (y Element, ok bool) {
	if x.v == (Image{}) {
		return y, false
	}
	value := func(k known) Element { return k.val }
	if k, n := r.halves(&r.made.logsBy, r.made.logs, value, x); n != 0 {
		return r.power(k.x, n), true
	}
	if k, n := r.halves(&r.made.compositeBy, r.made.composite, value, x); n != 0 {
		return r.power(k.x, n), true
	}
	return y, false
}

// power returns |x|^(n/2). root gives the reciprocal of the square root.
func (r *Reals) power(x Element, n int) Element {
	size := n
	if n < 0 {
		size = -n
	}
	y, factor := r.number(1), r.abs(x)
	for range size / 2 {
		y = r.Mul(y, factor)
	}
	switch {
	case n < 0 && size&1 != 0:
		return r.Mul(r.reciprocal(y), r.reciprocalRoot(x))
	case n < 0:
		return r.reciprocal(y)
	case size&1 != 0:
		return r.Mul(y, r.reciprocal(r.reciprocalRoot(x)))
	}
	return y
}

// expOf returns 2^x as an opaque value, the same for equal exponents. It is positive unless the exponent
// may be infinite, as in 0^y = 2^(y*log2(0)).
func (r *Reals) expOf(x Element) Element {
	for _, k := range searched(r.made.exps) {
		if k.x.v == x.v {
			return k.val
		}
	}
	y := r.newValue(r.random(symbolic.TagPrim, uint64(ir.PrimExp2), []Element{x}),
		traits{nonNegative: true, positive: !r.unbounded(x)})
	r.made.exps = append(r.made.exps, known{x: x, val: y})
	r.made.exponent[y.v] = x
	return y
}

// unbounded reports whether x may be infinite for finite inputs.
func (r *Reals) unbounded(x Element) bool {
	if !hasTerms(x) {
		return r.about(x).poles
	}
	return slices.ContainsFunc(x.more.terms, func(t summandOf) bool {
		return r.about(t.by).poles || slices.ContainsFunc(r.monomials[t.of],
			func(g int32) bool { return r.gens[g].kind == isRoot })
	})
}

// log returns the logarithm of |x| to base 2. Products become sums, a reciprocal becomes the negation, a
// root becomes -1/2 times the logarithm of its operand, and 2^y becomes y.
func (r *Reals) log(x Element) Element {
	if c, ok := r.isConstant(x); ok && isPowerOfTwo(c) {
		return r.number(float32(math.Log2(math.Abs(float64(c)))))
	}
	if terms := r.terms(x); hasTerms(x) && len(terms) == 1 {
		y := r.log(terms[0].by)
		for _, g := range r.monomials[terms[0].of] {
			if r.gens[g].kind != isRoot {
				return r.logOf(x)
			}
			y = r.Add(y, r.Mul(r.number(-0.5), r.log(r.gens[g].of)))
		}
		return y
	}
	if y, ok := r.logKnown(x); ok {
		return y
	}
	if y, ok := r.made.exponent[x.v]; ok {
		return y
	}
	if hasTerms(x) {
		return r.logOf(x)
	}
	// log|a*b| = log|a| + log|b|.
	if a, b, ok := r.factors(x); ok {
		y := r.within(func() Element { return r.Add(r.log(a), r.log(b)) })
		r.made.composite = append(r.made.composite, known{x: x, val: y})
		return y
	}
	// log|1/y| = -log|y|.
	if y, ok := r.made.inverted[x.v]; ok {
		if k, ok := r.logKnown(y); ok {
			return r.Neg(k)
		}
		if r.made.reciprocals[x.v] && !r.made.reciprocals[y.v] && r.nested <= maxDepth {
			return r.Neg(r.within(func() Element { return r.log(y) }))
		}
		if k, ok := r.made.exponent[y.v]; ok {
			return r.Neg(k)
		}
	}
	return r.logOf(x)
}

// logKnown returns the logarithm of |x| if it was met.
func (r *Reals) logKnown(x Element) (y Element, ok bool) {
	for _, k := range searched(r.made.logs) {
		if k.x.v == x.v || k.x.v == r.neg(x.v) {
			return k.val, true
		}
	}
	return y, false
}

// logOf returns the logarithm of |x| as an opaque value, which has a pole.
func (r *Reals) logOf(x Element) Element {
	if y, ok := r.logKnown(x); ok {
		return y
	}
	y := r.newValue(r.random(symbolic.TagPrim, uint64(ir.PrimLog2), []Element{x}), traits{poles: true})
	r.made.logs = append(r.made.logs, known{x: x, val: y})
	return y
}
