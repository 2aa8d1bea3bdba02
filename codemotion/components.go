package codemotion

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// Component is an interpolated component that a pair could omit.
type Component struct {
	// Name is the component in the pixel program, such as t1.z, or in the vertex program if only that has it.
	Name string `json:"name"`
	// Use is one of [Uses]: dead (the pixel program never reads it), uniform (the same at all vertices of a draw), duplicate
	// (equal to the component in From) or spanned (an affine combination of the components in From, with
	// coefficients that depend on constants only; it exists for nearly all values of these constants).
	Use string `json:"use"`
	// From are the components that have the information of a duplicate or spanned one.
	From []string `json:"from,omitempty"`
}

// Uses are the uses of components that a pair could omit.
var Uses = []string{"dead", "uniform", "duplicate", "spanned"}

// Components lists the interpolated components that a pair could omit. It compares values over the reals.
// vertex and pixel are as lifted; Components removes their dead code.
func Components(vertex, pixel *ir.Func, link *ir.Linkage) (list []Component) {
	cleanup.Sweep(vertex)
	cleanup.Sweep(pixel)
	reads := Reads(pixel)
	a := forms{valueNumbers: newImages(&mover{vertex: vertex}), known: map[*ir.Value]*form{}}
	vertex.Walk(func(in *ir.Instr) { in.EachDef(func(v *ir.Value) { a.form(v) }) }) // operands first
	var s span
	for _, o := range vertex.Outs {
		i := slices.IndexFunc(link.Outputs, func(r ir.Reg) bool { return r.File == o.Reg.File && r.Index == o.Reg.Index })
		if i < 0 {
			continue
		}
		k := slices.IndexFunc(link.Links, func(l ir.Link) bool { return l.Out == link.Outputs[i] })
		if k < 0 {
			list = append(list, Component{Name: vertex.Dialect.RegName(o.Reg), Use: "dead"})
			continue
		}
		l := &link.Links[k]
		in := l.In
		in.Comp = o.Reg.Comp
		c := Component{Name: pixel.Dialect.RegName(in)}
		switch f := a.form(o.V); {
		case !reads[in]:
			c.Use = "dead"
		case len(f.terms) == 0:
			c.Use = "uniform"
		case l.Linear && !l.Shared && !l.Half:
			c.Use, c.From = s.add(c.Name, f)
		}
		if c.Use != "" {
			list = append(list, c)
		}
	}
	return list
}

// form is an affine form over the field of integers modulo prime: a constant and the coefficients of values
// that are not affine themselves, by name. Constants of the application are random elements of the field.
type form struct {
	constant uint64
	terms    map[string]uint64
}

// prime is 2^61 - 1. Two different forms are equal with a probability of about 1 in prime.
const prime = 1<<61 - 1

// maxTerms bounds the terms of a form. A longer one becomes a single term.
const maxTerms = 64

func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return bits.Rem64(hi, lo, prime)
}

// inverse returns the element whose product with a is 1, by Fermat's little theorem.
func inverse(a uint64) uint64 {
	r := uint64(1)
	for e := uint64(prime - 2); e > 0; e >>= 1 {
		if e&1 != 0 {
			r = times(r, a)
		}
		a = times(a, a)
	}
	return r
}

// plus returns f + k*g.
func (f *form) plus(k uint64, g *form) *form {
	sum := &form{(f.constant + times(k, g.constant)) % prime, map[string]uint64{}}
	for name, x := range f.terms {
		sum.terms[name] = x
	}
	for name, x := range g.terms {
		if y := (sum.terms[name] + times(k, x)) % prime; y != 0 {
			sum.terms[name] = y
		} else {
			delete(sum.terms, name)
		}
	}
	return sum
}

// forms is the algebra of forms for [ir.Eval]. A result that is not affine is nil.
type forms struct {
	*valueNumbers
	known map[*ir.Value]*form
}

