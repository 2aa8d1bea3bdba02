package proof

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// number is a value at a point: the result of real arithmetic as far as float64 shows it, and two bounds. It is
// infinite if float32 overflows, and NaN if a function is not defined.
type number struct {
	x   float64
	err float64 // error of float32 for exact inputs
	in  float64 // change of the value if inputs change by one unit in the last place
}

// Constants of float32.
const (
	unit     = 1.0 / (1 << 24) // the roundoff
	ulp      = 2 * unit        // at least one unit in the last place, relative to a number
	smallest = 0x1p-126        // results below may become 0
)

// undefined is the result of a function where it is not defined.
var undefined = number{x: math.NaN()}

// lanes is the number of points that are evaluated together.
const lanes = 16

// lanesOfArm is the number of these points for one arm of a choice.
const lanesOfArm = 4

// points is a set of points of the inputs, with the outcomes of comparisons.
type points struct {
	*domain
	mode mode
	// first is the number of the first point. Each element of forced has the signs that lanesOfArm points assume.
	first  uint64
	forced [lanes / lanesOfArm]signs
	wanted []bool // nodes to evaluate
	// order lists the wanted nodes. place has the index of the values of a node in vals, 0 if it is not wanted.
	order []ref
	place []int32
	vals  [][lanes]number
	// outcomes has the signs of differences, by number. turn counts the evaluations.
	outcomes []outcomes
	turn     int
}

// mode determines the inputs and the outcomes of comparisons.
type mode uint8

const (
	natural mode = iota
	forced
	cut
)

// want selects the nodes to evaluate: the candidates of a list, and the nodes that they are computed from.
func (p *points) want(list []candidate) {
	p.wanted = container.Zeros(p.wanted, len(p.nodes))
	for _, c := range list {
		p.wanted[c.after] = true
		for _, b := range c.before {
			p.wanted[b] = true
		}
	}
	p.needs(p.wanted, false)
	p.order, p.place = p.order[:0], container.Zeros(p.place, len(p.nodes))
	for r, w := range p.wanted {
		if w {
			p.order = append(p.order, ref(r))
			p.place[r] = int32(len(p.order))
		}
	}
	n := len(p.order) + 1
	p.vals = slices.Grow(p.vals[:0], n)[:n]
	p.vals[0] = [lanes]number{} // operand 0 is none; a wanted node is computed before it is read
}

// valuesOf returns the values of a wanted node at all points.
func (p *points) valuesOf(r ref) *[lanes]number { return &p.vals[p.place[r]] }

// evaluate computes the wanted nodes.
func (p *points) evaluate() {
	p.turn++
	for i, r := range p.order {
		n, v := &p.nodes[r], &p.vals[i+1]
		p.compute(n, v)
		// Values computed without rounding may be whole numbers, so they stay.
		if p.mode == cut && n.isNumber() && n.kind != kindInterpolate && n.inBothVersions(p.round) {
			p.input(n, v, true)
		}
	}
}

// compute sets v to the values of a node.
func (p *points) compute(n *node, v *[lanes]number) {
	a, b, c := p.operand(n, 0), p.operand(n, 1), p.operand(n, 2)
	switch n.kind {
	case kindLiteral:
		x := finite(number{x: symbolic.Double(uint32(n.aux))})
		for i := range v {
			v[i] = x
		}
	case kindLeaf:
		p.input(n, v, false)
	case kindAdd:
		for i := range v {
			v[i] = roundedSum(a[i], b[i])
		}
	case kindMul:
		for i := range v {
			v[i] = product(a[i], b[i])
		}
	case kindNeg:
		for i := range v {
			v[i] = number{-a[i].x, a[i].err, a[i].in}
		}
	case kindCall:
		rules[n.prim](p, n, v)
	case kindInterpolate:
		p.interpolate(n, v)
	case kindChoose:
		for i := range v {
			if v[i] = c[i]; a[i].x != 0 {
				v[i] = b[i]
			}
		}
	case kindCompare:
		s := p.signsOf(n.signs[0])
		for i := range v {
			v[i] = truth(holds(n.cond, s.signAt(a[i].x-b[i].x, i)))
		}
	case kindNot:
		for i := range v {
			v[i] = truth(a[i].x == 0)
		}
	case kindAnd:
		for i := range v {
			v[i] = truth(a[i].x != 0 && b[i].x != 0)
		}
	case kindTruth:
		of := &p.nodes[n.args[0]]
		d := p.draws(n.aux)
		for i := range v {
			if v[i] = truth(d.laneBits(i)>>63 != 0); of.kind == kindLiteral {
				v[i] = truth(of.aux != 0)
			}
		}
	default:
		for i := range v {
			v[i] = undefined
		}
	}
}

// draws is a source of random words for an image at the points.
type draws uint64

func (p *points) draws(image uint64) draws {
	return draws(symbolic.Mix(p.seed+image*0x9e3779b97f4a7c15) + p.first)
}

func (d draws) laneBits(lane int) uint64 { return symbolic.Mix(uint64(d) + uint64(lane)) }

// exponents bounds the widely different exponents of inputs, so that products of four inputs stay within float32.
const exponents = 24

// maxPosition is the longest side of a render target.
const maxPosition = 16384

