package proof

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/reals"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// algebra is the domain in which the versions were proved equal: a field, or the reals on top of one.
type algebra interface {
	symbolic.Domain[reals.Element]
	ir.Algebra[reals.Element]
}

// stabilityValue is the index of a computed value. The underlying type is that of symbolic.Term, so that the
// compiler needs one copy of package walk for both.
type stabilityValue int32

// computed is an element of the algebra, with the node that computes it.
type computed struct {
	element reals.Element
	at      ref
}

// domain executes programs in an algebra and records how each value is computed.
type domain struct {
	algebra
	graph
	values []computed // by stabilityValue; the first is the zero value
	side   int
	round  int32
	in     *ir.Instr // being applied
	// differences numbers compared differences by image. equalities has those that are tested for zero.
	differences map[uint64]uint32
	equalities  map[uint32]bool
	operands    []ref // of opaque functions of after

	src      *symbolic.Sources[stabilityValue]
	read     func(src, lane int) stabilityValue
	elements symbolic.Sources[reals.Element] // scratch
	seed     uint64

	// Slack is an error that is allowed for every value of after.
	Slack float64
}

// newStability returns a domain on top of an algebra. The seed determines the points.
func newStability(a algebra, seed uint64) *domain {
	d := &domain{algebra: a, seed: seed, differences: map[uint64]uint32{}, equalities: map[uint32]bool{}}
	d.graph = graph{nodes: make([]node, 1, 512), made: make(map[shape]ref, 512), behind: map[ref][]ref{}}
	d.values = make([]computed, 1, 512)
	d.read = func(s, l int) stabilityValue { return d.src[s][l] }
	return d
}

// Begin starts the execution of a version, before (0) or after (1). The version before starts a new round, in which
// all values are new.
func (d *domain) Begin(side int) {
	if d.side = side; side == 0 {
		d.round++
		d.operands = d.operands[:0]
	}
}

// newNode returns the value of a shape, and records which version computes it.
func (d *domain) newNode(e reals.Element, s shape) stabilityValue {
	r := d.internShape(s)
	n := &d.nodes[r]
	n.seen[d.side], n.image = d.round, d.algebra.ID(e)
	if n.in == nil {
		n.in = d.in
	}
	return d.newValue(e, r)
}

func (d *domain) newValue(e reals.Element, at ref) stabilityValue {
	d.values = append(d.values, computed{e, at})
	return stabilityValue(len(d.values) - 1)
}

func (d *domain) element(x stabilityValue) reals.Element { return d.values[x].element }

// node returns the node that computes a value.
func (d *domain) node(x stabilityValue) ref { return d.values[x].at }

// newLeaf returns a value about which only the image is known.
func (d *domain) newLeaf(e reals.Element, args ...stabilityValue) stabilityValue {
	x := d.newNode(e, shape{kind: kindLeaf, aux: d.algebra.ID(e)})
	if len(args) > 0 && d.side == 1 {
		for _, a := range args {
			if !slices.Contains(d.behind[d.node(x)], d.node(a)) {
				d.behind[d.node(x)] = append(d.behind[d.node(x)], d.node(a))
			}
		}
	}
	return x
}

// Literal implements symbolic.Domain.
func (d *domain) Literal(bits uint32) stabilityValue {
	return d.newNode(d.algebra.Literal(bits), shape{kind: kindLiteral, aux: uint64(bits)})
}

// Bits implements symbolic.Domain.
func (d *domain) Bits(x stabilityValue) (uint32, bool) { return d.algebra.Bits(d.element(x)) }

// Opaque implements symbolic.Domain. Comparisons of kernels are primitives known by name.
func (d *domain) Opaque(tag symbolic.Tag, aux uint64, args []stabilityValue) stabilityValue {
	list := make([]reals.Element, len(args))
	for i, a := range args {
		list[i] = d.element(a)
	}
	e := d.algebra.Opaque(tag, aux, list)
	switch tag {
	case symbolic.TagKill, symbolic.TagLoop, symbolic.TagEnding, symbolic.TagTruth: // decisions
	default:
		for _, a := range args {
			if d.side == 1 {
				d.operands = append(d.operands, d.node(a))
			}
		}
	}
	if tag == symbolic.TagPrim {
		switch ir.Prim(aux) {
		case ir.PrimFEq:
			return d.comparison(e, ir.CondEQ, args[0], args[1])
		case ir.PrimFLt:
			return d.comparison(e, ir.CondLT, args[0], args[1])
		case ir.PrimFGe:
			return d.comparison(e, ir.CondGE, args[0], args[1])
		}
	}
	return d.newLeaf(e, args...)
}

