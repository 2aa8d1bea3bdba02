package words

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// bitField is some bits of another value: (x >> n) & mask, where a negative n shifts left. Shifts, masks,
// quotients and remainders by powers of two all compose to one bitField.
type bitField[T any] struct {
	x    T
	n    int    // shift count
	mask uint32 // remaining bits
}

// fieldOf reads x as bits of another value: a field, a multiple by a power of two, or else all bits of x.
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

// shift shifts f right by n, or left by -n.
func (f bitField[T]) shift(n int) bitField[T] {
	f.n += n
	if n < 0 {
		f.mask <<= -n
	} else {
		f.mask >>= n
	}
	return f
}

// field returns the value of f: a power of two times bits of x from the lowest one on. It extends a mask
// that covers all possible bits to the full mask, so that equal functions have one form.
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
	// Shift so that the lowest bit of the mask is bit 0, and then multiply by 2^up.
	up := bits.TrailingZeros32(f.mask)
	n, mask := f.n+up, f.mask>>up
	there := uint32(MinusOne) >> n                                     // bits that are not shifted in
	if lost := ^(uint32(MinusOne) >> up); (mask|lost)&there == there { // when it is shifted up
		mask = there
	}
	x := f.x
	if n > 0 || mask != MinusOne {
		x = w.quotient(x, n, mask)
	}
	return w.Combine(x, 1<<up, x, 0)
}

// quotient returns x >> n & mask, where bit 0 of the mask is set. A shifted quotient is a quotient: (x/d)
// >> n = x / (d<<n) if d<<n is a word, else 0.
func (w *Words[T]) quotient(x T, n int, mask uint32) T {
	if f := w.Recipe(x); f != nil && f.Tag == symbolic.TagQuotient && mask == MinusOne>>n {
		if f.k > MinusOne>>n {
			return w.Literal(0)
		}
		return w.divide(f.A, f.k<<n)
	}
	y := w.Opaque(symbolic.TagField, uint64(n)<<32|uint64(mask), []T{x})
	w.recordRecipe(y, &Recipe[T]{Tag: symbolic.TagField, A: x, k: uint32(n), Parts: []Summand[T]{{By: mask}}})
	return y
}

// divide returns the unsigned quotient x / d. Division by 0 gives all ones, like udiv of AMD IL. Quotients
// compose, since floor(floor(x/a)/b) = floor(x/(a*b)).
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
	w.recordRecipe(q, &Recipe[T]{Tag: symbolic.TagQuotient, A: x, k: d})
	return q
}

// remainder returns x - x/d*d, or all ones for d = 0.
func (w *Words[T]) remainder(x T, d uint32) T {
	switch {
	case d == 0:
		return w.Literal(MinusOne)
	case bits.OnesCount32(d) == 1:
		return w.and32(x, d-1)
	}
	return w.Combine(x, 1, w.divide(x, d), -d)
}

// and32 returns x & mask. The multiples of a sum have no bits below a power of two that divides all of them, so those
// bits are the number's: (8*x + 5) & 3 is 1, and (8*x + 5) & -4 is 8*x + 4.
func (w *Words[T]) and32(x T, mask uint32) T {
	k, parts := w.Polynomial(x, 0)
	multiple := uint32(0)
	for _, p := range parts {
		multiple |= p.By
	}
	low := multiple&-multiple - 1
	switch {
	case len(parts) == 0: // fieldOf knows literals
	case mask&^low == 0:
		return w.Literal(k & mask)
	case mask|low == MinusOne:
		return w.AddLiteral(x, -(k & low &^ mask))
	}
	f := w.fieldOf(x)
	f.mask &= mask
	return w.field(f)
}

// exclusive returns the exclusive disjunction of two words: a sum in a vector space over the field of two
// elements, in which equal parts cancel.
func (w *Words[T]) exclusive(a, b T) T {
	ka, pa := w.xorParts(a, 0)
	kb, pb := w.xorParts(b, 1)
	k, parts := ka^kb, make([]Summand[T], 0, len(pa)+len(pb))
	for _, p := range merged(pa, pb, 1) {
		if n := len(parts); n > 0 && parts[n-1].id == p.id {
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
		w.recordRecipe(x, &Recipe[T]{Tag: symbolic.TagXor, k: k, Parts: parts})
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

// funnel returns the lower word of a:b shifted right by n.
func (w *Words[T]) funnel(a, b T, n uint32) T {
	if n &= 31; n == 0 {
		return b
	}
	alg := wordAlgebra[T]{w}
	high := alg.Call(ir.PrimIShl, []T{a, w.Literal(32 - n)})
	return alg.Call(ir.PrimIOr, []T{high, alg.Call(ir.PrimUShr, []T{b, w.Literal(n)})})
}

// merge returns b where a has ones, and c elsewhere: (a & b) | (^a & c).
func (w *Words[T]) merge(a, b, c T) T {
	alg := wordAlgebra[T]{w}
	rest := alg.Call(ir.PrimIAnd, []T{alg.Call(ir.PrimINot, []T{a}), c})
	return alg.Call(ir.PrimIOr, []T{alg.Call(ir.PrimIAnd, []T{a, b}), rest})
}

// signed shifts x right by n and keeps the sign. Shifts compose, up to 31.
func (w *Words[T]) signed(x T, n uint32) T {
	if f := w.Recipe(x); f != nil && f.Tag == symbolic.TagSigned {
		x, n = f.A, min(f.k+n, 31)
	}
	if n == 0 {
		return x
	}
	y := w.Opaque(symbolic.TagSigned, uint64(n), []T{x})
	w.recordRecipe(y, &Recipe[T]{Tag: symbolic.TagSigned, A: x, k: n})
	return y
}

// extreme returns the minimum or maximum of a and b if the condition c of a choice compares them: a < b ? a
// : b is min(a, b). Equal operands are the same word, so either may be chosen.
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
		return w.opaqueCall(least, []T{a, b}), true
	case w.Same(f.A, b) && w.Same(f.B, a):
		return w.opaqueCall(most, []T{a, b}), true
	}
	return x, false
}
