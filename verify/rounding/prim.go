package rounding

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// rule computes the value of a primitive from its arguments: ranges and error without the rounding of the
// result, and the relative error of that rounding.
type rule struct {
	apply func(g *graph, a []ref) value
	rel   func(hw *Arithmetic) float64 // nil: the result is exact
}

// rules holds the primitives of Direct3D 9. Results of others are unlimited. A function with a pole or a
// discontinuity in the range of its operand amplifies without limit there. The range of the function then
// bounds its error.
var rules = [256]rule{
	ir.PrimAbs:   {apply: onOne(abs)},
	ir.PrimSat:   {apply: onOne(func(x value) value { x.clamp(0, 1); return x })},
	ir.PrimRange: {apply: onOne(clampedValue)},
	ir.PrimRcp:   {reciprocal, func(hw *Arithmetic) float64 { return hw.reciprocal }},
	ir.PrimRsq:   {onOne(reciprocalRoot), func(hw *Arithmetic) float64 { return hw.reciprocal }},
	ir.PrimExp2:  {exp2, func(hw *Arithmetic) float64 { return hw.exp }},
	ir.PrimExp2P: {exp2, func(hw *Arithmetic) float64 { return hw.partial }},
	ir.PrimLog2:  {func(g *graph, a []ref) value { return logarithm(*g.valueOf(a[0]), g.hw.log) }, nil},
	ir.PrimLog2P: {func(g *graph, a []ref) value { return logarithm(*g.valueOf(a[0]), g.hw.partial) }, nil},
	ir.PrimPow: {func(g *graph, a []ref) value { return power(*g.valueOf(a[0]), *g.valueOf(a[1])) },
		func(hw *Arithmetic) float64 { return hw.pow }},
	ir.PrimSin:   {func(g *graph, a []ref) value { return sinusoid(math.Sin, *g.valueOf(a[0]), g.hw.sine) }, nil},
	ir.PrimCos:   {func(g *graph, a []ref) value { return sinusoid(math.Cos, *g.valueOf(a[0]), g.hw.sine) }, nil},
	ir.PrimFrc:   {apply: fractionOf},
	ir.PrimFloor: {apply: onOne(func(x value) value { return steps(x, math.Floor) })},
	ir.PrimRound: {apply: onOne(func(x value) value { return steps(x, math.Round) })},
	ir.PrimMin:   {apply: func(g *graph, a []ref) value { return extreme(*g.valueOf(a[0]), *g.valueOf(a[1]), math.Min) }},
	ir.PrimMax:   {apply: func(g *graph, a []ref) value { return extreme(*g.valueOf(a[0]), *g.valueOf(a[1]), math.Max) }},
	ir.PrimSlt:   {apply: func(g *graph, a []ref) value { return g.compare(ir.CondLT, a[0], a[1]) }},
	ir.PrimSge:   {apply: func(g *graph, a []ref) value { return g.compare(ir.CondGE, a[0], a[1]) }},
	ir.PrimSelGE: {apply: func(g *graph, a []ref) value {
		c := g.compareZero(ir.CondGE, a[0])
		return g.selectValue(&c, a[1], a[2])
	}},
	ir.PrimSgn: {apply: func(g *graph, a []ref) value {
		p, n := g.compareZero(ir.CondGT, a[0]), g.compareZero(ir.CondLT, a[0])
		v := value{lo: p.lo - n.hi, hi: p.hi - n.lo, clo: p.clo - n.chi, chi: p.chi - n.clo, err: p.err + n.err}
		return v
	}},
	ir.PrimLitSpec: {litSpecular, func(hw *Arithmetic) float64 { return hw.pow }},
	ir.PrimDsx:     {apply: func(g *graph, a []ref) value { return g.slope(*g.valueOf(a[0]), 1.0/16) }},
	ir.PrimDsy:     {apply: func(g *graph, a []ref) value { return g.slope(*g.valueOf(a[0]), -1.0/48) }},
}

