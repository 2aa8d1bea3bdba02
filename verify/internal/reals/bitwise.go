package reals

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Bitwise is the domain of real values that also tracks how floats compute them. An element is exact if the
// float equals the element's real number; equal exact elements have the same bits. Every other element has
// the term that computes it from exact ones. Such elements have the same bits if they are equal and have
// the same term.
//
// Inputs, constants, fetched values and results of integer operations are exact. A sum or a product is
// exact if its operands are, and if their grids show that nothing is rounded. For example, ftoi(x) and
// ftoi((x+2^24)-2^24) differ although their operands are equal over the reals. A conversion to an integer
// is a function of the bits.
type Bitwise struct {
	algebra
	field *Field
	terms *symbolic.Terms
	grids map[Image]grid // of exact elements
	blurs uint64         // number of blurred elements
	src   symbolic.Sources[symbolic.Term]
}

// algebra is a Field or a Reals.
type algebra interface {
	symbolic.Domain[Element]
	ir.Algebra[Element]
}

// NewBitwise returns the domain on top of f, or on top of r, built on f, if r is not nil.
func NewBitwise(f *Field, r *Reals) *Bitwise {
	b := &Bitwise{algebra: f, field: f, terms: symbolic.NewTerms(), grids: map[Image]grid{}}
	if r != nil {
		b.algebra = r
	}
	return b
}

// termOf returns the term that computes x. The image of an exact element is the name of its term.
func (b *Bitwise) termOf(x Element) symbolic.Term {
	if x.term != 0 {
		return x.term
	}
	return b.terms.Opaque(symbolic.TagExact, b.field.ID(x), nil)
}

// withTerm returns y as computed by t.
func (b *Bitwise) withTerm(y Element, t symbolic.Term) Element {
	if y.term = t; t == 0 || b.terms.Tag(t) == symbolic.TagExact {
		y.term = 0
	}
	return y
}

func allExact(list []Element) bool {
	for i := range list {
		if list[i].term != 0 {
			return false
		}
	}
	return true
}

// named returns y as the result of the named function of args.
func (b *Bitwise) named(y Element, tg symbolic.Tag, aux uint64, args []Element) Element {
	if allExact(args) {
		return b.withTerm(y, 0)
	}
	terms := make([]symbolic.Term, len(args))
	for i, x := range args {
		terms[i] = b.termOf(x)
	}
	return b.withTerm(y, b.terms.Opaque(tg, aux, terms))
}

// Literal implements symbolic.Domain.
func (b *Bitwise) Literal(bits uint32) Element { return b.withTerm(b.algebra.Literal(bits), 0) }

// Always implements symbolic.Domain.
func (b *Bitwise) Always() Element { return b.withTerm(b.algebra.Always(), 0) }

// Opaque implements symbolic.Domain. A conversion to an integer depends on the bits of its operand.
func (b *Bitwise) Opaque(tg symbolic.Tag, aux uint64, args []Element) Element {
	if tg == symbolic.TagPrim && discrete(ir.Prim(aux)) {
		return b.ofBits(tg, aux, args)
	}
	return b.named(b.algebra.Opaque(tg, aux, args), tg, aux, args)
}

// discrete reports whether p converts floats to integers.
func discrete(p ir.Prim) bool {
	switch p {
	case ir.PrimFToI, ir.PrimFToU, ir.PrimDToI, ir.PrimDToU, ir.PrimRound:
		return true
	}
	return false
}

// ofBits returns a function of the bits of args, whose result is exact.
func (b *Bitwise) ofBits(tg symbolic.Tag, aux uint64, args []Element) Element {
	if !allExact(args) {
		list := append(make([]Element, 0, 2*len(args)), args...)
		for _, x := range args {
			list = append(list, b.algebra.Opaque(symbolic.TagExact, uint64(b.termOf(x)), nil))
		}
		args = list
	}
	return b.withTerm(b.algebra.Opaque(tg, aux, args), 0)
}

