package reals

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Boolean implements symbolic.Domain.
func (b *Bitwise) Boolean(x Element) Element { return b.withTerm(b.algebra.Boolean(x), x.term) }

// Compare implements symbolic.Domain.
func (b *Bitwise) Compare(c ir.Cond, x, y Element) Element {
	return b.named(b.algebra.Compare(c, x, y), symbolic.TagCompare, uint64(c), []Element{x, y})
}

// Not implements symbolic.Domain.
func (b *Bitwise) Not(c Element) Element {
	y := b.algebra.Not(c)
	if c.term == 0 {
		return b.withTerm(y, 0)
	}
	return b.withTerm(y, b.terms.Not(c.term))
}

// And implements symbolic.Domain.
func (b *Bitwise) And(x, y Element) Element {
	z := b.algebra.And(x, y)
	for range 2 {
		if holds, known := b.Truth(x); known && x.term == 0 {
			if !holds {
				return b.withTerm(z, 0)
			}
			return b.withTerm(z, y.term)
		}
		x, y = y, x
	}
	if x.term == 0 && y.term == 0 {
		return b.withTerm(z, 0)
	}
	return b.withTerm(z, b.terms.And(b.termOf(x), b.termOf(y)))
}

// Choose implements symbolic.Domain.
func (b *Bitwise) Choose(c, x, y Element) Element {
	z := b.algebra.Choose(c, x, y)
	holds, known := b.Truth(c)
	switch {
	case b.Same(x, y), c.term == 0 && known && holds:
		return b.withTerm(z, x.term)
	case c.term == 0 && known:
		return b.withTerm(z, y.term)
	case c.term == 0 && x.term == 0 && y.term == 0:
		r := arithmetic{}.Call(ir.PrimSelGE, []reading{{exact: true}, b.reading(x), b.reading(y)})
		return b.noted(z, r)
	}
	if d := b.algebra.Not(c); c.term == 0 && (d.v[0] < c.v[0] || d.v[0] == c.v[0] && d.v[1] < c.v[1]) {
		c, x, y = d, y, x // one form for a condition and its negation
		c.term = 0
	}
	return b.withTerm(z, b.terms.Choose(b.termOf(c), b.termOf(x), b.termOf(y)))
}