// clampedValue returns the value in a register that clamps at 1 and -1 or farther out. Clamping never moves values
// apart, so errors do not grow.
func clampedValue(x value) value {
	x.lo, x.hi = min(x.lo, 1), max(x.hi, -1)
	x.clo, x.chi = min(x.clo, 1), max(x.chi, -1)
	x.whole = false
	return x
}

func onOne(f func(value) value) func(*graph, []ref) value {
	return func(g *graph, a []ref) value { return f(*g.valueOf(a[0])) }
}

// Call implements ir.Algebra.
func (g *graph) Call(p ir.Prim, args []ref) ref {
	k := key{kind: kindCall, prim: p}
	copy(k.a[:], args)
	return g.internTerm(k)
}

// primitiveValue returns the value of a primitive of these arguments. If the error grows by more than a factor of
// amplified, the current instruction becomes its cause.
func (g *graph) primitiveValue(p ir.Prim, args []ref) value {
	r := &rules[p]
	if r.apply == nil {
		return unlimited()
	}
	in := g.valueOf(args[0])
	for _, a := range args[1:] {
		if x := g.valueOf(a); x.err > in.err {
			in = x
		}
	}
	err, cause := in.err, in.cause
	v := r.apply(g, args)
	if v.cause == 0 {
		v.cause = cause
	}
	if err > 0 && v.err > amplified*err {
		v.cause = g.site
		if g.fused != nil && g.fusable(args[0]) {
			g.fused(g.site)
		}
	}
	v.settle()
	if r.rel != nil {
		v.round(g.f, max(r.rel(g.hw), g.f.unit))
	}
	return v
}

// fusable reports whether x is a sum with a product.
func (g *graph) fusable(x ref) bool {
	n := &g.nodes[g.withoutSigns(x)]
	if n.key.kind != kindAdd && n.key.kind != kindSplit {
		return false
	}
	return g.nodes[g.withoutSigns(n.key.a[0])].key.kind == kindMul ||
		g.nodes[g.withoutSigns(n.key.a[1])].key.kind == kindMul
}

// amplified is the growth factor of an error from which an instruction is reported as its cause.
const amplified = 64

// abs returns |x|. It does not amplify: ||x'|-|x|| <= |x'-x|.
func abs(x value) value {
	v := value{lo: x.exactMin(), hi: x.exactMax(), clo: x.computedMin(), chi: x.computedMax(), err: x.err,
		whole: x.whole, cause: x.cause}
	return v
}

// nearest returns the smallest distance of the exact and the computed operand from 0.
func (v *value) nearest() float64 {
	if v.lo <= 0 && v.chi >= 0 || v.clo <= 0 && v.hi >= 0 { // they have different signs, or one is 0
		return 0
	}
	return min(v.exactMin(), v.computedMin())
}

// reciprocal computes 1/x, with an error of |x'-x|/|x*x'|. The reciprocal of a reciprocal square root is
// the square root, which has no pole.
func reciprocal(g *graph, a []ref) value {
	if n := &g.nodes[a[0]]; n.key.kind == kindCall && n.key.prim == ir.PrimRsq {
		return squareRoot(*g.valueOf(n.key.a[0]), 2*g.hw.reciprocal)
	}
	x := *g.valueOf(a[0])
	v := unlimited()
	v.lo, v.hi = inverse(x.lo, x.hi)
	v.clo, v.chi = inverse(x.clo, x.chi)
	if m := x.nearest(); m > 0 {
		v.err = x.err / (x.exactMin() * x.computedMin())
	}
	return v
}

// inverse returns the range of 1/x, or all numbers if x can be 0: the zero may have either sign, and the
// reciprocal of -0 is -infinity.
func inverse(lo, hi float64) (float64, float64) {
	if lo > 0 || hi < 0 {
		return 1 / hi, 1 / lo
	}
	return -infinity, infinity
}

