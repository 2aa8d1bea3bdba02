package verify

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// split reads x as an application of tg: its parts, in the i-th scratch if it is none.
func (w *words[T]) split(tg tag, x T, i int) []summand[T] {
	id := w.id(x)
	if f := w.made[id]; f != nil && f.tag == tg {
		return f.parts
	}
	w.one[i][0] = summand[T]{x, id, 1}
	return w.one[i][:]
}

// polynomial reads x as a sum.
func (w *words[T]) polynomial(x T, i int) (k uint32, parts []summand[T]) {
	if bits, ok := w.bits(x); ok {
		return bits, nil
	}
	if f := w.recipe(x); f != nil && f.tag == tagSum {
		return f.k, f.parts
	}
	return 0, w.split(tagSum, x, i)
}

// merged is the union of two ordered lists; of equal entries one is kept, or as many
// as there are if repeat is not 0.
func merged[T any](a, b []summand[T], repeat int) []summand[T] {
	out := make([]summand[T], 0, len(a)+len(b))
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

// combine is p*a + q*b.
func (w *words[T]) combine(a T, p uint32, b T, q uint32) T {
	ka, pa := w.polynomial(a, 0)
	kb, pb := w.polynomial(b, 1)
	return w.sum(ka*p+kb*q, linear(pa, p, pb, q))
}

// linear is p times one list of summands plus q times another.
func linear[T any](a []summand[T], p uint32, b []summand[T], q uint32) []summand[T] {
	out := make([]summand[T], 0, len(a)+len(b))
	add := func(s summand[T], by uint32) {
		if s.by = by; by != 0 {
			out = append(out, s)
		}
	}
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].id < b[0].id:
			add(a[0], a[0].by*p)
			a = a[1:]
		case len(a) == 0 || b[0].id < a[0].id:
			add(b[0], b[0].by*q)
			b = b[1:]
		default:
			add(a[0], a[0].by*p+b[0].by*q)
			a, b = a[1:], b[1:]
		}
	}
	return out
}

func (w *words[T]) plus(x T, k uint32) T { return w.combine(x, 1, w.literal(k), 1) }

// sum is the value of a polynomial.
func (w *words[T]) sum(k uint32, parts []summand[T]) T {
	switch {
	case len(parts) == 0:
		return w.literal(k)
	case len(parts) == 1 && k == 0 && parts[0].by == 1:
		return parts[0].x
	}
	args := make([]T, 0, 2*len(parts))
	for _, p := range parts {
		args = append(args, p.x, w.literal(p.by))
	}
	x := w.call(tagSum, uint64(k), args)
	if len(parts) <= maxSummands {
		w.note(x, &recipe[T]{tag: tagSum, k: k, parts: parts})
	}
	return x
}

// times is a product.
func (w *words[T]) times(a, b T) T {
	ka, pa := w.polynomial(a, 0)
	kb, pb := w.polynomial(b, 1)
	switch {
	case len(pa) == 0:
		return w.combine(b, ka, b, 0)
	case len(pb) == 0:
		return w.combine(a, kb, a, 0)
	case len(pa)*len(pb) > maxSummands:
		return w.product(a, b)
	}
	pa, pb = append([]summand[T](nil), pa...), append([]summand[T](nil), pb...) // off the scratch
	sum := linear(pa, kb, pb, ka)
	for _, p := range pa {
		for _, q := range pb {
			x := w.product(p.x, q.x)
			sum = linear(sum, 1, []summand[T]{{x, w.id(x), p.by * q.by}}, 1)
		}
	}
	return w.sum(ka*kb, sum)
}

// product is the product of two values that are not taken apart as sums.
func (w *words[T]) product(a, b T) T {
	factors := merged(w.split(tagProduct, a, 0), w.split(tagProduct, b, 1), 1)
	args := make([]T, len(factors))
	for i, f := range factors {
		args[i] = f.x
	}
	x := w.call(tagProduct, 0, args)
	if len(factors) <= maxFactors {
		w.note(x, &recipe[T]{tag: tagProduct, parts: factors})
	}
	return x
}

// wordAlgebra evaluates the formulas of ops on words.
type wordAlgebra[T any] struct{ *words[T] }

// Const implements ir.Algebra.
func (w wordAlgebra[T]) Const(x float32) T { return w.literal(math.Float32bits(x)) }

// Add, Mul and Neg are of floats, which ops on words do not contain.
func (w wordAlgebra[T]) Add(a, b T) T { return w.call(tagOp, uint64(ir.OpAdd), []T{a, b}) }

// Mul implements ir.Algebra.
func (w wordAlgebra[T]) Mul(a, b T) T { return w.call(tagOp, uint64(ir.OpMul), []T{a, b}) }