// input sets v to the values of a leaf. With keepExact, values without an error stay. The points alternate between
// the ranges -1..1, 0..1, all exponents, and all exponents with one sign.
func (p *points) input(n *node, v *[lanes]number, keepExact bool) {
	d := p.draws(n.image)
	for lane := range v {
		if keepExact && v[lane].err == 0 {
			continue
		}
		h := d.laneBits(lane)
		if n.position {
			x := float64(h%maxPosition) + 0.5
			v[lane] = number{x: x, in: ulp * x}
			continue
		}
		x := (float64(h>>40) + 0.5) / (1 << 24)
		negative := h&1 != 0
		switch lane % 4 {
		case 1:
			negative = false
		case 2, 3:
			x = (0.5 + x/2) * powers[h>>8%(2*exponents+1)]
			negative = negative && lane%4 == 2
		}
		v[lane] = number{x: x, in: ulp * x}
		if negative {
			v[lane].x = -x
		}
	}
}

// powers are the powers of two from -exponents to exponents.
var powers = func() (list [2*exponents + 1]float64) {
	for i := range list {
		list[i] = math.Ldexp(1, i-exponents)
	}
	return list
}()

// interpolate sets r to an affine combination of the values of three vertices, with the same weights for all values.
func (p *points) interpolate(n *node, r *[lanes]number) {
	of := [2]draws{p.draws(n.aux<<2 | 1<<62), p.draws(n.aux<<2 | 1 | 1<<62)}
	for lane := range r {
		rest, v := 1.0, number{}
		for i, a := range n.args {
			w := rest
			if i < 2 {
				w = rest * float64(of[i].laneBits(lane)>>40) / (1 << 24)
				rest -= w
			}
			x := p.valuesOf(a)[lane]
			v.x += w * x.x
			v.err += w*x.err + w*math.Abs(x.x)*unit
			v.in += w * x.in
		}
		r[lane] = rounded(v, unit)
	}
}

// outcomes has the signs of a difference at the points, drawn in one turn.
type outcomes struct {
	turn  int
	signs [lanes]int8
}

// outcome is the sign of a difference at all points. If known is nil, the sign is the sign of the value.
type outcome struct {
	known *[lanes]int8
	minus bool
}

// signAt returns the sign at a point where the difference is x.
func (o outcome) signAt(x float64, lane int) int {
	switch {
	case o.known == nil:
		return signum(x)
	case o.minus:
		return -int(o.known[lane])
	}
	return int(o.known[lane])
}

// signsOf returns the signs of a difference: those of its values, or those that the points assume.
func (p *points) signsOf(s sign) outcome {
	if p.mode == natural {
		return outcome{}
	}
	o := &p.outcomes[s.number()]
	if o.turn != p.turn {
		o.turn = p.turn
		d, maybeZero := p.draws(uint64(s.number())|1<<61), p.equalities[s.number()]
		for lane := range o.signs {
			h := d.laneBits(lane)
			if o.signs[lane] = int8(h>>62&2) - 1; maybeZero && h%3 == 0 {
				o.signs[lane] = 0
			}
		}
		for i, assumed := range p.forced {
			if v, ok := assumed[s.number()]; ok {
				for lane := i * lanesOfArm; lane < (i+1)*lanesOfArm; lane++ {
					o.signs[lane] = int8(v)
				}
			}
		}
	}
	return outcome{&o.signs, s < 0}
}

func signum(x float64) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// holds reports whether a comparison holds if the difference of its operands has the given sign.
func holds(c ir.Cond, sign int) bool {
	switch c {
	case ir.CondGT:
		return sign > 0
	case ir.CondGE:
		return sign >= 0
	case ir.CondLT:
		return sign < 0
	case ir.CondLE:
		return sign <= 0
	case ir.CondEQ:
		return sign == 0
	}
	return sign != 0
}

func truth(c bool) number {
	if c {
		return number{x: 1}
	}
	return number{}
}

// roundedSum and product round, unless the operands have no error and the result is a float32.
func roundedSum(a, b number) number {
	v := number{a.x + b.x, a.err + b.err, a.in + b.in}
	if v.err == 0 && symbolic.ExactSum(a.x, b.x) {
		return finite(v)
	}
	return rounded(v, unit)
}

func product(a, b number) number {
	x, y := math.Abs(a.x), math.Abs(b.x)
	v := number{a.x * b.x, x*b.err + y*a.err, x*b.in + y*a.in}
	if v.err == 0 && symbolic.IsFloat(v.x) {
		return finite(v)
	}
	return rounded(v, unit)
}

// through returns the value v of a function of a with the given slope. Exact operands stay exact even if the slope
// is infinite.
func through(a number, v, slope float64) number {
	slope = math.Abs(slope)
	n := number{x: v}
	if a.err != 0 {
		n.err = slope * a.err
	}
	if a.in != 0 {
		n.in = slope * a.in
	}
	return n
}

// rounded adds the error of rounding v, relative to its size. A value that is too small for a float32 may be lost.
func rounded(v number, relative float64) number {
	size := math.Abs(v.x)
	v.err += relative * size
	if size < smallest || size > math.MaxFloat32 {
		return extremeOf(v, size)
	}
	return v
}

// extremeOf returns a rounded result that is too small or too large for a float32.
func extremeOf(v number, size float64) number {
	if size < smallest {
		v.err += size
		return v
	}
	return number{x: math.Inf(1)}
}

// finite returns v, or infinity if v overflows.
func finite(v number) number {
	if math.Abs(v.x) > math.MaxFloat32 {
		return number{x: math.Inf(1)}
	}
	return v
}