// squareRoot returns the square root of |x|, computed with a relative error. |sqrt a - sqrt b| is |a-b| over the
// sum of the roots, and at most sqrt |a-b|, which bounds it at 0.
func squareRoot(x value, rel float64) value {
	y := abs(x)
	v := value{lo: math.Sqrt(y.lo), hi: math.Sqrt(y.hi), clo: math.Sqrt(y.clo), chi: math.Sqrt(y.chi),
		err: math.Sqrt(y.err)}
	if m := v.lo + v.clo; m > 0 {
		v.err = min(v.err, y.err/m)
	}
	v.settle()
	r := rel * v.chi
	v.clo, v.chi, v.err = max(0, v.clo-r), v.chi+r, v.err+r
	return v
}

// reciprocalRoot returns the reciprocal root of |x|.
func reciprocalRoot(x value) value {
	y := abs(x)
	at := func(x float64) float64 { return 1 / math.Sqrt(x) }
	v := value{lo: at(y.hi), hi: at(y.lo), clo: at(y.chi), chi: at(y.clo), err: infinity}
	if m := min(y.lo, y.clo); m > 0 {
		v.err = y.err / (2 * m * math.Sqrt(m)) // the mean value theorem: the slope is steepest at m
	}
	return v
}

// exp2 returns 2^x. If x is the product of a logarithm, the result is a power, which is bounded where the
// logarithm is not.
func exp2(g *graph, a []ref) value {
	if base, e, ok := g.powerOf(a[0]); ok {
		v := power(*g.valueOf(base), *g.valueOf(e))
		// The logarithm and the product have a relative error of r. For an exponent t this gives r*|t|*2^t
		// ln 2, and |t|*2^t is below 0.5308 for t < 0.
		r := g.hw.log + 2*g.f.unit
		size := 0.5308
		if v.chi > 1 {
			size = max(size, v.chi*math.Log2(v.chi))
		}
		// Near 1 the logarithm has an absolute error.
		off := 2*r*math.Ln2*size + product(2*g.hw.log*math.Ln2*g.valueOf(e).exactMax(), v.chi)
		v.clo, v.chi, v.err = max(0, v.clo-off), v.chi+off, v.err+off
		return v
	}
	x := *g.valueOf(a[0])
	v := value{lo: math.Exp2(x.lo), hi: math.Exp2(x.hi), clo: math.Exp2(x.clo), chi: math.Exp2(x.chi)}
	v.err = product(x.err*math.Ln2, max(v.hi, v.chi))
	return v
}

// powerOf decomposes x into e * log2(base) with a logarithm of full precision.
func (g *graph) powerOf(x ref) (base, e ref, ok bool) {
	n := &g.nodes[x]
	if n.key.kind != kindMul {
		return 0, 0, false
	}
	for i := range 2 {
		if l := &g.nodes[n.key.a[i]]; l.key.kind == kindCall && l.key.prim == ir.PrimLog2 {
			return l.key.a[0], n.key.a[1-i], true
		}
	}
	return 0, 0, false
}

// logarithm returns log2|x| with the relative and absolute error rel.
func logarithm(x value, rel float64) value {
	y := abs(x)
	v := value{lo: math.Log2(y.lo), hi: math.Log2(y.hi), clo: math.Log2(y.clo), chi: math.Log2(y.chi), err: infinity}
	if m := min(y.lo, y.clo); m > 0 {
		v.err = y.err / (m * math.Ln2)
	}
	r := rel * (1 + v.computedMax())
	v.clo, v.chi, v.err = v.clo-r, v.chi+r, v.err+r
	v.widen()
	return v
}