// numbers is implemented by the reals, which have facts about integers, and not by a field.
type numbers interface {
	Position(x reals.Element) reals.Element
	Integer(x reals.Element, unsigned bool) (rest reals.Element, n int32, ok bool)
	FromInteger(n int32, numbers []reals.Element, by []int32, unsigned bool) (sum reals.Element, ok bool)
}

// Position returns the position of an invocation, a whole number and a half.
func (d *domain) Position(x stabilityValue) stabilityValue {
	d.nodes[d.node(x)].position = true
	if a, ok := d.algebra.(numbers); ok {
		return d.newNode(a.Position(d.element(x)), d.nodes[d.node(x)].shape)
	}
	return x
}

// Integer splits a literal integer off a converted number, if that is known to be correct.
func (d *domain) Integer(x stabilityValue, unsigned bool) (rest stabilityValue, n int32, ok bool) {
	a, known := d.algebra.(numbers)
	if !known {
		return x, 0, false
	}
	e, n, ok := a.Integer(d.element(x), unsigned)
	if !ok {
		return x, 0, false
	}
	return d.newLeaf(e, x), n, true
}

// FromInteger returns n plus multiples of numbers, if the conversion of an integer is known to give that sum.
func (d *domain) FromInteger(n int32, list []stabilityValue, by []int32, unsigned bool) (sum stabilityValue, ok bool) {
	a, known := d.algebra.(numbers)
	if !known {
		return sum, false
	}
	elements := make([]reals.Element, len(list))
	for i, x := range list {
		elements[i] = d.element(x)
	}
	e, ok := a.FromInteger(n, elements, by, unsigned)
	if !ok {
		return sum, false
	}
	return d.newLeaf(e, list...), true
}

// Apply implements symbolic.Domain. It evaluates the formula operation by operation, so that each has a node.
func (d *domain) Apply(in *ir.Instr, lane int, src *symbolic.Sources[stabilityValue]) stabilityValue {
	d.src, d.in = src, in
	if x, ok := d.constant(in, lane); ok {
		return x
	}
	x := ir.Eval(d, in.Op, lane, d.read)
	if in.Mods&ir.Sat != 0 {
		x = d.Saturate(x)
	}
	return x
}

// constant computes a lane from literals in the algebra.
func (d *domain) constant(in *ir.Instr, lane int) (x stabilityValue, ok bool) {
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<lane)
		for i := range 4 {
			if reads>>i&1 == 0 {
				continue
			}
			if _, ok := d.Bits(d.src[s][i]); !ok {
				return x, false
			}
			d.elements[s][i] = d.element(d.src[s][i])
		}
	}
	bits, ok := d.algebra.Bits(d.algebra.Apply(in, lane, &d.elements))
	if !ok {
		return x, false
	}
	return d.Literal(bits), true
}

// Const implements ir.Algebra.
func (d *domain) Const(x float32) stabilityValue { return d.Literal(math.Float32bits(x)) }

// Add implements ir.Algebra.
func (d *domain) Add(a, b stabilityValue) stabilityValue {
	return d.newNode(d.algebra.Add(d.element(a), d.element(b)),
		shape{kind: kindAdd, args: [3]ref{min(d.node(a), d.node(b)), max(d.node(a), d.node(b))}})
}

// Mul implements ir.Algebra.
func (d *domain) Mul(a, b stabilityValue) stabilityValue {
	return d.newNode(d.algebra.Mul(d.element(a), d.element(b)),
		shape{kind: kindMul, args: [3]ref{min(d.node(a), d.node(b)), max(d.node(a), d.node(b))}})
}

