package verify

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/ir"
)

// bitField is a value as some bits of another one: x shifted to the right by n, or to the
// left by -n, and masked.
type bitField[T any] struct {
	x    T
	n    int
	mask uint32
}

// fieldOf reads x as bits of another value.
func (w *words[T]) fieldOf(x T) bitField[T] {
	switch f := w.recipe(x); {
	case f == nil:
	case f.tag == tagField:
		return bitField[T]{f.a, int(f.k), f.parts[0].by}
	case f.tag == tagSum && f.k == 0 && len(f.parts) == 1 && bits.OnesCount32(f.parts[0].by) == 1:
		return w.fieldOf(f.parts[0].x).shift(-bits.TrailingZeros32(f.parts[0].by))
	}
	return bitField[T]{x, 0, negative1}
}

// shift moves f to the right by n, or to the left by -n.
func (f bitField[T]) shift(n int) bitField[T] {
	f.n += n
	if n < 0 {
		f.mask <<= -n
	} else {
		f.mask >>= n
	}
	return f
}

// field is the value of f: a power of two times bits from the lowest one on.
func (w *words[T]) field(f bitField[T]) T {
	if f.mask == 0 {
		return w.literal(0)
	}
	if word, ok := w.bits(f.x); ok {
		if f.n < 0 {
			return w.literal(word << -f.n & f.mask)
		}
		return w.literal(word >> f.n & f.mask)
	}
	up := bits.TrailingZeros32(f.mask)
	n, mask := f.n+up, f.mask>>up
	there := uint32(negative1) >> n                                     // the bits that are not shifted in
	if lost := ^(uint32(negative1) >> up); (mask|lost)&there == there { // when it is shifted up
		mask = there
	}
	x := f.x
	if n > 0 || mask != negative1 {
		x = w.quotient(x, n, mask)
	}
	return w.combine(x, 1<<up, x, 0)
}

// quotient is x >> n & mask, where bit 0 of the mask is set.
func (w *words[T]) quotient(x T, n int, mask uint32) T {
	if f := w.recipe(x); f != nil && f.tag == tagQuotient && mask == negative1>>n {
		if f.k > negative1>>n {
			return w.literal(0)
		}
		return w.divide(f.a, f.k<<n)
	}
	y := w.call(tagField, uint64(n)<<32|uint64(mask), []T{x})
	w.note(y, &recipe[T]{tag: tagField, a: x, k: uint32(n), parts: []summand[T]{{by: mask}}})
	return y
}

// divide is x divided by d, without a sign.
func (w *words[T]) divide(x T, d uint32) T {
	switch {
	case d == 0:
		return w.literal(negative1)
	case bits.OnesCount32(d) == 1:
		return w.field(w.fieldOf(x).shift(bits.TrailingZeros32(d)))
	}
	if f := w.recipe(x); f != nil && f.tag == tagField && f.parts[0].by == negative1>>f.k {
		if d > negative1>>f.k {
			return w.literal(0)
		}
		x, d = f.a, d<<f.k
	}
	if f := w.recipe(x); f != nil && f.tag == tagQuotient {
		if high, by := bits.Mul32(f.k, d); high == 0 {
			x, d = f.a, by
		} else {
			return w.literal(0)
		}
	}
	q := w.call(tagQuotient, uint64(d), []T{x})
	w.note(q, &recipe[T]{tag: tagQuotient, a: x, k: d})
	return q
}

// remainder is what that leaves.
func (w *words[T]) remainder(x T, d uint32) T {
	switch {
	case d == 0:
		return w.literal(negative1)
	case bits.OnesCount32(d) == 1:
		return w.and32(x, d-1)
	}
	return w.combine(x, 1, w.divide(x, d), -d)
}

// and32 is x with the bits of mask.
func (w *words[T]) and32(x T, mask uint32) T {
	f := w.fieldOf(x)
	f.mask &= mask
	return w.field(f)
}

// exclusive is the exclusive disjunction of the bits of two words: what is in both
// cancels.
func (w *words[T]) exclusive(a, b T) T {
	ka, pa := w.xorParts(a, 0)
	kb, pb := w.xorParts(b, 1)
	k, parts := ka^kb, make([]summand[T], 0, len(pa)+len(pb))
	for _, p := range merged(pa, pb, 1) {
		if n := len(parts); n > 0 && parts[n-1].id == p.id {
			parts = parts[:n-1]
		} else {
			parts = append(parts, p)
		}
	}
	switch {
	case len(parts) == 0:
		return w.literal(k)
	case len(parts) == 1 && k == 0:
		return parts[0].x
	}
	args := make([]T, len(parts))
	for i, p := range parts {
		args[i] = p.x
	}
	x := w.call(tagXor, uint64(k), args)
	if len(parts) <= maxConjunct {
		w.note(x, &recipe[T]{tag: tagXor, k: k, parts: parts})
	}
	return x
}

func (w *words[T]) xorParts(x T, i int) (k uint32, parts []summand[T]) {
	if bits, ok := w.bits(x); ok {
		return bits, nil
	}
	if f := w.recipe(x); f != nil && f.tag == tagXor {
		return f.k, f.parts
	}
	return 0, w.split(tagXor, x, i)
}

// funnel is the lower word of a:b shifted to the right by n.
func (w *words[T]) funnel(a, b T, n uint32) T {
	if n &= 31; n == 0 {
		return b
	}
	alg := wordAlgebra[T]{w}
	high := alg.Call(ir.PrimIShl, []T{a, w.literal(32 - n)})
	return alg.Call(ir.PrimIOr, []T{high, alg.Call(ir.PrimUShr, []T{b, w.literal(n)})})
}

// merge is b where a has ones, and c elsewhere.
func (w *words[T]) merge(a, b, c T) T {
	alg := wordAlgebra[T]{w}
	rest := alg.Call(ir.PrimIAnd, []T{alg.Call(ir.PrimINot, []T{a}), c})
	return alg.Call(ir.PrimIOr, []T{alg.Call(ir.PrimIAnd, []T{a, b}), rest})
}

// signed shifts x to the right by n, keeping the sign.
func (w *words[T]) signed(x T, n uint32) T {
	if f := w.recipe(x); f != nil && f.tag == tagSigned {
		x, n = f.a, min(f.k+n, 31)
	}
	if n == 0 {
		return x
	}
	y := w.call(tagSigned, uint64(n), []T{x})
	w.note(y, &recipe[T]{tag: tagSigned, a: x, k: n})
	return y
}

// extreme is the smaller or the larger one of a and b where the condition c, that one of
// them is less, chooses between them.
func (w *words[T]) extreme(c, a, b T) (x T, ok bool) {
	f := w.recipe(c)
	if f == nil || f.tag != tagLess {
		return x, false
	}
	least, most := ir.PrimIMin, ir.PrimIMax
	if ir.Prim(f.k) == ir.PrimULt {
		least, most = ir.PrimUMin, ir.PrimUMax
	}
	switch {
	case w.same(f.a, a) && w.same(f.b, b):
		return w.name(least, []T{a, b}), true
	case w.same(f.a, b) && w.same(f.b, a):
		return w.name(most, []T{a, b}), true
	}
	return x, false
}