// power returns |x|^y. Its error is the error of x times the largest slope in x, plus the error of y times
// the largest slope in y. Each slope covers the ranges of both operands.
func power(x, y value) value {
	a := abs(x)
	v := unlimited()
	pow := func(alo, ahi, blo, bhi float64) (lo, hi float64) {
		p, q, r, s := math.Pow(alo, blo), math.Pow(alo, bhi), math.Pow(ahi, blo), math.Pow(ahi, bhi)
		return min(p, q, r, s), max(p, q, r, s)
	}
	v.lo, v.hi = pow(a.lo, a.hi, y.lo, y.hi)
	v.clo, v.chi = pow(a.clo, a.chi, y.clo, y.chi)
	m, big := min(a.lo, a.clo), max(a.hi, a.chi)
	blo, bhi := min(y.lo, y.clo), max(y.hi, y.chi)
	// The slope in x is b*a^(b-1), monotonic in a; the slope in y is a^b ln a.
	switch {
	case a.err == 0 && y.err == 0:
		v.err = 0
	case blo >= 1 || m > 0:
		slope := 0.0
		for _, b := range [...]float64{blo, bhi} {
			for _, base := range [...]float64{m, big} {
				slope = max(slope, math.Abs(b)*math.Pow(base, b-1), 0)
			}
		}
		if blo < bhi { // b*a^(b-1) may be largest between
			slope = max(math.Abs(blo), math.Abs(bhi)) * max(math.Pow(big, bhi-1), math.Pow(big, blo-1), math.Pow(m, blo-1),
				math.Pow(m, bhi-1))
		}
		v.err = product(a.err, slope)
	case blo > 0: // steeper than any line at 0: |p^b - q^b| <= |p-q|^b for powers b below 1
		v.err = math.Pow(a.err, min(blo, 1))
		if a.err > 1 || bhi > 1 {
			v.err = infinity
		}
	}
	if y.err > 0 {
		log := max(math.Abs(math.Log(m)), math.Abs(math.Log(big)))
		if m == 0 && blo > 0 { // a^b |ln a| is at most 1/(e b) below 1
			v.err += product(y.err, max(1/(math.E*blo), math.Pow(big, bhi)*math.Abs(math.Log(big))))
		} else {
			v.err += product(y.err, product(log, max(v.hi, v.chi)))
		}
	}
	return v
}

// sinusoid returns a sine or cosine with the absolute error off, which includes the reduction of the argument.
// Its slope is at most 1.
func sinusoid(f func(float64) float64, x value, off float64) value {
	v := exactly(-1, 1)
	if !math.IsInf(x.lo, 0) && !math.IsInf(x.hi, 0) { // the slope is at most 1
		mid, half := f(x.lo/2+x.hi/2), (x.hi-x.lo)/2
		v.lo, v.hi = max(-1, mid-half), min(1, mid+half)
	}
	v.err = x.err + off
	v.clo, v.chi = max(-1-off, v.lo-v.err), min(1+off, v.hi+v.err)
	v.widen()
	return v
}

// steps returns the value of a step function.
func steps(x value, f func(float64) float64) value {
	if x.whole {
		return x
	}
	v := value{lo: f(x.lo), hi: f(x.hi), clo: f(x.clo), chi: f(x.chi)}
	if x.err > 0 {
		// The result has a jump for every integer within the error of the operand, and one next to it.
		v.err = math.Floor(x.err) + 1
	}
	v.settle()
	v.whole = v.err == 0
	return v
}

// fractionOf returns x - floor(x), a saw tooth. An operand within one tooth is shifted.
func fractionOf(g *graph, a []ref) value {
	x := *g.valueOf(a[0])
	if x.whole {
		return exactly(0, 0)
	}
	v := value{lo: 0, hi: 1, clo: 0, chi: 1, err: 1}
	n := math.Floor(x.lo)
	if n == math.Floor(x.hi) && n == math.Floor(x.clo) && n == math.Floor(x.chi) {
		v = value{lo: x.lo - n, hi: x.hi - n, clo: x.clo - n, chi: x.chi - n, err: x.err}
	}
	v.round(g.f, g.f.unit)
	return v
}

