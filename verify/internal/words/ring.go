package words

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Split returns the parts of x as an application of tg, or x as the only part. The latter uses the i-th
// scratch slot, and is valid until its next use.
func (w *Words[T]) Split(tg symbolic.Tag, x T, i int) []Summand[T] {
	id := w.ID(x)
	if f := w.made[id]; f != nil && f.Tag == tg {
		return f.Parts
	}
	w.one[i][0] = Summand[T]{x, id, 1}
	return w.one[i][:]
}

// Polynomial decomposes x into k plus multiples of values that are not sums; i is a scratch slot of Split.
func (w *Words[T]) Polynomial(x T, i int) (k uint32, parts []Summand[T]) {
	if bits, ok := w.Bits(x); ok {
		return bits, nil
	}
	if f := w.Recipe(x); f != nil && f.Tag == symbolic.TagSum {
		return f.k, f.Parts
	}
	return 0, w.Split(symbolic.TagSum, x, i)
}

// merged returns the union of two ordered lists. It keeps one of equal entries, or all of them if repeat is
// not 0.
func merged[T any](a, b []Summand[T], repeat int) []Summand[T] {
	out := make([]Summand[T], 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].id < b[0].id:
			out, a = append(out, a[0]), a[1:]
		case b[0].id < a[0].id:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a = append(out, a[0]), a[1:]
			if repeat == 0 {
				b = b[1:]
			}
		}
	}
	return append(append(out, a...), b...)
}

// Combine returns p*a + q*b.
func (w *Words[T]) Combine(a T, p uint32, b T, q uint32) T {
	ka, pa := w.Polynomial(a, 0)
	kb, pb := w.Polynomial(b, 1)
	return w.fromPolynomial(ka*p+kb*q, linear(pa, p, pb, q))
}

// linear returns p times one list of summands plus q times another.
func linear[T any](a []Summand[T], p uint32, b []Summand[T], q uint32) []Summand[T] {
	out := make([]Summand[T], 0, len(a)+len(b))
	add := func(s Summand[T], by uint32) {
		if s.By = by; by != 0 {
			out = append(out, s)
		}
	}
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].id < b[0].id:
			add(a[0], a[0].By*p)
			a = a[1:]
		case len(a) == 0 || b[0].id < a[0].id:
			add(b[0], b[0].By*q)
			b = b[1:]
		default:
			add(a[0], a[0].By*p+b[0].By*q)
			a, b = a[1:], b[1:]
		}
	}
	return out
}

// AddLiteral returns x + k.
func (w *Words[T]) AddLiteral(x T, k uint32) T { return w.Combine(x, 1, w.Literal(k), 1) }

// fromPolynomial returns the value of a polynomial: a literal, a single value, or an opaque sum of its parts. Parts
// are ordered by id and have nonzero factors, so equal polynomials are equal values. Polynomials longer
// than maxSummands are not decomposed again.
func (w *Words[T]) fromPolynomial(k uint32, parts []Summand[T]) T {
	if len(w.functions) > 0 {
		var x *T
		if k, parts, x = w.gathered(k, parts); x != nil {
			return *x
		}
	}
	switch {
	case len(parts) == 0:
		return w.Literal(k)
	case len(parts) == 1 && k == 0 && parts[0].By == 1:
		return parts[0].X
	}
	args := make([]T, 0, 2*len(parts))
	for _, p := range parts {
		args = append(args, p.X, w.Literal(p.By))
	}
	x := w.Opaque(symbolic.TagSum, uint64(k), args)
	if len(parts) <= maxSummands {
		w.recordRecipe(x, &Recipe[T]{Tag: symbolic.TagSum, k: k, Parts: parts})
	}
	return x
}

