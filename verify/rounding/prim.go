package rounding

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// rule says what a primitive makes of the values of its arguments: ranges and error, without the rounding
// of the result, and the relative error of that.
type rule struct {
	apply func(g *graph, a []ref) value
	rel   func(hw *Arithmetic) float64 // nil: the result is exact
}

// rules are those of the primitives of Direct3D 9. What is not here is not followed: its
// value is anything. A function that is not continuous, or has a pole, where its operand
// may lie amplifies without limit there; its range is what bounds it then.
var rules = [256]rule{
	ir.PrimAbs:   {apply: onOne(abs)},
	ir.PrimSat:   {apply: onOne(func(x value) value { x.clamp(0, 1); return x })},
	ir.PrimRange: {apply: onOne(held)},
	ir.PrimRcp:   {reciprocal, func(hw *Arithmetic) float64 { return hw.reciprocal }},
	ir.PrimRsq:   {onOne(rsq), func(hw *Arithmetic) float64 { return hw.reciprocal }},
	ir.PrimExp2:  {exp2, func(hw *Arithmetic) float64 { return hw.exp }},
	ir.PrimExp2P: {exp2, func(hw *Arithmetic) float64 { return hw.partial }},
	ir.PrimLog2:  {func(g *graph, a []ref) value { return logarithm(*g.at(a[0]), g.hw.log) }, nil},
	ir.PrimLog2P: {func(g *graph, a []ref) value { return logarithm(*g.at(a[0]), g.hw.partial) }, nil},
	ir.PrimPow:   {func(g *graph, a []ref) value { return power(*g.at(a[0]), *g.at(a[1])) }, func(hw *Arithmetic) float64 { return hw.pow }},
	ir.PrimSin:   {func(g *graph, a []ref) value { return wave(math.Sin, *g.at(a[0]), g.hw.sine) }, nil},
	ir.PrimCos:   {func(g *graph, a []ref) value { return wave(math.Cos, *g.at(a[0]), g.hw.sine) }, nil},
	ir.PrimFrc:   {apply: frc},
	ir.PrimFloor: {apply: onOne(func(x value) value { return steps(x, math.Floor) })},
	ir.PrimRound: {apply: onOne(func(x value) value { return steps(x, math.Round) })},
	ir.PrimMin:   {apply: func(g *graph, a []ref) value { return extreme(*g.at(a[0]), *g.at(a[1]), math.Min) }},
	ir.PrimMax:   {apply: func(g *graph, a []ref) value { return extreme(*g.at(a[0]), *g.at(a[1]), math.Max) }},
	ir.PrimSlt:   {apply: func(g *graph, a []ref) value { return g.compare(ir.CondLT, a[0], a[1]) }},
	ir.PrimSge:   {apply: func(g *graph, a []ref) value { return g.compare(ir.CondGE, a[0], a[1]) }},
	ir.PrimSelGE: {apply: func(g *graph, a []ref) value {
		c := g.sign(ir.CondGE, a[0])
		return g.pick(&c, a[1], a[2])
	}},
	ir.PrimSgn: {apply: func(g *graph, a []ref) value {
		p, n := g.sign(ir.CondGT, a[0]), g.sign(ir.CondLT, a[0])
		v := value{lo: p.lo - n.hi, hi: p.hi - n.lo, clo: p.clo - n.chi, chi: p.chi - n.clo, err: p.err + n.err}
		return v
	}},
	ir.PrimLitSpec: {litSpecular, func(hw *Arithmetic) float64 { return hw.pow }},
	ir.PrimDsx:     {apply: func(g *graph, a []ref) value { return g.slope(*g.at(a[0]), 1.0/16) }},
	ir.PrimDsy:     {apply: func(g *graph, a []ref) value { return g.slope(*g.at(a[0]), -1.0/48) }},
}

// held is what a register keeps of a value if it clamps at 1 and -1 or farther out: no nearer
// to each other, so that errors do not grow.
func held(x value) value {
	x.lo, x.hi = min(x.lo, 1), max(x.hi, -1)
	x.clo, x.chi = min(x.clo, 1), max(x.chi, -1)
	x.whole = false
	return x
}

func onOne(f func(value) value) func(*graph, []ref) value {
	return func(g *graph, a []ref) value { return f(*g.at(a[0])) }
}

// Call is the method of ir.Algebra.
func (g *graph) Call(p ir.Prim, args []ref) ref {
	k := key{kind: kindCall, prim: p}
	copy(k.a[:], args)
	return g.term(k)
}

