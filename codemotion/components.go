package codemotion

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
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
//
// It samples the outputs at random vertices, with the same constants at each, in the field of integers modulo prime.
// Outputs are then affine combinations of others if their samples are, except with a probability of about 1 in prime.
func Components(vertex, pixel *ir.Func, link *ir.Linkage) (list []Component) {
	cleanup.Sweep(vertex)
	cleanup.Sweep(pixel)
	reads := Reads(pixel)
	vertices := make([]*sampler, len(vertex.Outs)+2) // more than unknowns
	for i := range vertices {
		vertices[i] = newSampler(vertex, i)
	}
	var s span
	s.add("", func(int) uint64 { return 1 }, len(vertices))
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
		sample := func(at int) uint64 { return vertices[at].value(o.V) }
		uniform := true
		for at := range vertices {
			uniform = uniform && sample(at) == sample(0)
		}
		switch {
		case !reads[in]:
			c.Use = "dead"
		case uniform:
			c.Use = "uniform"
		case l.Linear && !l.Shared && !l.Half:
			c.Use, c.From = s.add(c.Name, sample, len(vertices))
		}
		if c.Use != "" {
			list = append(list, c)
		}
	}
	return list
}

// prime is 2^61 - 1.
const prime = 1<<61 - 1

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

// random returns the element for a name.
func random(name ...any) uint64 {
	sum := sha256.Sum256(fmt.Append(nil, name...))
	return binary.BigEndian.Uint64(sum[:]) % prime
}

// sampler is the algebra of values at a random vertex, for [ir.Eval].
type sampler struct {
	number int
	known  map[*ir.Value]uint64
}

// newSampler samples the values of a vertex program at a vertex.
func newSampler(vertex *ir.Func, number int) *sampler {
	s := &sampler{number: number, known: map[*ir.Value]uint64{}}
	vertex.Walk(func(in *ir.Instr) { in.EachDef(func(v *ir.Value) { s.value(v) }) }) // operands first
	return s
}

// value returns the sample of a value of the vertex program.
func (s *sampler) value(v *ir.Value) uint64 {
	if x, ok := s.known[v]; ok {
		return x
	}
	var x uint64
	switch {
	case v.Kind == ir.Literal:
		x = s.Const(math.Float32frombits(v.Bits))
	case v.Kind == ir.Uniform:
		x = random("uniform", v.Home)
	case v.Def == nil || !v.Def.Op.HasFormula() || v.Def.IsPredicated():
		x = random("unknown", s.number, " ", v.ID)
	default:
		x = ir.Eval(s, v.Def.Op, int(v.Lane), func(src, lane int) uint64 {
			l := v.Def.Src[src][lane]
			x := s.value(l.V)
			if l.Mod&ir.Abs != 0 {
				x = s.Call(ir.PrimAbs, []uint64{x})
			}
			if l.Mod&ir.Neg != 0 {
				x = s.Neg(x)
			}
			return x
		})
		if v.Def.Mods&ir.Sat != 0 {
			x = s.Call(ir.PrimSat, []uint64{x})
		}
	}
	s.known[v] = x
	return x
}

// Const returns the element for a literal: 2 has order 61, so all powers of 2 exist. Other literals are random.
func (s *sampler) Const(x float32) uint64 {
	fraction, exponent := math.Frexp(float64(x))
	if math.IsNaN(fraction) || math.IsInf(fraction, 0) {
		return random("literal", math.Float32bits(x))
	}
	m := times(uint64(math.Abs(fraction)*(1<<24)), 1<<((exponent-24+61*8)%61))
	if x < 0 {
		return s.Neg(m)
	}
	return m
}

// Add returns a + b.
func (*sampler) Add(a, b uint64) uint64 { return (a + b) % prime }

// Neg returns -a.
func (*sampler) Neg(a uint64) uint64 { return (prime - a) % prime }

// Mul returns a * b.
func (*sampler) Mul(a, b uint64) uint64 { return times(a, b) }

// Call returns a random element for each primitive and arguments.
func (*sampler) Call(p ir.Prim, args []uint64) uint64 { return random("call", p, args) }

// span is a basis of sampled components, by Gaussian elimination.
type span struct {
	names []string
	rows  [][]uint64 // samples, then coefficients: the combination of the named components that the row is
	pivot []int
}

// add returns the use of a component: spanned or duplicate, with the components that it depends on, or an empty use
// for a new member of the basis.
func (s *span) add(name string, sample func(int) uint64, vertices int) (use string, from []string) {
	row := make([]uint64, 2*vertices)
	for i := range vertices {
		row[i] = sample(i)
	}
	for i, r := range s.rows {
		if x := row[s.pivot[i]]; x != 0 {
			k := prime - times(x, inverse(r[s.pivot[i]]))
			for j := range row {
				row[j] = (row[j] + times(k, r[j])) % prime
			}
		}
	}
	if at := slices.IndexFunc(row[:vertices], func(x uint64) bool { return x != 0 }); at >= 0 {
		row[vertices+len(s.names)] = 1
		s.names, s.rows, s.pivot = append(s.names, name), append(s.rows, row), append(s.pivot, at)
		return "", nil
	}
	coefficients := row[vertices:] // negated
	for i, n := range s.names {
		if coefficients[i] != 0 && n != "" {
			from = append(from, n)
		}
	}
	if i := slices.Index(coefficients, prime-1); len(from) == 1 && i > 0 && coefficients[0] == 0 {
		return "duplicate", from
	}
	return "spanned", from
}