// extreme returns the smaller or larger of x and y. Its error is at most the larger error: min and max are
// 1-Lipschitz in the maximum norm.
func extreme(x, y value, f func(a, b float64) float64) value {
	v := value{lo: f(x.lo, y.lo), hi: f(x.hi, y.hi), clo: f(x.clo, y.clo), chi: f(x.chi, y.chi),
		err: max(x.err, y.err), whole: x.whole && y.whole, cause: worse(&x, &y)}
	return v
}

// slope returns the difference between the values of neighbours. A point of the box has no neighbours;
// there it is assumed to depend linearly on the value.
func (g *graph) slope(x value, part float64) value {
	d, c := x.hi-x.lo, x.chi-x.clo
	if g.point != 0 {
		y := 1.0/64 + x.hi*part
		return value{lo: y, hi: y, clo: y - 2*x.err, chi: y + 2*x.err, err: 2 * x.err}
	}
	return value{lo: -d, hi: d, clo: -c, chi: c, err: 2 * x.err}
}

// litSpecular returns the third component of lit: y^w where x and y are positive, else 0.
func litSpecular(g *graph, a []ref) value {
	y, w := *g.valueOf(a[1]), *g.valueOf(a[2])
	const limit = 128 // the reference limits w to slightly less
	y.clamp(0, max(0, y.hi, y.chi))
	w.clamp(-limit, limit)
	v := power(y, w)
	on, positive := g.compareZero(ir.CondGT, a[0]), g.compareZero(ir.CondGT, a[1])
	if on.lo == 1 && on.err == 0 && positive.lo == 1 && positive.err == 0 {
		return v
	}
	return either(on.err > 0 || positive.err > 0, v, exactly(0, 0))
}

// compare returns a comparison as a boolean. The computed result can differ if the distance of the operands
// is within the sum of their errors.
func (g *graph) compare(c ir.Cond, a, b ref) value {
	x, y := *g.valueOf(a), *g.valueOf(b)
	if a == b {
		holds := c == ir.CondEQ || c == ir.CondGE || c == ir.CondLE
		return booleanValue(!holds, holds, false)
	}
	d := value{lo: x.lo - y.hi, hi: x.hi - y.lo, clo: x.clo - y.chi, chi: x.chi - y.clo, err: x.err + y.err}
	return d.against(c)
}

// compareZero compares a term with 0.
func (g *graph) compareZero(c ir.Cond, a ref) value {
	x := *g.valueOf(a)
	return x.against(c)
}

// against compares d with 0.
func (d *value) against(c ir.Cond) value {
	d.settle()
	fails, holds := outcomes(c, d.lo, d.hi)
	cfails, cholds := outcomes(c, d.clo, d.chi)
	near := d.lo <= d.err && d.hi >= -d.err
	return booleanValue(fails, holds, d.err > 0 && near && (fails && cholds || holds && cfails))
}

// outcomes reports whether a comparison of a number in lo..hi with 0 can fail and can hold.
func outcomes(c ir.Cond, lo, hi float64) (fails, holds bool) {
	switch c {
	case ir.CondLT:
		return hi >= 0, lo < 0
	case ir.CondLE:
		return hi > 0, lo <= 0
	case ir.CondGT:
		return lo <= 0, hi > 0
	case ir.CondGE:
		return lo < 0, hi >= 0
	case ir.CondEQ:
		return lo != 0 || hi != 0, lo <= 0 && hi >= 0
	}
	return lo <= 0 && hi >= 0, lo != 0 || hi != 0
}

// selectValue returns a where c holds, else b. If c is not known, the result may be either. If the computed choice
// may differ, the error includes the distance of a and b.
func (g *graph) selectValue(c *value, a, b ref) value {
	x, y := *g.valueOf(a), *g.valueOf(b)
	switch {
	case a == b || c.err == 0 && c.lo == 1:
		return x
	case c.err == 0 && c.hi == 0:
		return y
	}
	return either(c.err > 0, x, y)
}