// times returns a product, expanded unless too large: integers modulo 2^32 are a commutative ring without
// roundings.
func (w *Words[T]) times(a, b T) T {
	ka, pa := w.Polynomial(a, 0)
	kb, pb := w.Polynomial(b, 1)
	switch {
	case len(pa) == 0:
		return w.Combine(b, ka, b, 0)
	case len(pb) == 0:
		return w.Combine(a, kb, a, 0)
	case len(pa)*len(pb) > maxSummands:
		return w.product(a, b)
	}
	pa, pb = append([]Summand[T](nil), pa...), append([]Summand[T](nil), pb...) // copied from the scratch slots
	sum := linear(pa, kb, pb, ka)
	for _, p := range pa {
		for _, q := range pb {
			x := w.product(p.X, q.X)
			sum = linear(sum, 1, []Summand[T]{{x, w.ID(x), p.By * q.By}}, 1)
		}
	}
	return w.fromPolynomial(ka*kb, sum)
}

// product returns the product of two values that are not decomposed as sums: an opaque product of factors
// in the order of their IDs, which may repeat.
func (w *Words[T]) product(a, b T) T {
	factors := merged(w.Split(symbolic.TagProduct, a, 0), w.Split(symbolic.TagProduct, b, 1), 1)
	args := make([]T, len(factors))
	for i, f := range factors {
		args[i] = f.X
	}
	x := w.Opaque(symbolic.TagProduct, 0, args)
	if len(factors) <= maxFactors {
		w.recordRecipe(x, &Recipe[T]{Tag: symbolic.TagProduct, Parts: factors})
	}
	return x
}

// wordAlgebra evaluates the formulas of ops on words.
type wordAlgebra[T any] struct{ *Words[T] }

// Const implements ir.Algebra.
func (w wordAlgebra[T]) Const(x float32) T { return w.Literal(math.Float32bits(x)) }

// Add, Mul and Neg are operations on floats, which ops on words do not contain.
func (w wordAlgebra[T]) Add(a, b T) T { return w.Opaque(symbolic.TagOp, uint64(ir.OpAdd), []T{a, b}) }

// Mul implements ir.Algebra.
func (w wordAlgebra[T]) Mul(a, b T) T { return w.Opaque(symbolic.TagOp, uint64(ir.OpMul), []T{a, b}) }

// Neg implements ir.Algebra.
func (w wordAlgebra[T]) Neg(a T) T { return w.Opaque(symbolic.TagNeg, 0, []T{a}) }

