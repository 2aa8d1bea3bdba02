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

// stabilityValue is an element of the algebra, with the node that computes it.
type stabilityValue struct {
	element reals.Element
	at      ref
}

// domain executes programs in an algebra and records how each value is computed.
type domain struct {
	algebra
	graph
	side  int
	round int32
	in    *ir.Instr // being applied
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
	n.seen[d.side], n.image = d.round, d.ID(stabilityValue{element: e})
	if n.in == nil {
		n.in = d.in
	}
	return stabilityValue{e, r}
}

// newLeaf returns a value about which only the image is known.
func (d *domain) newLeaf(e reals.Element, args ...stabilityValue) stabilityValue {
	x := d.newNode(e, shape{kind: kindLeaf, aux: d.algebra.ID(e)})
	if len(args) > 0 && d.side == 1 {
		for _, a := range args {
			if !slices.Contains(d.behind[x.at], a.at) {
				d.behind[x.at] = append(d.behind[x.at], a.at)
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
func (d *domain) Bits(x stabilityValue) (uint32, bool) { return d.algebra.Bits(x.element) }

// Opaque implements symbolic.Domain. Comparisons of kernels are primitives known by name.
func (d *domain) Opaque(tag symbolic.Tag, aux uint64, args []stabilityValue) stabilityValue {
	list := make([]reals.Element, len(args))
	for i, a := range args {
		list[i] = a.element
	}
	e := d.algebra.Opaque(tag, aux, list)
	switch tag {
	case symbolic.TagKill, symbolic.TagLoop, symbolic.TagEnding, symbolic.TagTruth: // decisions
	default:
		for _, a := range args {
			if d.side == 1 {
				d.operands = append(d.operands, a.at)
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
	d.nodes[x.at].position = true
	if a, ok := d.algebra.(numbers); ok {
		return d.newNode(a.Position(x.element), d.nodes[x.at].shape)
	}
	return x
}

// Integer splits a literal integer off a converted number, if that is known to be correct.
func (d *domain) Integer(x stabilityValue, unsigned bool) (rest stabilityValue, n int32, ok bool) {
	a, known := d.algebra.(numbers)
	if !known {
		return x, 0, false
	}
	e, n, ok := a.Integer(x.element, unsigned)
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
		elements[i] = x.element
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
			d.elements[s][i] = d.src[s][i].element
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
	return d.newNode(d.algebra.Add(a.element, b.element),
		shape{kind: kindAdd, args: [3]ref{min(a.at, b.at), max(a.at, b.at)}})
}

// Mul implements ir.Algebra.
func (d *domain) Mul(a, b stabilityValue) stabilityValue {
	return d.newNode(d.algebra.Mul(a.element, b.element),
		shape{kind: kindMul, args: [3]ref{min(a.at, b.at), max(a.at, b.at)}})
}

// Neg implements ir.Algebra.
func (d *domain) Neg(a stabilityValue) stabilityValue {
	e := d.algebra.Neg(a.element)
	if n := &d.nodes[a.at]; n.kind == kindNeg {
		return d.newNode(e, d.nodes[n.args[0]].shape)
	} else if n.kind == kindLiteral {
		return d.newNode(e, shape{kind: kindLiteral, aux: n.aux ^ symbolic.SignBit})
	}
	return d.newNode(e, shape{kind: kindNeg, args: [3]ref{a.at}})
}

// Call implements ir.Algebra. A primitive without a rule is a leaf.
func (d *domain) Call(p ir.Prim, args []stabilityValue) stabilityValue {
	var list [8]reals.Element
	for i, a := range args {
		list[i] = a.element
	}
	e := d.algebra.Call(p, slices.Clone(list[:len(args)]))
	if p == ir.PrimFma {
		x := d.Mul(args[0], args[1])
		return d.newNode(e, shape{kind: kindAdd, args: [3]ref{min(x.at, args[2].at), max(x.at, args[2].at)}})
	}
	if int(p) >= len(rules) || rules[p] == nil {
		return d.newLeaf(e, args...)
	}
	s := shape{kind: kindCall, prim: p}
	for i, a := range args[:min(len(args), len(s.args))] {
		s.args[i] = a.at
	}
	switch p {
	case ir.PrimAbs, ir.PrimSelGE, ir.PrimSgn:
		s.signs[0] = d.signOf(args[0].element)
	case ir.PrimSat:
		s.signs[0], s.signs[1] = d.signOf(args[0].element), d.difference(args[0], d.Const(1))
	case ir.PrimLitSpec:
		s.signs[0], s.signs[1] = d.signOf(args[0].element), d.signOf(args[1].element)
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
	return d.signOf(d.algebra.Add(a.element, d.algebra.Neg(b.element)))
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
		e := d.algebra.Modify(x.element, ir.Abs)
		if bits, ok := d.algebra.Bits(e); ok {
			x = d.Literal(bits)
		} else {
			x = d.newNode(e, shape{kind: kindCall, prim: ir.PrimAbs, args: [3]ref{x.at}, signs: [2]sign{d.signOf(x.element)}})
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
	e := d.algebra.Boolean(x.element)
	if d.nodes[x.at].kind > kindChoose {
		return d.newNode(e, d.nodes[x.at].shape)
	}
	return d.newNode(e, shape{kind: kindTruth, args: [3]ref{x.at}, aux: d.algebra.ID(e)})
}

// Truth implements symbolic.Domain.
func (d *domain) Truth(c stabilityValue) (value, known bool) {
	return d.algebra.Truth(c.element)
}

// Compare implements symbolic.Domain.
func (d *domain) Compare(c ir.Cond, a, b stabilityValue) stabilityValue {
	return d.comparison(d.algebra.Compare(c, a.element, b.element), c, a, b)
}

func (d *domain) comparison(e reals.Element, c ir.Cond, a, b stabilityValue) stabilityValue {
	s := d.difference(a, b)
	if c == ir.CondEQ || c == ir.CondNE {
		d.equalities[s.number()] = true
	}
	return d.newNode(e, shape{kind: kindCompare, cond: c, args: [3]ref{a.at, b.at}, signs: [2]sign{s}})
}

// Not implements symbolic.Domain.
func (d *domain) Not(c stabilityValue) stabilityValue {
	e := d.algebra.Not(c.element)
	if n := &d.nodes[c.at]; n.kind == kindNot {
		return d.newNode(e, d.nodes[n.args[0]].shape)
	}
	return d.newNode(e, shape{kind: kindNot, args: [3]ref{c.at}})
}

// And implements symbolic.Domain.
func (d *domain) And(a, b stabilityValue) stabilityValue {
	return d.newNode(d.algebra.And(a.element, b.element),
		shape{kind: kindAnd, args: [3]ref{min(a.at, b.at), max(a.at, b.at)}})
}

// Always implements symbolic.Domain. Like every literal other than 0, it is true.
func (d *domain) Always() stabilityValue {
	return d.newNode(d.algebra.Always(), shape{kind: kindTruth, args: [3]ref{d.Literal(1).at}})
}

// Choose implements symbolic.Domain.
func (d *domain) Choose(c, a, b stabilityValue) stabilityValue {
	e := d.algebra.Choose(c.element, a.element, b.element)
	if holds, known := d.Truth(c); a.at == b.at || known && holds {
		return a
	} else if known {
		return b
	}
	return d.newNode(e, shape{kind: kindChoose, args: [3]ref{c.at, a.at, b.at}})
}

// Interpolate implements symbolic.Domain.
func (d *domain) Interpolate(k symbolic.Interpolation, v []stabilityValue) stabilityValue {
	list := make([]reals.Element, len(v))
	for i, x := range v {
		list[i] = x.element
	}
	e := d.algebra.Interpolate(k, list)
	if bits, ok := d.algebra.Bits(e); ok {
		return d.Literal(bits)
	}
	if len(v) != 3 {
		return d.newLeaf(e)
	}
	return d.newNode(e, shape{kind: kindInterpolate, args: [3]ref{v[0].at, v[1].at, v[2].at}, aux: k.Name()})
}

// Same implements symbolic.Domain.
func (d *domain) Same(a, b stabilityValue) bool { return d.algebra.Same(a.element, b.element) }

// ID implements symbolic.Domain.
func (d *domain) ID(x stabilityValue) uint64 { return d.algebra.ID(x.element) }

// Trips implements symbolic.Domain.
func (d *domain) Trips(count stabilityValue) int { return d.algebra.Trips(count.element) }

// Computed implements symbolic.Domain. It ignores partial precision, which may be dropped but not added.
func (d *domain) Computed(x stabilityValue, in *ir.Instr) stabilityValue {
	x.element = d.algebra.Computed(x.element, in)
	return x
}

// Weight implements symbolic.Weigher.
func (d *domain) Weight() int {
	n := 256 * len(d.nodes)
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