// Neg implements ir.Algebra.
func (w wordAlgebra[T]) Neg(a T) T { return w.call(tagNeg, 0, []T{a}) }

// Call implements ir.Algebra.
func (w wordAlgebra[T]) Call(p ir.Prim, args []T) T {
	a, b := args[0], args[min(1, len(args)-1)]
	switch p {
	case ir.PrimIAdd:
		return w.combine(a, 1, b, 1)
	case ir.PrimISub:
		return w.combine(a, 1, b, negative1)
	case ir.PrimINeg:
		return w.combine(a, negative1, a, 0)
	case ir.PrimINot:
		return w.plus(w.combine(a, negative1, a, 0), negative1)
	case ir.PrimIMul:
		return w.times(a, b)
	case ir.PrimIMad:
		return w.combine(w.times(a, b), 1, args[2], 1)
	case ir.PrimIShl:
		if n, ok := w.bits(b); ok {
			return w.combine(a, 1<<(n&31), a, 0)
		}
	case ir.PrimIEq:
		return w.mask(w.not(w.nonzero(w.combine(a, 1, b, negative1))))
	case ir.PrimINe:
		return w.mask(w.nonzero(w.combine(a, 1, b, negative1)))
	case ir.PrimILt, ir.PrimULt:
		return w.mask(w.less(p, a, b))
	case ir.PrimIGe:
		return w.mask(w.not(w.less(ir.PrimILt, a, b)))
	case ir.PrimUGe:
		return w.mask(w.not(w.less(ir.PrimULt, a, b)))
	case ir.PrimFNe:
		return w.mask(w.not(w.name(ir.PrimFEq, args)))
	case ir.PrimDNe:
		return w.mask(w.not(w.name(ir.PrimDEq, args)))
	case ir.PrimFEq, ir.PrimFLt, ir.PrimFGe, ir.PrimDEq, ir.PrimDLt, ir.PrimDGe:
		return w.mask(w.name(p, args))
	case ir.PrimSel:
		return w.choose(w.nonzero(a), b, args[2])
	case ir.PrimSelF:
		return w.choose(w.name(ir.PrimFEq, []T{a, w.literal(0)}), args[2], b)
	case ir.PrimIAnd, ir.PrimIOr:
		if x, ok := w.bitwise(p, a, b); ok {
			return x
		}
	case ir.PrimIXor:
		return w.exclusive(a, b)
	case ir.PrimUShr:
		if n, ok := w.bits(b); ok {
			return w.field(w.fieldOf(a).shift(int(n & 31)))
		}
	case ir.PrimIShr:
		if n, ok := w.bits(b); ok {
			return w.signed(a, n&31)
		}
	case ir.PrimUDiv:
		if d, ok := w.bits(b); ok {
			return w.divide(a, d)
		}
	case ir.PrimUMod:
		if d, ok := w.bits(b); ok {
			return w.remainder(a, d)
		}
	case ir.PrimUBitExtract:
		width, okWidth := w.bits(a)
		n, okN := w.bits(b)
		if okWidth && okN {
			x := w.field(w.fieldOf(args[2]).shift(int(n & 31)))
			return w.and32(x, 1<<(width&31)-1)
		}
	case ir.PrimBitAlign:
		if n, ok := w.bits(args[2]); ok {
			return w.funnel(a, b, n)
		}
	case ir.PrimBfi:
		return w.merge(a, b, args[2])
	}
	return w.name(p, args)
}

// less is whether a is less than b.
func (w *words[T]) less(p ir.Prim, a, b T) T {
	if w.same(a, b) {
		return w.constant(false)
	}
	x := w.name(p, []T{a, b})
	w.note(x, &recipe[T]{tag: tagLess, k: uint32(p), a: a, b: b})
	return x
}

// bitwise computes what is known of a conjunction or disjunction of bits: with a mask
// it is a choice.
func (w *words[T]) bitwise(p ir.Prim, a, b T) (x T, ok bool) {
	if w.same(a, b) {
		return a, true
	}
	for range 2 {
		if c, ok := w.masked(a); ok {
			if p == ir.PrimIAnd {
				return w.choose(c, b, w.literal(0)), true
			}
			return w.choose(c, w.literal(negative1), b), true
		}
		a, b = b, a
	}
	for range 2 {
		if mask, ok := w.bits(a); ok && p == ir.PrimIAnd {
			return w.and32(b, mask), true
		}
		a, b = b, a
	}
	return x, false
}

// name is a primitive known only by its name.
func (w *words[T]) name(p ir.Prim, args []T) T {
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
		x, y := w.id(args[i]), w.id(args[n+i])
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
	return w.call(tagPrim, uint64(p), args)
}
