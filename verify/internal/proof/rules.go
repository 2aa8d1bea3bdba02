package proof

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// Relative errors of functions, in float32. They are the largest errors that the Direct3D 9 reference allows (see
// rounding.Arithmetic), except for sines: the reference allows 0.002, which no hardware needs.
const (
	reciprocalError = 1.0 / (1 << 22)
	expError        = 1.0 / (1 << 21)
	logError        = 1.0 / (1 << 20) // and absolute
	sineError       = 1.0 / (1 << 21) // absolute
)

// rule computes a primitive at all points.
type rule func(p *points, n *node, v *[lanes]number)

// operand returns the values of an operand at all points.
func (p *points) operand(n *node, i int) *[lanes]number { return p.valuesOf(n.args[i]) }

// unaryRule returns a rule for a function of one number. An overflowed operand stays infinite.
func unaryRule(f func(number) number) rule {
	return func(p *points, n *node, v *[lanes]number) {
		a := p.operand(n, 0)
		for i := range v {
			if v[i] = a[i]; !math.IsInf(a[i].x, 0) {
				v[i] = f(a[i])
			}
			v[i] = finite(v[i])
		}
	}
}

// decided returns a rule for a comparison of two numbers, whose result is 1 or 0.
func decided(c ir.Cond) rule {
	return func(p *points, n *node, v *[lanes]number) {
		a, b, s := p.operand(n, 0), p.operand(n, 1), p.signsOf(n.signs[0])
		for i := range v {
			v[i] = truth(holds(c, s.signAt(a[i].x-b[i].x, i)))
		}
	}
}

// extreme returns a rule that selects the first operand if c holds for the sign of the difference, otherwise the
// second.
func extreme(c ir.Cond) rule {
	return func(p *points, n *node, v *[lanes]number) {
		a, b, s := p.operand(n, 0), p.operand(n, 1), p.signsOf(n.signs[0])
		for i := range v {
			chosen := &b[i]
			if holds(c, s.signAt(a[i].x-b[i].x, i)) {
				chosen = &a[i]
			}
			v[i] = finite(*chosen)
		}
	}
}

// clamped sets v to a, or to lo if the first sign is negative, or else to hi if the second one is positive.
func clamped(p *points, n *node, v, a, lo, hi *[lanes]number) {
	below, above := p.signsOf(n.signs[0]), p.signsOf(n.signs[1])
	for i := range v {
		chosen := &a[i]
		if below.signAt(a[i].x-lo[i].x, i) < 0 {
			chosen = &lo[i]
		} else if above.signAt(a[i].x-hi[i].x, i) > 0 {
			chosen = &hi[i]
		}
		v[i] = finite(*chosen)
	}
}

// zeros and ones are the bounds of a saturation.
var zeros, ones = [lanes]number{}, func() (list [lanes]number) {
	for i := range list {
		list[i].x = 1
	}
	return list
}()