// Call implements ir.Algebra for integer primitives in normal form. Additions and multiplications use the
// ring of integers modulo 2^32. Comparisons become conditions, masks become choices, and shifts, masks and
// quotients by literals become bit fields (bits.go). Other primitives are known only by name.
func (w wordAlgebra[T]) Call(p ir.Prim, args []T) T {
	a, b := args[0], args[min(1, len(args)-1)]
	switch p {
	case ir.PrimIAdd:
		return w.Combine(a, 1, b, 1)
	case ir.PrimISub:
		return w.Combine(a, 1, b, MinusOne)
	case ir.PrimINeg:
		return w.Combine(a, MinusOne, a, 0)
	// -x - 1.
	case ir.PrimINot:
		return w.complement(a)
	case ir.PrimIMul:
		return w.times(a, b)
	case ir.PrimIMad:
		return w.Combine(w.times(a, b), 1, args[2], 1)
	// Times a power of two.
	case ir.PrimIShl:
		if n, ok := w.Bits(b); ok {
			return w.Combine(a, 1<<(n&31), a, 0)
		}
	// a = b exactly if a-b is zero in the ring.
	case ir.PrimIEq:
		return w.maskOf(w.Not(w.nonzero(w.Combine(a, 1, b, MinusOne))))
	case ir.PrimINe:
		return w.maskOf(w.nonzero(w.Combine(a, 1, b, MinusOne)))
	case ir.PrimILt, ir.PrimULt:
		return w.maskOf(w.lessThan(p, a, b))
	case ir.PrimIGe:
		return w.maskOf(w.Not(w.lessThan(ir.PrimILt, a, b)))
	case ir.PrimUGe:
		return w.maskOf(w.Not(w.lessThan(ir.PrimULt, a, b)))
	case ir.PrimFNe:
		return w.maskOf(w.Not(w.opaqueCall(ir.PrimFEq, args)))
	case ir.PrimDNe:
		return w.maskOf(w.Not(w.opaqueCall(ir.PrimDEq, args)))
	case ir.PrimFToI, ir.PrimFToU:
		return w.toInteger(p, a)
	case ir.PrimIToF, ir.PrimUToF:
		return w.toFloat(p, a)
	case ir.PrimFEq, ir.PrimFLt, ir.PrimFGe, ir.PrimDEq, ir.PrimDLt, ir.PrimDGe:
		return w.maskOf(w.opaqueCall(p, args))
	case ir.PrimSel:
		return w.Choose(w.nonzero(a), b, args[2])
	// A float counts as zero if it compares equal to 0: -0 is zero, and NaN is not.
	case ir.PrimSelF:
		return w.Choose(w.opaqueCall(ir.PrimFEq, []T{a, w.Literal(0)}), args[2], b)
	case ir.PrimIAnd, ir.PrimIOr:
		if x, ok := w.bitwise(p, a, b); ok {
			return x
		}
		if p == ir.PrimIAnd {
			return w.bitwiseAnd(a, b)
		}
		return w.complement(w.Call(ir.PrimIAnd, []T{w.complement(a), w.complement(b)})) // De Morgan's law
	case ir.PrimICarry: // a + b wraps exactly if it is less than a
		return w.and32(w.maskOf(w.lessThan(ir.PrimULt, w.Combine(a, 1, b, 1), a)), 1)
	case ir.PrimIBorrow:
		return w.and32(w.maskOf(w.lessThan(ir.PrimULt, a, b)), 1)
	case ir.PrimIXor:
		return w.exclusive(a, b)
	case ir.PrimUShr:
		if n, ok := w.Bits(b); ok {
			return w.field(w.fieldOf(a).shift(int(n & 31)))
		}
	case ir.PrimIShr:
		if n, ok := w.Bits(b); ok {
			return w.signed(a, n&31)
		}
	case ir.PrimUDiv:
		if d, ok := w.Bits(b); ok {
			return w.divide(a, d)
		}
	case ir.PrimUMod:
		if d, ok := w.Bits(b); ok {
			return w.remainder(a, d)
		}
	case ir.PrimUBitExtract:
		width, okWidth := w.Bits(a)
		n, okN := w.Bits(b)
		if okWidth && okN {
			x := w.field(w.fieldOf(args[2]).shift(int(n & 31)))
			return w.and32(x, 1<<(width&31)-1)
		}
	case ir.PrimBitAlign:
		if n, ok := w.Bits(args[2]); ok {
			return w.funnel(a, b, n)
		}
	case ir.PrimBfi:
		return w.merge(a, b, args[2])
	}
	return w.opaqueCall(p, args)
}

// lessThan returns the condition that a is less than b, signed or unsigned according to p. It records a recipe
// for extreme.
func (w *Words[T]) lessThan(p ir.Prim, a, b T) T {
	if w.Same(a, b) {
		return w.constant(false)
	}
	if p == ir.PrimULt {
		if k, ok := w.Bits(b); ok && k <= 1 { // nothing is below 0, and only 0 is below 1
			return w.either(w.constant(k == 0), w.constant(false), w.Not(w.nonzero(a)))
		}
		if k, ok := w.Bits(a); ok && k == 0 {
			return w.nonzero(b)
		}
		b = w.carried(a, b)
	}
	x := w.opaqueCall(p, []T{a, b})
	w.recordRecipe(x, &Recipe[T]{Tag: symbolic.TagLess, k: uint32(p), A: a, B: b})
	return x
}

