package words

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// bitField is a value as some bits of another one: (x >> n) & mask, where a negative n shifts to the
// left. Shifts, masks, quotients and remainders by powers of two all compose to one.
type bitField[T any] struct {
	x    T
	n    int    // of the shift
	mask uint32 // of the bits that are left
}

// fieldOf reads x as bits of another value: a field, a multiple by a power of two, or else all bits of
// itself.
func (w *Words[T]) fieldOf(x T) bitField[T] {
	switch f := w.Recipe(x); {
	case f == nil:
	case f.Tag == symbolic.TagField:
		return bitField[T]{f.A, int(f.k), f.Parts[0].By}
	case f.Tag == symbolic.TagSum && f.k == 0 && len(f.Parts) == 1 && bits.OnesCount32(f.Parts[0].By) == 1:
		return w.fieldOf(f.Parts[0].X).shift(-bits.TrailingZeros32(f.Parts[0].By))
	}
	return bitField[T]{x, 0, MinusOne}
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

// field is the value of f: a power of two times bits of x from the lowest one on. A mask that takes all
// bits that can be set is made the full one, so that equal functions have one spelling.
func (w *Words[T]) field(f bitField[T]) T {
	if f.mask == 0 {
		return w.Literal(0)
	}
	if word, ok := w.Bits(f.x); ok {
		if f.n < 0 {
			return w.Literal(word << -f.n & f.mask)
		}
		return w.Literal(word >> f.n & f.mask)
	}
	// Shift so far that the lowest bit of the mask is bit 0, and multiply by 2^up afterwards.
	up := bits.TrailingZeros32(f.mask)
	n, mask := f.n+up, f.mask>>up
	there := uint32(MinusOne) >> n                                     // the bits that are not shifted in
	if lost := ^(uint32(MinusOne) >> up); (mask|lost)&there == there { // when it is shifted up
		mask = there
	}
	x := f.x
	if n > 0 || mask != MinusOne {
		x = w.quotient(x, n, mask)
	}
	return w.Combine(x, 1<<up, x, 0)
}

// quotient is x >> n & mask, where bit 0 of the mask is set. A shifted quotient is a quotient:
// (x/d) >> n = x / (d<<n), if d<<n is a word, and else 0.
func (w *Words[T]) quotient(x T, n int, mask uint32) T {
	if f := w.Recipe(x); f != nil && f.Tag == symbolic.TagQuotient && mask == MinusOne>>n {
		if f.k > MinusOne>>n {
			return w.Literal(0)
		}
		return w.divide(f.A, f.k<<n)
	}
	y := w.Opaque(symbolic.TagField, uint64(n)<<32|uint64(mask), []T{x})
	w.note(y, &Recipe[T]{Tag: symbolic.TagField, A: x, k: uint32(n), Parts: []Summand[T]{{By: mask}}})
	return y
}

// divide is x divided by d, without a sign; by 0 it is all ones, as udiv of AMD IL has it. Quotients of
// quotients are quotients, since floor(floor(x/a)/b) = floor(x/(a*b)).
func (w *Words[T]) divide(x T, d uint32) T {
	switch {
	case d == 0:
		return w.Literal(MinusOne)
	case bits.OnesCount32(d) == 1:
		return w.field(w.fieldOf(x).shift(bits.TrailingZeros32(d)))
	}
	if f := w.Recipe(x); f != nil && f.Tag == symbolic.TagField && f.Parts[0].By == MinusOne>>f.k {
		if d > MinusOne>>f.k {
			return w.Literal(0)
		}
		x, d = f.A, d<<f.k
	}
	if f := w.Recipe(x); f != nil && f.Tag == symbolic.TagQuotient {
		if high, by := bits.Mul32(f.k, d); high == 0 {
			x, d = f.A, by
		} else {
			return w.Literal(0)
		}
	}
	q := w.Opaque(symbolic.TagQuotient, uint64(d), []T{x})
	w.note(q, &Recipe[T]{Tag: symbolic.TagQuotient, A: x, k: d})
	return q
}

// remainder is x - x/d*d; by 0 it is all ones.
func (w *Words[T]) remainder(x T, d uint32) T {
	switch {
	case d == 0:
		return w.Literal(MinusOne)
	case bits.OnesCount32(d) == 1:
		return w.and32(x, d-1)
	}
	return w.Combine(x, 1, w.divide(x, d), -d)
}

// and32 is x with the bits of mask.
func (w *Words[T]) and32(x T, mask uint32) T {
	f := w.fieldOf(x)
	f.mask &= mask
	return w.field(f)
}

// exclusive is the exclusive disjunction of the bits of two words: a sum in a vector space over the
// field of two elements, in which what is in both cancels.
func (w *Words[T]) exclusive(a, b T) T {
	ka, pa := w.xorParts(a, 0)
	kb, pb := w.xorParts(b, 1)
	k, parts := ka^kb, make([]Summand[T], 0, len(pa)+len(pb))
	for _, p := range merged(pa, pb, 1) {
		if n := len(parts); n > 0 && parts[n-1].ID == p.ID {
			parts = parts[:n-1]
		} else {
			parts = append(parts, p)
		}
	}
	switch {
	case len(parts) == 0:
		return w.Literal(k)
	case len(parts) == 1 && k == 0:
		return parts[0].X
	}
	args := make([]T, len(parts))
	for i, p := range parts {
		args[i] = p.X
	}
	x := w.Opaque(symbolic.TagXor, uint64(k), args)
	if len(parts) <= maxConjunct {
		w.note(x, &Recipe[T]{Tag: symbolic.TagXor, k: k, Parts: parts})
	}
	return x
}

// xorParts reads x as an exclusive disjunction of a literal and parts.
func (w *Words[T]) xorParts(x T, i int) (k uint32, parts []Summand[T]) {
	if bits, ok := w.Bits(x); ok {
		return bits, nil
	}
	if f := w.Recipe(x); f != nil && f.Tag == symbolic.TagXor {
		return f.k, f.Parts
	}
	return 0, w.Split(symbolic.TagXor, x, i)
}

// funnel is the lower word of a:b shifted to the right by n.
func (w *Words[T]) funnel(a, b T, n uint32) T {
	if n &= 31; n == 0 {
		return b
	}
	alg := wordAlgebra[T]{w}
	high := alg.Call(ir.PrimIShl, []T{a, w.Literal(32 - n)})
	return alg.Call(ir.PrimIOr, []T{high, alg.Call(ir.PrimUShr, []T{b, w.Literal(n)})})
}

// merge is b where a has ones, and c elsewhere: (a & b) | (^a & c).
func (w *Words[T]) merge(a, b, c T) T {
	alg := wordAlgebra[T]{w}
	rest := alg.Call(ir.PrimIAnd, []T{alg.Call(ir.PrimINot, []T{a}), c})
	return alg.Call(ir.PrimIOr, []T{alg.Call(ir.PrimIAnd, []T{a, b}), rest})
}

// signed shifts x to the right by n, keeping the sign. Shifts compose, up to 31.
func (w *Words[T]) signed(x T, n uint32) T {
	if f := w.Recipe(x); f != nil && f.Tag == symbolic.TagSigned {
		x, n = f.A, min(f.k+n, 31)
	}
	if n == 0 {
		return x
	}
	y := w.Opaque(symbolic.TagSigned, uint64(n), []T{x})
	w.note(y, &Recipe[T]{Tag: symbolic.TagSigned, A: x, k: n})
	return y
}

// extreme is the smaller or the larger one of a and b where the condition c, that one of them is less,
// chooses between them: a < b ? a : b is min(a, b). Equal operands are the same word, so that it does
// not matter which is chosen.
func (w *Words[T]) extreme(c, a, b T) (x T, ok bool) {
	f := w.Recipe(c)
	if f == nil || f.Tag != symbolic.TagLess {
		return x, false
	}
	least, most := ir.PrimIMin, ir.PrimIMax
	if ir.Prim(f.k) == ir.PrimULt {
		least, most = ir.PrimUMin, ir.PrimUMax
	}
	switch {
	case w.Same(f.A, a) && w.Same(f.B, b):
		return w.name(least, []T{a, b}), true
	case w.Same(f.A, b) && w.Same(f.B, a):
		return w.name(most, []T{a, b}), true
	}
	return x, false
}