// rules has the rules of the primitives whose errors are followed.
var rules = [...]rule{
	ir.PrimAbs: func(p *points, n *node, v *[lanes]number) {
		a, s := p.operand(n, 0), p.signsOf(n.signs[0])
		for i := range v {
			x := a[i]
			if s.signAt(x.x, i) < 0 {
				x.x = -x.x
			}
			v[i] = finite(x)
		}
	},
	ir.PrimSat:   func(p *points, n *node, v *[lanes]number) { clamped(p, n, v, p.operand(n, 0), &zeros, &ones) },
	ir.PrimRange: unaryRule(func(a number) number { return a }),
	ir.PrimClamp: func(p *points, n *node, v *[lanes]number) {
		clamped(p, n, v, p.operand(n, 0), p.operand(n, 1), p.operand(n, 2))
	},
	ir.PrimRcp:   unaryRule(reciprocal),
	ir.PrimRcpZ:  unaryRule(reciprocal),
	ir.PrimRsq:   unaryRule(reciprocalRoot),
	ir.PrimRsqZ:  unaryRule(reciprocalRoot),
	ir.PrimSqrt:  unaryRule(squareRoot),
	ir.PrimExp2:  unaryRule(exponential),
	ir.PrimExp2P: unaryRule(exponential),
	ir.PrimLog2:  unaryRule(logarithm),
	ir.PrimLog2P: unaryRule(logarithm),
	ir.PrimLog2Z: unaryRule(logarithm),
	ir.PrimPow: func(p *points, n *node, v *[lanes]number) {
		a, b := p.operand(n, 0), p.operand(n, 1)
		for i := range v {
			v[i] = finite(power(a[i], b[i]))
		}
	},
	ir.PrimSin:   unaryRule(func(a number) number { return sinusoid(a, math.Sin) }),
	ir.PrimCos:   unaryRule(func(a number) number { return sinusoid(a, math.Cos) }),
	ir.PrimFloor: unaryRule(func(a number) number { return jumpFunction(a, math.Floor) }),
	ir.PrimCeil:  unaryRule(func(a number) number { return jumpFunction(a, math.Ceil) }),
	ir.PrimTrunc: unaryRule(func(a number) number { return jumpFunction(a, math.Trunc) }),
	ir.PrimRndne: unaryRule(func(a number) number { return jumpFunction(a, math.RoundToEven) }),
	ir.PrimRound: unaryRule(func(a number) number { return jumpFunction(a, math.RoundToEven) }),
	ir.PrimFrc: unaryRule(func(a number) number {
		v := jumpFunction(a, math.Floor)
		return number{a.x - v.x, a.err + v.err + unit, a.in + max(0, 2*a.in-1)}
	}),
	ir.PrimMin:     extreme(ir.CondLT),
	ir.PrimMinIEEE: extreme(ir.CondLT),
	ir.PrimMax:     extreme(ir.CondGE),
	ir.PrimMaxIEEE: extreme(ir.CondGE),
	ir.PrimSlt:     decided(ir.CondLT),
	ir.PrimSge:     decided(ir.CondGE),
	ir.PrimGT:      decided(ir.CondGT),
	ir.PrimGE:      decided(ir.CondGE),
	ir.PrimLT:      decided(ir.CondLT),
	ir.PrimLE:      decided(ir.CondLE),
	ir.PrimEQ:      decided(ir.CondEQ),
	ir.PrimNE:      decided(ir.CondNE),
	ir.PrimSelGE: func(p *points, n *node, v *[lanes]number) {
		a, b, c, s := p.operand(n, 0), p.operand(n, 1), p.operand(n, 2), p.signsOf(n.signs[0])
		for i := range v {
			chosen := &c[i]
			if s.signAt(a[i].x, i) >= 0 {
				chosen = &b[i]
			}
			v[i] = finite(*chosen)
		}
	},
	ir.PrimSgn: func(p *points, n *node, v *[lanes]number) {
		a, s := p.operand(n, 0), p.signsOf(n.signs[0])
		for i := range v {
			v[i] = number{x: float64(s.signAt(a[i].x, i))}
		}
	},
	ir.PrimLitSpec: func(p *points, n *node, v *[lanes]number) {
		const limit = 128
		xs, ys, ws := p.operand(n, 0), p.operand(n, 1), p.operand(n, 2)
		sx, sy := p.signsOf(n.signs[0]), p.signsOf(n.signs[1])
		for i := range v {
			if sx.signAt(xs[i].x, i) <= 0 || sy.signAt(ys[i].x, i) <= 0 {
				v[i] = number{}
				continue
			}
			w := ws[i]
			w.x = max(-limit, min(w.x, limit))
			v[i] = finite(power(ys[i], w))
		}
	},
}

// reciprocal, reciprocalRoot and logarithm have a pole at 0.
func reciprocal(a number) number {
	if a.x == 0 {
		return undefined
	}
	return rounded(through(a, 1/a.x, 1/(a.x*a.x)), reciprocalError)
}

// squareRoot has an infinite slope at 0.
func squareRoot(a number) number {
	v := math.Sqrt(a.x)
	return rounded(through(a, v, 1/(2*v)), reciprocalError)
}

func reciprocalRoot(a number) number {
	if a.x == 0 {
		return undefined
	}
	v := 1 / math.Sqrt(math.Abs(a.x))
	return rounded(through(a, v, v*v*v/2), reciprocalError)
}

// logarithm returns log2|a|. Near 1 its error is absolute.
func logarithm(a number) number {
	if a.x == 0 {
		return undefined
	}
	v := through(a, math.Log2(math.Abs(a.x)), 1/(a.x*math.Ln2))
	v.err += logError
	return rounded(v, logError)
}

func exponential(a number) number {
	v := math.Exp2(a.x)
	return rounded(through(a, v, v*math.Ln2), expError)
}

// power returns |a|^b like hardware: the exponential of a product with a logarithm.
func power(a, b number) number { return exponential(product(b, logarithm(a))) }

// sinusoid returns a sine or cosine. Its slope is at most 1, and its error at most 2.
func sinusoid(a number, f func(float64) float64) number {
	return number{f(a.x), min(a.err, 2) + sineError, min(a.in, 2)}
}

// jumpFunction returns the value at a of a function f that jumps at some numbers. Rounding may move the operand over
// one jump, like over the boundary of a comparison. A larger error is an error of the result. Like an input, the
// result is known to one unit in the last place.
func jumpFunction(a number, f func(float64) float64) number {
	v := f(a.x)
	return number{v, max(0, 2*a.err-1), ulp*math.Abs(v) + max(0, 2*a.in-1)}
}
