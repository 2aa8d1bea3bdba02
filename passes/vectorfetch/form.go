package vectorfetch

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// form is a sum of multiples of values, and a number more, over the real numbers. It is
// opaque if none is known. Equal forms without their numbers are equal values up to a
// known distance. A value has one term at most, none of them 0 times it.
type form struct {
	terms  []term
	more   float64
	opaque bool
}

// term is so many times a value.
type term struct {
	of    *ir.Value
	times float64
}

// maxTerms bounds forms: positions are sums of few.
const maxTerms = 6

var opaque = form{opaque: true}

// number is the form of a number.
func number(x float64) form { return form{more: x} }

// plus is a sum with so many times b. Terms that cancel are left out, so (x+1) - x is
// 1.
func (a form) plus(b form, times float64) form {
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

// key names what a form is but for its number: terms in the order of their values, so
// that x+y and y+x are the same.
func (a form) key() string {
	terms := slices.Clone(a.terms)
	slices.SortFunc(terms, func(t, u term) int { return cmp.Compare(t.of.ID, u.of.ID) })
	s := ""
	for _, t := range terms {
		s += fmt.Sprintf("%g*%d ", t.times, t.of.ID)
	}
	return s
}

// forms finds the forms of values, each once, so that the walk over what a value
// depends on is linear.
type forms map[*ir.Value]form

// of is v as a sum, itself if nothing better is known.
func (fs forms) of(v *ir.Value) form {
	if f, known := fs[v]; known {
		return f
	}
	// The value itself is a form.
	f := form{terms: []term{{v, 1}}}
	switch in := v.Def; {
	case v.Kind == ir.Literal:
		if x := float64(math.Float32frombits(v.Bits)); !math.IsInf(x, 0) && !math.IsNaN(x) {
			f = number(x)
		}
	case in != nil && in.Op.HasFormula() && !in.IsPredicated() && in.Mods == 0:
		if computed := ir.Eval(formAlgebra{}, in.Op, int(v.Lane), func(src, l int) form { return fs.lane(in.Src[src][l]) }); !computed.opaque {
			f = computed
		}
	}
	fs[v] = f
	return f
}

// lane is what an operand reads. Absolute values are no sums.
func (fs forms) lane(l ir.Lane) form {
	switch f := fs.of(l.V); l.Mod {
	case 0:
		return f
	case ir.Neg:
		return form{}.plus(f, -1)
	}
	return opaque
}

// formAlgebra has the operations that make sums of sums: products have a number for a
// factor. Primitives are opaque, so a value that one computes is a term of its own.
type formAlgebra struct{}

func (formAlgebra) Const(f float32) form      { return number(float64(f)) }
func (formAlgebra) Add(a, b form) form        { return a.plus(b, 1) }
func (formAlgebra) Neg(a form) form           { return form{}.plus(a, -1) }
func (formAlgebra) Call(ir.Prim, []form) form { return opaque }

func (formAlgebra) Mul(a, b form) form {
	if len(b.terms) > 0 || b.opaque {
		a, b = b, a
	}
	if len(b.terms) > 0 || b.opaque {
		return opaque
	}
	return form{}.plus(a, b.more)
}

// bitsOf is x as a float32 literal; powers of two and whole numbers are exact.
func bitsOf(x float64) uint32 { return math.Float32bits(float32(x)) }
