package ir

import (
	"cmp"
	"math"
	"slices"
)

// WordSum is a word as a sum of multiples of other words plus a number, modulo 2^32. Each word has at most one
// term, and no factor is 0. Terms are in the order of their IDs, so equal sums have equal lists.
type WordSum struct {
	Terms []WordTerm
	More  uint32
}

// WordTerm is a multiple of a word.
type WordTerm struct {
	Of    *Value
	Times uint32
}

// maxWordTerms bounds the terms of a form. Addresses have few.
const maxWordTerms = 6

// Distance returns b - a if the forms differ by a number only.
func (a WordSum) Distance(b WordSum) (d uint32, ok bool) {
	return b.More - a.More, slices.Equal(a.Terms, b.Terms)
}

// Alignment returns the remainder of a word modulo the largest power of two that divides all factors. The modulus
// is 0 for a number, which stands for 2^32.
func (a WordSum) Alignment() (remainder, modulus uint32) {
	for _, t := range a.Terms {
		modulus |= t.Times
	}
	if modulus &= -modulus; modulus == 0 {
		return a.More, 0
	}
	return a.More & (modulus - 1), modulus
}

// scaledSum returns p*a + q*b. ok is false if the sum is too long.
func (a WordSum) scaledSum(p uint32, b WordSum, q uint32) (sum WordSum, ok bool) {
	sum.More = p*a.More + q*b.More
	for _, t := range a.Terms {
		sum.Terms = append(sum.Terms, WordTerm{t.Of, p * t.Times})
	}
	for _, t := range b.Terms {
		i, found := slices.BinarySearchFunc(sum.Terms, t.Of.ID,
			func(u WordTerm, id ID) int { return cmp.Compare(u.Of.ID, id) })
		if !found {
			sum.Terms = slices.Insert(sum.Terms, i, WordTerm{Of: t.Of})
		}
		sum.Terms[i].Times += q * t.Times
	}
	sum.Terms = slices.DeleteFunc(sum.Terms, func(t WordTerm) bool { return t.Times == 0 })
	return sum, len(sum.Terms) <= maxWordTerms
}

// WordSums caches the forms of values.
type WordSums map[*Value]WordSum

// Of returns the form of a lane. A value that is not a sum is one term.
func (fs WordSums) Of(l Lane) (WordSum, bool) { return fs.of(l.V), l.Mod == 0 }

func (fs WordSums) of(v *Value) WordSum {
	if f, known := fs[v]; known {
		return f
	}
	f := WordSum{Terms: []WordTerm{{v, 1}}}
	switch in := v.Def; {
	case v.Kind == Literal:
		f = WordSum{More: v.Bits}
	case in != nil && in.Op.HasFormula() && !in.IsPredicated() && in.Mods&Sat == 0:
		if x := Eval(sumAlgebra{}, in.Op, int(v.Lane), func(src, lane int) *WordSum {
			if form, ok := fs.Of(in.Src[src][lane]); ok {
				return &form
			}
			return nil
		}); x != nil {
			f = *x
		}
	}
	fs[v] = f
	return f
}

// sumAlgebra computes integers as sums, and products with a number as a factor. Everything else is nil.
type sumAlgebra struct{}

func (sumAlgebra) Const(f float32) *WordSum   { return &WordSum{More: math.Float32bits(f)} }
func (sumAlgebra) Add(_, _ *WordSum) *WordSum { return nil }
func (sumAlgebra) Mul(_, _ *WordSum) *WordSum { return nil }
func (sumAlgebra) Neg(*WordSum) *WordSum      { return nil }
func (a sumAlgebra) Call(p Prim, args []*WordSum) *WordSum {
	if slices.Contains(args, nil) {
		return nil
	}
	switch p {
	case PrimIAdd:
		return combined(args[0], 1, args[1], 1)
	case PrimISub:
		return combined(args[0], 1, args[1], math.MaxUint32)
	case PrimINeg:
		return combined(args[0], math.MaxUint32, &WordSum{}, 0)
	case PrimIMul:
		return multiplied(args[0], args[1])
	case PrimIMad:
		if product := multiplied(args[0], args[1]); product != nil {
			return combined(product, 1, args[2], 1)
		}
	case PrimIShl:
		if by := args[1]; len(by.Terms) == 0 {
			return combined(args[0], 1<<(by.More&31), &WordSum{}, 0)
		}
	}
	return nil
}

// combined returns p*a + q*b, or nil if the sum is too long.
func combined(a *WordSum, p uint32, b *WordSum, q uint32) *WordSum {
	if sum, ok := a.scaledSum(p, *b, q); ok {
		return &sum
	}
	return nil
}

// multiplied returns a product, or nil if neither factor is a number.
func multiplied(a, b *WordSum) *WordSum {
	if len(a.Terms) == 0 {
		a, b = b, a
	}
	if len(b.Terms) > 0 {
		return nil
	}
	return combined(a, b.More, &WordSum{}, 0)
}