// Apply implements symbolic.Domain.
func (b *Bitwise) Apply(in *ir.Instr, lane int, src *symbolic.Sources[Element]) Element {
	exact := true
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<lane)
		for i := range 4 {
			if reads>>i&1 != 0 {
				exact = exact && src[s][i].term == 0
			}
		}
	}
	if !exact && (in.Op.Has(ir.Special) && in.Op != ir.OpSetp) {
		return b.ofBits(symbolic.TagOp, uint64(in.Op), src[0][lane:lane+1])
	}
	y := b.algebra.Apply(in, lane, src)
	if exact {
		if y.isBits {
			return b.withTerm(y, 0)
		}
		r := ir.Eval(arithmetic{}, in.Op, lane, func(s, l int) reading { return b.reading(src[s][l]) })
		if in.Mods&ir.Sat != 0 {
			r = arithmetic{}.Call(ir.PrimSat, []reading{r})
		}
		if r.exact && in.Mods&ir.Half == 0 {
			return b.noted(y, r)
		}
	}
	if t, ok := b.split(in, lane, src); ok {
		return b.withTerm(y, t)
	}
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<lane)
		for i := range 4 {
			if reads>>i&1 != 0 {
				b.src[s][i] = b.termOf(src[s][i])
			}
		}
	}
	return b.withTerm(y, b.terms.Apply(in, lane, &b.src))
}

// noted returns y as an exact element with the grid of r.
func (b *Bitwise) noted(y Element, r reading) Element {
	y.term = 0
	if _, known := b.grids[y.v]; r.bounded && !known {
		b.grids[y.v] = r.grid
	}
	return y
}

// reading returns the grid of x, if known.
func (b *Bitwise) reading(x Element) reading {
	switch {
	case x.term != 0:
		return reading{}
	case x.v == Image{}:
		return bounded(literalGrid(0))
	case x.isBits && isNumber(math.Float32frombits(x.lit)) && !(b.field.typeless && !ordinary(x.lit)):
		return bounded(literalGrid(float64(math.Float32frombits(x.lit))))
	}
	g, ok := b.grids[x.v]
	return reading{true, ok, g}
}

// Modify implements symbolic.Domain. Signs round nothing.
func (b *Bitwise) Modify(x Element, m ir.LaneMod) Element {
	y := b.algebra.Modify(x, m)
	if x.term != 0 {
		return b.withTerm(y, b.terms.Modify(x.term, m))
	}
	r := b.reading(x)
	if m&ir.Abs != 0 {
		r = arithmetic{}.Call(ir.PrimAbs, []reading{r})
	}
	if m&ir.Neg != 0 {
		r = arithmetic{}.Neg(r)
	}
	r.bounded = r.bounded && m&ir.Not == 0
	return b.noted(y, r)
}

// Saturate implements symbolic.Domain.
func (b *Bitwise) Saturate(x Element) Element {
	y := b.algebra.Saturate(x)
	if x.term != 0 {
		return b.withTerm(y, b.terms.Saturate(x.term))
	}
	return b.noted(y, arithmetic{}.Call(ir.PrimSat, []reading{b.reading(x)}))
}

// Interpolate implements symbolic.Domain. Weights round.
func (b *Bitwise) Interpolate(k symbolic.Interpolation, v []Element) Element {
	terms := make([]symbolic.Term, len(v))
	for i, x := range v {
		terms[i] = b.termOf(x)
	}
	return b.withTerm(b.algebra.Interpolate(k, v), b.terms.Interpolate(k, terms))
}

// Computed implements symbolic.Domain.
func (b *Bitwise) Computed(x Element, in *ir.Instr) Element {
	return b.withTerm(b.algebra.Computed(x, in), x.term)
}

// Same implements symbolic.Domain: the same real numbers, by the same bits.
func (b *Bitwise) Same(x, y Element) bool { return x.v == y.v && x.term == y.term }

// ID implements symbolic.Domain. It orders by the real numbers first.
func (b *Bitwise) ID(x Element) uint64 { return b.Class(x)<<32 | uint64(x.term) }

// Class implements symbolic.Blurred: equal real numbers.
func (b *Bitwise) Class(x Element) uint64 { return b.field.ID(x) }

// Blur implements symbolic.Blurred.
func (b *Bitwise) Blur(x Element) Element {
	b.blurs++
	return b.withTerm(x, b.terms.Opaque(symbolic.TagFresh, 1<<32|b.blurs, nil))
}

// Weight implements symbolic.Weigher.
func (b *Bitwise) Weight() int {
	n := b.terms.Weight() + 96*len(b.grids)
	if w, ok := b.algebra.(symbolic.Weigher); ok {
		n += w.Weight()
	}
	return n
}

// Worked implements symbolic.Laborer.
func (b *Bitwise) Worked() int {
	if l, ok := b.algebra.(symbolic.Laborer); ok {
		return l.Worked()
	}
	return 0
}