// carried returns the simpler of b and a-b. The sum a of both wraps exactly if it is less than b, and
// exactly if it is less than a-b. The carry may therefore be tested with either summand.
func (w *Words[T]) carried(a, b T) T {
	if _, ok := w.Bits(a); ok {
		return b
	}
	rest := w.Combine(a, 1, b, MinusOne)
	if n, m := w.summands(rest), w.summands(b); n < m || n == m && n > 0 && w.ID(rest) < w.ID(b) {
		return rest
	}
	return b
}

// summands returns the number of summands of x as a polynomial. A literal counts as one if there are
// others.
func (w *Words[T]) summands(x T) int {
	k, parts := w.Polynomial(x, 0)
	if len(parts) > 0 && k != 0 {
		return len(parts) + 1
	}
	return len(parts)
}

// complement returns x with all bits inverted, -x - 1.
func (w *Words[T]) complement(x T) T {
	return w.AddLiteral(w.Combine(x, MinusOne, x, 0), MinusOne)
}

// bitwiseAnd returns the conjunction of the bits of two words. The conjunction is a set: order and repetition do
// not matter, and a word with its complement gives 0.
func (w *Words[T]) bitwiseAnd(a, b T) T {
	parts := merged(w.Split(symbolic.TagBoth, a, 0), w.Split(symbolic.TagBoth, b, 1), 0)
	if len(parts) > maxConjunct {
		return w.opaqueCall(ir.PrimIAnd, []T{a, b})
	}
	for i, p := range parts {
		for _, q := range parts[:i] {
			if w.Same(w.complement(p.X), q.X) {
				return w.Literal(0)
			}
		}
	}
	x := parts[0].X
	for _, p := range parts[1:] {
		x = w.Opaque(symbolic.TagBoth, 0, []T{x, p.X})
	}
	if len(parts) > 1 {
		w.recordRecipe(x, &Recipe[T]{Tag: symbolic.TagBoth, Parts: parts})
	}
	return x
}

// bitwise simplifies a conjunction or disjunction of bits; one with a mask is a choice.
func (w *Words[T]) bitwise(p ir.Prim, a, b T) (x T, ok bool) {
	if w.Same(a, b) {
		return a, true
	}
	for range 2 {
		if c, ok := w.masked(a); ok {
			if p == ir.PrimIAnd {
				return w.Choose(c, b, w.Literal(0)), true
			}
			return w.Choose(c, w.Literal(MinusOne), b), true
		}
		a, b = b, a
	}
	for range 2 {
		if mask, ok := w.Bits(a); ok && p == ir.PrimIAnd {
			return w.and32(b, mask), true
		}
		a, b = b, a
	}
	return x, false
}

// opaqueCall returns a primitive known only by its name. It sorts commuting operands, which are words or pairs of
// words (doubles), by id. Sums and products of doubles commute bit for bit, except for the payloads of
// NaNs.
func (w *Words[T]) opaqueCall(p ir.Prim, args []T) T {
	n := 0 // words of each of the two operands that may change places
	switch p {
	case ir.PrimFEq, ir.PrimIMulHigh, ir.PrimUMulHigh, ir.PrimIMul24, ir.PrimUMul24, ir.PrimIMad24, ir.PrimUMad24,
		ir.PrimIMin, ir.PrimIMax, ir.PrimUMin, ir.PrimUMax, ir.PrimICarry, ir.PrimIAnd, ir.PrimIOr, ir.PrimIXor:
		n = 1
	case ir.PrimDEq, ir.PrimDAddLo, ir.PrimDAddHi, ir.PrimDMulLo, ir.PrimDMulHi, ir.PrimDMadLo, ir.PrimDMadHi:
		n = 2
	}
	args = append(make([]T, 0, 8), args...)
	for i := range n {
		x, y := w.ID(args[i]), w.ID(args[n+i])
		if x == y {
			continue
		}
		if x > y {
			for j := range n {
				args[j], args[n+j] = args[n+j], args[j]
			}
		}
		break
	}
	return w.Opaque(symbolic.TagPrim, uint64(p), args)
}