// form returns the form of a vertex value; one that is not affine is its only term.
func (a *forms) form(v *ir.Value) *form {
	if f := a.known[v]; f != nil {
		return f
	}
	var f *form
	switch name := a.valueName(v); {
	case v.Kind == ir.Literal:
		f = a.Const(math.Float32frombits(v.Bits))
	case v.Kind == ir.Uniform:
		f = &form{constant: element(name)}
	case v.Def != nil && v.Def.Op.HasFormula() && !v.Def.IsPredicated():
		f = ir.Eval(a, v.Def.Op, int(v.Lane), func(src, lane int) *form {
			l := v.Def.Src[src][lane]
			f := a.form(l.V)
			if l.Mod&ir.Abs != 0 {
				f = a.Call(ir.PrimAbs, []*form{f})
			}
			if l.Mod&ir.Neg != 0 {
				f = a.Neg(f)
			}
			return f
		})
		if v.Def.Mods&ir.Sat != 0 {
			f = a.Call(ir.PrimSat, []*form{f})
		}
	}
	if f == nil || len(f.terms) > maxTerms {
		f = &form{terms: map[string]uint64{a.valueName(v): 1}}
	}
	a.known[v] = f
	return f
}

// Const returns the element for a literal: 2 has order 61, so all powers of 2 exist. Others are random.
func (a *forms) Const(x float32) *form {
	fraction, exponent := math.Frexp(float64(x))
	if math.IsNaN(fraction) || math.IsInf(fraction, 0) {
		return &form{constant: element(fmt.Sprint(math.Float32bits(x)))}
	}
	m := int64(fraction * (1 << 24))
	f := &form{constant: times(uint64(max(m, -m)), 1<<((exponent-24+61*8)%61))}
	if m < 0 {
		return a.Neg(f)
	}
	return f
}

// Add returns x + y.
func (a *forms) Add(x, y *form) *form {
	if x == nil || y == nil {
		return nil
	}
	return x.plus(1, y)
}

// Neg returns -x.
func (a *forms) Neg(x *form) *form {
	if x == nil {
		return nil
	}
	return (&form{}).plus(prime-1, x)
}

// Mul returns x*y if one factor is constant.
func (a *forms) Mul(x, y *form) *form {
	switch {
	case x == nil || y == nil || len(x.terms) > 0 && len(y.terms) > 0:
		return nil
	case len(x.terms) > 0:
		x, y = y, x
	}
	return (&form{}).plus(x.constant, y)
}

// Call returns a random constant for constant arguments.
func (a *forms) Call(p ir.Prim, args []*form) *form {
	text := fmt.Sprint(p)
	for _, x := range args {
		if x == nil || len(x.terms) > 0 {
			return nil
		}
		text += fmt.Sprint(" ", x.constant)
	}
	return &form{constant: element(text)}
}

// element returns the element of the field for a name.
func element(name string) uint64 {
	sum := sha256.Sum256([]byte(name))
	return binary.BigEndian.Uint64(sum[:]) % prime
}

// span is a basis of forms up to constants, by Gaussian elimination.
type span struct {
	names []string
	rows  []row
}

// row is a form of the basis, and the combination of the named components that it is. Other rows added so far
// may have its pivot; later rows do not.
type row struct {
	form  *form
	pivot string
	of    *form
}

// add returns the use of a component of form f: spanned or duplicate, with the components that it depends on, or
// an empty use for a new member of the basis.
func (s *span) add(name string, f *form) (use string, from []string) {
	rest, of := f, &form{}
	for _, r := range s.rows {
		if x := rest.terms[r.pivot]; x != 0 {
			k := prime - times(x, inverse(r.form.terms[r.pivot]))
			rest, of = rest.plus(k, r.form), of.plus(prime-k, r.of)
		}
	}
	if len(rest.terms) > 0 {
		own := (&form{terms: map[string]uint64{name: 1}}).plus(prime-1, of)
		s.names = append(s.names, name)
		s.rows = append(s.rows, row{rest, slices.Min(slices.Collect(maps.Keys(rest.terms))), own})
		return "", nil
	}
	for _, n := range s.names {
		if of.terms[n] != 0 {
			from = append(from, n)
		}
	}
	if len(from) == 1 && of.terms[from[0]] == 1 && rest.constant == 0 {
		return "duplicate", from
	}
	return "spanned", from
}