// Neg implements ir.Algebra.
func (d *domain) Neg(a stabilityValue) stabilityValue {
	e := d.algebra.Neg(d.element(a))
	if n := &d.nodes[d.node(a)]; n.kind == kindNeg {
		return d.newNode(e, d.nodes[n.args[0]].shape)
	} else if n.kind == kindLiteral {
		return d.newNode(e, shape{kind: kindLiteral, aux: n.aux ^ symbolic.SignBit})
	}
	return d.newNode(e, shape{kind: kindNeg, args: [3]ref{d.node(a)}})
}

// Call implements ir.Algebra. A primitive without a rule is a leaf.
func (d *domain) Call(p ir.Prim, args []stabilityValue) stabilityValue {
	var list [8]reals.Element
	for i, a := range args {
		list[i] = d.element(a)
	}
	e := d.algebra.Call(p, slices.Clone(list[:len(args)]))
	if p == ir.PrimFma {
		x := d.Mul(args[0], args[1])
		return d.newNode(e, shape{kind: kindAdd, args: [3]ref{min(d.node(x), d.node(args[2])), max(d.node(x), d.node(args[2]))}})
	}
	if int(p) >= len(rules) || rules[p] == nil {
		return d.newLeaf(e, args...)
	}
	s := shape{kind: kindCall, prim: p}
	for i, a := range args[:min(len(args), len(s.args))] {
		s.args[i] = d.node(a)
	}
	switch p {
	case ir.PrimAbs, ir.PrimSelGE, ir.PrimSgn:
		s.signs[0] = d.signOf(d.element(args[0]))
	case ir.PrimSat:
		s.signs[0], s.signs[1] = d.signOf(d.element(args[0])), d.difference(args[0], d.Const(1))
	case ir.PrimLitSpec:
		s.signs[0], s.signs[1] = d.signOf(d.element(args[0])), d.signOf(d.element(args[1]))
	case ir.PrimClamp:
		s.signs[0], s.signs[1] = d.difference(args[0], args[1]), d.difference(args[0], args[2])
	case ir.PrimMin, ir.PrimMinIEEE, ir.PrimMax, ir.PrimMaxIEEE, ir.PrimSlt, ir.PrimSge, ir.PrimGT, ir.PrimGE, ir.PrimLT,
		ir.PrimLE:
		s.signs[0] = d.difference(args[0], args[1])
	case ir.PrimEQ, ir.PrimNE:
		s.signs[0] = d.difference(args[0], args[1])
		d.equalities[s.signs[0].number()] = true
	}
	return d.newNode(e, s)
}

// difference returns the sign of a - b.
func (d *domain) difference(a, b stabilityValue) sign {
	return d.signOf(d.algebra.Add(d.element(a), d.algebra.Neg(d.element(b))))
}

// signOf returns the sign of a value. A value and its negation have one number.
func (d *domain) signOf(e reals.Element) sign {
	plus, minus := d.algebra.ID(e), d.algebra.ID(d.algebra.Neg(e))
	key := min(plus, minus)
	of, ok := d.differences[key]
	if !ok {
		of = uint32(len(d.differences)) + 1
		d.differences[key] = of
	}
	if minus < plus {
		return -sign(of)
	}
	return sign(of)
}

// Modify implements symbolic.Domain.
func (d *domain) Modify(x stabilityValue, m ir.LaneMod) stabilityValue {
	if m&ir.Abs != 0 {
		e := d.algebra.Modify(d.element(x), ir.Abs)
		if bits, ok := d.algebra.Bits(e); ok {
			x = d.Literal(bits)
		} else {
			x = d.newNode(e, shape{kind: kindCall, prim: ir.PrimAbs, args: [3]ref{d.node(x)}, signs: [2]sign{d.signOf(d.element(x))}})
		}
	}
	if m&ir.Neg != 0 {
		x = d.Neg(x)
	}
	if m&ir.Not != 0 {
		x = d.Not(x)
	}
	return x
}

// Saturate implements symbolic.Domain.
func (d *domain) Saturate(x stabilityValue) stabilityValue {
	return d.Call(ir.PrimSat, []stabilityValue{x})
}

// Boolean implements symbolic.Domain.
func (d *domain) Boolean(x stabilityValue) stabilityValue {
	e := d.algebra.Boolean(d.element(x))
	if d.nodes[d.node(x)].kind > kindChoose {
		return d.newNode(e, d.nodes[d.node(x)].shape)
	}
	return d.newNode(e, shape{kind: kindTruth, args: [3]ref{d.node(x)}, aux: d.algebra.ID(e)})
}