// call is the value of a primitive of these arguments. Where the error grows more than amplified times
// the instruction at hand becomes its cause.
func (g *graph) call(p ir.Prim, args []ref) value {
	r := &rules[p]
	if r.apply == nil {
		return unlimited()
	}
	in := g.at(args[0])
	for _, a := range args[1:] {
		if x := g.at(a); x.err > in.err {
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
	n := &g.nodes[g.base(x)]
	if n.key.kind != kindAdd && n.key.kind != kindSplit {
		return false
	}
	return g.nodes[g.base(n.key.a[0])].key.kind == kindMul || g.nodes[g.base(n.key.a[1])].key.kind == kindMul
}

// amplified is how many times an error has to grow in an instruction for that to be named
// as the cause of what it becomes.
const amplified = 64

// abs does not amplify: ||x'|-|x|| <= |x'-x|.
func abs(x value) value {
	v := value{lo: x.low(), hi: x.mag(), clo: x.clow(), chi: x.cmag(), err: x.err, whole: x.whole, cause: x.cause}
	return v
}

// nearest is how close exact and computed operands come to 0.
func (v *value) nearest() float64 {
	if v.lo <= 0 && v.chi >= 0 || v.clo <= 0 && v.hi >= 0 { // on either side, or at it
		return 0
	}
	return min(v.low(), v.clow())
}

// reciprocal is 1/x, off by |x'-x|/|x*x'|; of a reciprocal square root it is the square root, which has
// no pole.
func reciprocal(g *graph, a []ref) value {
	if n := &g.nodes[a[0]]; n.key.kind == kindCall && n.key.prim == ir.PrimRsq {
		return root(*g.at(n.key.a[0]), 2*g.hw.reciprocal)
	}
	x := *g.at(a[0])
	v := unlimited()
	v.lo, v.hi = inverse(x.lo, x.hi)
	v.clo, v.chi = inverse(x.clo, x.chi)
	if m := x.nearest(); m > 0 {
		v.err = x.err / (x.low() * x.clow())
	}
	return v
}

// inverse is the range of 1/x, all numbers where x may be 0 inside its range.
func inverse(lo, hi float64) (float64, float64) {
	switch {
	case lo > 0 || hi < 0:
		return 1 / hi, 1 / lo
	case lo == 0 && hi > 0:
		return 1 / hi, infinity
	case hi == 0 && lo < 0:
		return -infinity, 1 / lo
	}
	return -infinity, infinity
}

// root is the square root of |x|, found with a relative error. |sqrt a - sqrt b| is |a-b| over the sum of
// the roots, and at most sqrt |a-b|, which bounds it at 0.
func root(x value, rel float64) value {
	y := abs(x)
	v := value{lo: math.Sqrt(y.lo), hi: math.Sqrt(y.hi), clo: math.Sqrt(y.clo), chi: math.Sqrt(y.chi), err: math.Sqrt(y.err)}
	if m := v.lo + v.clo; m > 0 {
		v.err = min(v.err, y.err/m)
	}
	v.settle()
	r := rel * v.chi
	v.clo, v.chi, v.err = max(0, v.clo-r), v.chi+r, v.err+r
	return v
}

// rsq is the reciprocal root of |x|.
func rsq(x value) value {
	y := abs(x)
	at := func(x float64) float64 { return 1 / math.Sqrt(x) }
	v := value{lo: at(y.hi), hi: at(y.lo), clo: at(y.chi), chi: at(y.clo), err: infinity}
	if m := min(y.lo, y.clo); m > 0 {
		v.err = y.err / (2 * m * math.Sqrt(m)) // the mean value theorem: the slope is steepest at m
	}
	return v
}

// exp2 is 2^x. Of the product of a logarithm it is a power, which is bounded where the
// logarithm is not.
func exp2(g *graph, a []ref) value {
	if base, e, ok := g.powerOf(a[0]); ok {
		v := power(*g.at(base), *g.at(e))
		// The logarithm and the product are off by a relative error of r. With t for the
		// exponent, r*|t|*2^t ln 2 is what comes of it, and |t|*2^t is below 0.5308 for t < 0.
		r := g.hw.log + 2*g.f.unit
		size := 0.5308
		if v.chi > 1 {
			size = max(size, v.chi*math.Log2(v.chi))
		}
		// Near 1 the logarithm is off absolutely.
		off := 2*r*math.Ln2*size + product(2*g.hw.log*math.Ln2*g.at(e).mag(), v.chi)
		v.clo, v.chi, v.err = max(0, v.clo-off), v.chi+off, v.err+off
		return v
	}
	x := *g.at(a[0])
	v := value{lo: math.Exp2(x.lo), hi: math.Exp2(x.hi), clo: math.Exp2(x.clo), chi: math.Exp2(x.chi)}
	v.err = product(x.err*math.Ln2, max(v.hi, v.chi))
	return v
}

// powerOf takes x apart as e * log2(base), where the logarithm is that of full precision.
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

// logarithm is log2|x|, off by rel relatively and absolutely.
func logarithm(x value, rel float64) value {
	y := abs(x)
	v := value{lo: math.Log2(y.lo), hi: math.Log2(y.hi), clo: math.Log2(y.clo), chi: math.Log2(y.chi), err: infinity}
	if m := min(y.lo, y.clo); m > 0 {
		v.err = y.err / (m * math.Ln2)
	}
	r := rel * (1 + v.cmag())
	v.clo, v.chi, v.err = v.clo-r, v.chi+r, v.err+r
	v.widen()
	return v
}

// power is |x|^y: its error is that of x times the largest slope in x, and that of y times the one in y,
// each over the ranges of both.
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
			slope = max(math.Abs(blo), math.Abs(bhi)) * max(math.Pow(big, bhi-1), math.Pow(big, blo-1), math.Pow(m, blo-1), math.Pow(m, bhi-1))
		}
		v.err = product(a.err, slope)
	case blo > 0: // steeper than any line at 0: powers below 1 of what is apart by d are apart by d^b
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

// wave is a sine or cosine, off by an absolute error. Its slope is at most 1, and reduction of the
// argument is part of off.
func wave(f func(float64) float64, x value, off float64) value {
	v := exactly(-1, 1)
	if !math.IsInf(x.lo, 0) && !math.IsInf(x.hi, 0) { // no steeper than 1
		mid, half := f(x.lo/2+x.hi/2), (x.hi-x.lo)/2
		v.lo, v.hi = max(-1, mid-half), min(1, mid+half)
	}
	v.err = x.err + off
	v.clo, v.chi = max(-1-off, v.lo-v.err), min(1+off, v.hi+v.err)
	v.widen()
	return v
}

// steps is a function that jumps at some numbers and is flat between.
func steps(x value, f func(float64) float64) value {
	if x.whole {
		return x
	}
	v := value{lo: f(x.lo), hi: f(x.hi), clo: f(x.clo), chi: f(x.chi)}
	if x.err > 0 {
		// A jump for every whole number that the operand may be off by, and the one it may be next to.
		v.err = math.Floor(x.err) + 1
	}
	v.settle()
	v.whole = v.err == 0
	return v
}

// frc is x - floor(x): a saw tooth, that of an operand which stays within one tooth is the
// operand, shifted.
func frc(g *graph, a []ref) value {
	x := *g.at(a[0])
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

// extreme is the smaller or larger of two, which is off by no more than either: min and max are
// 1-Lipschitz in the maximum norm.
func extreme(x, y value, f func(a, b float64) float64) value {
	v := value{lo: f(x.lo, y.lo), hi: f(x.hi, y.hi), clo: f(x.clo, y.clo), chi: f(x.chi, y.chi),
		err: max(x.err, y.err), whole: x.whole && y.whole, cause: worse(&x, &y)}
	return v
}

// slope is the difference of neighbours' values. At a point of the box, which has none, it is
// taken to depend on the value linearly.
func (g *graph) slope(x value, part float64) value {
	d, c := x.hi-x.lo, x.chi-x.clo
	if g.point != 0 {
		y := 1.0/64 + x.hi*part
		return value{lo: y, hi: y, clo: y - 2*x.err, chi: y + 2*x.err, err: 2 * x.err}
	}
	return value{lo: -d, hi: d, clo: -c, chi: c, err: 2 * x.err}
}

// litSpecular is the third component of lit: y^w where x and y are positive, else 0.
func litSpecular(g *graph, a []ref) value {
	y, w := *g.at(a[1]), *g.at(a[2])
	const limit = 128 // w is held within a little less than that
	y.clamp(0, max(0, y.hi, y.chi))
	w.clamp(-limit, limit)
	v := power(y, w)
	on, positive := g.sign(ir.CondGT, a[0]), g.sign(ir.CondGT, a[1])
	if on.lo == 1 && on.err == 0 && positive.lo == 1 && positive.err == 0 {
		return v
	}
	return either(on.err > 0 || positive.err > 0, v, exactly(0, 0))
}

// compare is a comparison, as a boolean: it can turn out otherwise where operands are as close to each
// other as they may be off together.
func (g *graph) compare(c ir.Cond, a, b ref) value {
	x, y := *g.at(a), *g.at(b)
	if a == b {
		holds := c == ir.CondEQ || c == ir.CondGE || c == ir.CondLE
		return flag(!holds, holds, false)
	}
	d := value{lo: x.lo - y.hi, hi: x.hi - y.lo, clo: x.clo - y.chi, chi: x.chi - y.clo, err: x.err + y.err}
	return d.against(c)
}

// sign is the comparison of a term with 0.
func (g *graph) sign(c ir.Cond, a ref) value {
	x := *g.at(a)
	return x.against(c)
}

// against is the comparison of d with 0.
func (d *value) against(c ir.Cond) value {
	d.settle()
	fails, holds := outcomes(c, d.lo, d.hi)
	cfails, cholds := outcomes(c, d.clo, d.chi)
	near := d.lo <= d.err && d.hi >= -d.err
	return flag(fails, holds, d.err > 0 && near && (fails && cholds || holds && cfails))
}

// outcomes tells whether a comparison of a number in lo..hi with 0 can fail and can hold.
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

// pick is a where c holds, else b: either of them where that is not known, and off by what they are apart
// where the computed choice may be the other one.
func (g *graph) pick(c *value, a, b ref) value {
	x, y := *g.at(a), *g.at(b)
	switch {
	case a == b || c.err == 0 && c.lo == 1:
		return x
	case c.err == 0 && c.hi == 0:
		return y
	}
	return either(c.err > 0, x, y)
}
