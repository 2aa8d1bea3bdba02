package fetches

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// form is a linear combination of values plus a number, over the real numbers. It is opaque if none is known.
// Forms that are equal up to their numbers differ by a known distance. Each value has at most one term, and
// no coefficient is 0.
type form struct {
	terms  []term
	more   float64
	opaque bool
}

// term is a multiple of a value.
type term struct {
	of    *ir.Value
	times float64
}

// maxTerms bounds forms: positions have few terms.
const maxTerms = 6

var opaque = form{opaque: true}

// number returns the form of a number.
func number(x float64) form { return form{more: x} }

// plusScaled returns a + times*b. Terms that cancel are dropped, so (x+1) - x is 1.
func (a form) plusScaled(b form, times float64) form {
	if a.opaque || b.opaque || math.IsInf(times, 0) || math.IsNaN(times) {
		return opaque
	}
	sum := form{terms: slices.Clone(a.terms), more: a.more + times*b.more}
	for _, t := range b.terms {
		i := slices.IndexFunc(sum.terms, func(u term) bool { return u.of == t.of })
		if i < 0 {
			i = len(sum.terms)
			sum.terms = append(sum.terms, term{of: t.of})
		}
		sum.terms[i].times += times * t.times
	}
	sum.terms = slices.DeleteFunc(sum.terms, func(t term) bool { return t.times == 0 })
	if len(sum.terms) > maxTerms {
		return opaque
	}
	return sum
}

// termsKey identifies a form up to its number: terms sorted by value, so that x+y and y+x are equal.
func (a form) termsKey() string {
	terms := slices.Clone(a.terms)
	slices.SortFunc(terms, func(t, u term) int { return cmp.Compare(t.of.ID, u.of.ID) })
	s := ""
	for _, t := range terms {
		s += fmt.Sprintf("%g*%d ", t.times, t.of.ID)
	}
	return s
}

// forms caches the forms of values, so that the walk over dependences is linear.
type forms map[*ir.Value]form

// formOf returns v as a sum, or as one term if nothing better is known.
func (fs forms) formOf(v *ir.Value) form {
	if f, known := fs[v]; known {
		return f
	}
	// The single value is a form.
	f := form{terms: []term{{v, 1}}}
	switch in := v.Def; {
	case v.Kind == ir.Literal:
		if x := float64(math.Float32frombits(v.Bits)); !math.IsInf(x, 0) && !math.IsNaN(x) {
			f = number(x)
		}
	case in != nil && in.Op.HasFormula() && !in.IsPredicated() && in.Mods == 0:
		if computed := ir.Eval(formAlgebra{}, in.Op, int(v.Lane),
			func(src, l int) form { return fs.laneForm(in.Src[src][l]) }); !computed.opaque {
			f = computed
		}
	}
	fs[v] = f
	return f
}

// laneForm returns the form of an operand lane. Absolute values are opaque.
func (fs forms) laneForm(l ir.Lane) form {
	switch f := fs.formOf(l.V); l.Mod {
	case 0:
		return f
	case ir.Neg:
		return form{}.plusScaled(f, -1)
	}
	return opaque
}

// formAlgebra computes sums of sums, and products with a number as a factor. Primitives are opaque, so their
// results are separate terms.
type formAlgebra struct{}

func (formAlgebra) Const(f float32) form      { return number(float64(f)) }
func (formAlgebra) Add(a, b form) form        { return a.plusScaled(b, 1) }
func (formAlgebra) Neg(a form) form           { return form{}.plusScaled(a, -1) }
func (formAlgebra) Call(ir.Prim, []form) form { return opaque }

func (formAlgebra) Mul(a, b form) form {
	if len(b.terms) > 0 || b.opaque {
		a, b = b, a
	}
	if len(b.terms) > 0 || b.opaque {
		return opaque
	}
	return form{}.plusScaled(a, b.more)
}

// bitsOf returns x as a float32 literal; powers of two and whole numbers are exact.
func bitsOf(x float64) uint32 { return math.Float32bits(float32(x)) }