// Truth implements symbolic.Domain.
func (d *domain) Truth(c stabilityValue) (value, known bool) {
	return d.algebra.Truth(d.element(c))
}

// Compare implements symbolic.Domain.
func (d *domain) Compare(c ir.Cond, a, b stabilityValue) stabilityValue {
	return d.comparison(d.algebra.Compare(c, d.element(a), d.element(b)), c, a, b)
}

func (d *domain) comparison(e reals.Element, c ir.Cond, a, b stabilityValue) stabilityValue {
	s := d.difference(a, b)
	if c == ir.CondEQ || c == ir.CondNE {
		d.equalities[s.number()] = true
	}
	return d.newNode(e, shape{kind: kindCompare, cond: c, args: [3]ref{d.node(a), d.node(b)}, signs: [2]sign{s}})
}

// Not implements symbolic.Domain.
func (d *domain) Not(c stabilityValue) stabilityValue {
	e := d.algebra.Not(d.element(c))
	if n := &d.nodes[d.node(c)]; n.kind == kindNot {
		return d.newNode(e, d.nodes[n.args[0]].shape)
	}
	return d.newNode(e, shape{kind: kindNot, args: [3]ref{d.node(c)}})
}

// And implements symbolic.Domain.
func (d *domain) And(a, b stabilityValue) stabilityValue {
	return d.newNode(d.algebra.And(d.element(a), d.element(b)),
		shape{kind: kindAnd, args: [3]ref{min(d.node(a), d.node(b)), max(d.node(a), d.node(b))}})
}

// Always implements symbolic.Domain. Like every literal other than 0, it is true.
func (d *domain) Always() stabilityValue {
	return d.newNode(d.algebra.Always(), shape{kind: kindTruth, args: [3]ref{d.node(d.Literal(1))}})
}

// Choose implements symbolic.Domain.
func (d *domain) Choose(c, a, b stabilityValue) stabilityValue {
	e := d.algebra.Choose(d.element(c), d.element(a), d.element(b))
	if holds, known := d.Truth(c); d.node(a) == d.node(b) || known && holds {
		return a
	} else if known {
		return b
	}
	return d.newNode(e, shape{kind: kindChoose, args: [3]ref{d.node(c), d.node(a), d.node(b)}})
}

// Interpolate implements symbolic.Domain.
func (d *domain) Interpolate(k symbolic.Interpolation, v []stabilityValue) stabilityValue {
	list := make([]reals.Element, len(v))
	for i, x := range v {
		list[i] = d.element(x)
	}
	e := d.algebra.Interpolate(k, list)
	if bits, ok := d.algebra.Bits(e); ok {
		return d.Literal(bits)
	}
	if len(v) != 3 {
		return d.newLeaf(e)
	}
	return d.newNode(e, shape{kind: kindInterpolate, args: [3]ref{d.node(v[0]), d.node(v[1]), d.node(v[2])}, aux: k.Name()})
}

// Same implements symbolic.Domain.
func (d *domain) Same(a, b stabilityValue) bool { return d.algebra.Same(d.element(a), d.element(b)) }

// ID implements symbolic.Domain.
func (d *domain) ID(x stabilityValue) uint64 { return d.algebra.ID(d.element(x)) }

// Trips implements symbolic.Domain.
func (d *domain) Trips(count stabilityValue) int { return d.algebra.Trips(d.element(count)) }

// Computed implements symbolic.Domain. It ignores partial precision, which may be dropped but not added.
func (d *domain) Computed(x stabilityValue, in *ir.Instr) stabilityValue {
	return d.newValue(d.algebra.Computed(d.element(x), in), d.node(x))
}

// Weight implements symbolic.Weigher.
func (d *domain) Weight() int {
	n := 256*len(d.nodes) + 40*len(d.values)
	if w, ok := d.algebra.(symbolic.Weigher); ok {
		n += w.Weight()
	}
	return n
}

// Worked implements symbolic.Laborer.
func (d *domain) Worked() int {
	if l, ok := d.algebra.(symbolic.Laborer); ok {
		return l.Worked()
	}
	return 0
}
