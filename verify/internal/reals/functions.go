package reals

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// functions records the origin of values, by image. Laws of functions of products, quotients and other
// functions' values need it: log(a*b) = log(a) + log(b). Searches cover the first maxSearched entries of a
// list.
type functions struct {
	factors  map[Image][2]Element // of products
	inverted map[Image]Element    // of reciprocals
	roots    []known              // of 1/sqrt|x|
	exps     []known
	logs     []known
	sines    []known
	// composite lists logarithms that are sums of others.
	composite []known
	// expsBy, logsBy and compositeBy find multiples of exponents and of logarithms.
	expsBy, logsBy, compositeBy multiples
	exponent                    map[Image]Element // of values of exp2
	// exponents holds the exponents that were met, and sums those that are sums of two others.
	exponents   map[Image]Element
	sums        map[Image][2]Element
	reciprocals map[Image]bool // values that are inverses of others
	integers    map[Image]bool // values of floor
	below1      map[Image]bool // values of x - floor(x)
	rank        map[Image]int  // order of the first occurrence of values
}

// known is the value of a function at x.
type known struct {
	x, val Element
	gen    int32
}

// init creates the maps.
func (m *functions) init() {
	m.factors, m.inverted, m.exponent = map[Image][2]Element{}, map[Image]Element{}, map[Image]Element{}
	m.exponents, m.reciprocals = map[Image]Element{}, map[Image]bool{}
	m.integers, m.below1, m.rank = map[Image]bool{}, map[Image]bool{}, map[Image]int{}
}

// searched returns the part of list with which a new value is compared.
func searched(list []known) []known { return list[:min(len(list), maxSearched)] }

// order numbers values, up to sign, in the order of their first occurrence. A product is decomposed only
// into earlier factors, so decomposition ends.
func (r *Reals) order(x Element) int {
	u, _ := r.unsigned(x.v)
	n, ok := r.made.rank[u]
	if !ok {
		n = len(r.made.rank)
		r.made.rank[u] = n
	}
	return n
}

// multiplied records that x is a*b, unless x is older than its factors: decomposition must end.
func (r *Reals) multiplied(x, a, b Element) {
	if len(r.made.rank) > maxValues {
		return
	}
	first := max(r.order(a), r.order(b))
	if r.order(x) > first {
		u, neg := r.unsigned(x.v)
		if neg {
			a = a.withImage(r.neg(a.v))
		}
		r.made.factors[u] = [2]Element{a, b}
	}
}

// factors returns two values whose product is x, which has no generators, if they are known.
func (r *Reals) factors(x Element) (a, b Element, ok bool) {
	u, neg := r.unsigned(x.v)
	ab, ok := r.made.factors[u]
	if !ok || hasTerms(x) || r.nested > maxDepth {
		return a, b, false
	}
	if a, b = ab[0], ab[1]; neg {
		a = r.minus(a)
	}
	return a, b, true
}

// within runs a computation on the factors of a value.
func (r *Reals) within(f func() Element) Element {
	r.nested++
	defer func() { r.nested-- }()
	return f()
}

// Call implements ir.Algebra. Comparisons, extremes and saturation become conditions and choices. Other
// functions are applied case by case to the choices in their arguments. Functions of opaque literals stay
// opaque. fma is a product and a sum, and ieee forms equal the others, since nothing rounds and NaNs do not
// occur.
func (r *Reals) Call(p ir.Prim, args []Element) Element {
	switch p {
	case ir.PrimFma:
		return r.Add(r.Mul(args[0], args[1]), args[2])
	case ir.PrimDsx, ir.PrimDsy: // these read neighbours, whose conditions may differ
		return r.random(symbolic.TagPrim, uint64(p), args)
	case ir.PrimAbs:
		return r.abs(args[0])
	case ir.PrimSat:
		return r.Saturate(args[0])
	case ir.PrimMin, ir.PrimMinIEEE:
		return r.least(args[0], args[1])
	case ir.PrimMax, ir.PrimMaxIEEE:
		return r.greatest(args[0], args[1])
	case ir.PrimSlt, ir.PrimLT:
		return r.indicator(ir.CondLT, args[0], args[1])
	case ir.PrimSge, ir.PrimGE:
		return r.indicator(ir.CondGE, args[0], args[1])
	case ir.PrimGT:
		return r.indicator(ir.CondGT, args[0], args[1])
	case ir.PrimEQ:
		return r.indicator(ir.CondEQ, args[0], args[1])
	case ir.PrimNE:
		return r.indicator(ir.CondNE, args[0], args[1])
	case ir.PrimLE:
		return r.indicator(ir.CondLE, args[0], args[1])
	case ir.PrimSelGE:
		return r.Choose(r.indicator(ir.CondGE, args[0], r.number(0)), args[1], args[2])
	case ir.PrimSgn:
		below, zero := r.signConditions(args[0])
		return r.Add(r.number(1), r.Neg(r.Add(zero, r.Mul(r.number(2), below))))
	case ir.PrimLitSpec:
		// The exponent of lit is clamped as in the reference, to 8.8 fixed point.
		const limit = 127 + 255.0/256
		w := r.least(r.greatest(args[2], r.number(-limit)), r.number(limit))
		zero := r.number(0)
		lit := r.And(r.settled(r.indicator(ir.CondGT, args[0], zero)), r.settled(r.indicator(ir.CondGT, args[1], zero)))
		return r.Choose(lit, r.Call(ir.PrimPow, []Element{args[1], w}), zero)
	}
	for _, x := range args {
		if r.opaqueLiteral(x) {
			return r.random(symbolic.TagPrim, uint64(p), args)
		}
	}
	if !r.splits(args) {
		return r.random(symbolic.TagPrim, uint64(p), args)
	}
	return r.split(args, func(args []Element) Element { return r.primitive(p, args) })
}

// primitive applies p to arguments without choices. A function without a law here is opaque: a random
// function of its arguments.
func (r *Reals) primitive(p ir.Prim, args []Element) Element {
	x := args[0]
	switch p {
	case ir.PrimRcp:
		return r.reciprocalOf(x)
	case ir.PrimRsq:
		return r.reciprocalRoot(x)
	case ir.PrimSqrt:
		// A number below zero has no root; rsq uses its magnitude instead.
		return r.Choose(r.below(x), r.random(symbolic.TagPrim, uint64(p), args), r.reciprocal(r.reciprocalRoot(x)))
	case ir.PrimExp2:
		return r.powerOfTwo(x)
	case ir.PrimLog2:
		return r.log(x)
	case ir.PrimPow:
		if y, ok := r.isConstant(args[1]); ok && isHalves(y) {
			return r.power(x, int(2*y))
		}
		return r.powerOfTwo(r.Mul(args[1], r.log(x)))
	case ir.PrimFloor:
		return r.floor(x)
	case ir.PrimCeil:
		return r.Neg(r.floor(r.Neg(x)))
	case ir.PrimTrunc:
		if y, ok := r.rounded(x, true); ok {
			return y
		}
	case ir.PrimFrc:
		return r.fract(x)
	case ir.PrimSin:
		return r.sineValue(x)
	case ir.PrimCos:
		return r.cosine(x)
	}
	return r.random(symbolic.TagPrim, uint64(p), args)
}

// floor extracts integers from its operand: floor(x+n) = floor(x)+n, floor(floor(x)) = floor(x) and
// floor(x-floor(x)) = 0.
func (r *Reals) floor(x Element) Element {
	if c, ok := r.isConstant(x); ok {
		return r.number(float32(math.Floor(float64(c))))
	}
	if hasTerms(x) {
		return r.random(symbolic.TagPrim, uint64(ir.PrimFloor), []Element{x})
	}
	if y, ok := r.rounded(x, false); ok {
		return y
	}
	n := float32(math.Floor(float64(r.about(x).constant)))
	y := x
	if n != 0 {
		y = r.plus(x, r.number(-n))
	}
	switch {
	case r.made.integers[y.v]:
	case r.made.below1[y.v]:
		y = r.number(0)
	default:
		z := r.newValue(r.random(symbolic.TagPrim, uint64(ir.PrimFloor), []Element{y}), traits{})
		r.made.integers[z.v] = true
		y = z
	}
	return r.Add(y, r.number(n))
}

// fract returns x - floor(x), which is not negative.
func (r *Reals) fract(x Element) Element {
	y := r.Add(x, r.Neg(r.floor(x)))
	r.made.below1[y.v] = true
	if !hasTerms(y) {
		f := r.about(y)
		f.nonNegative = true
		y = r.coefficient(y, f)
	}
	return y
}

// sineValue returns sin(x), which is odd. It is a generator with s*s = 1 - cos(x)^2.
func (r *Reals) sineValue(x Element) Element {
	for _, k := range searched(r.made.sines) {
		switch x.v {
		case k.x.v:
			return k.val
		case r.neg(k.x.v):
			return r.Neg(k.val)
		}
	}
	c := r.cosine(x)
	square := r.Add(r.number(1), r.Neg(r.Mul(c, c)))
	g := r.generate(generator{kind: isSine, val: r.random(symbolic.TagPrim, uint64(ir.PrimSin), []Element{x}),
		square: square, of: x})
	y := r.generated(g)
	r.made.sines = append(r.made.sines, known{x: x, val: y, gen: g})
	return y
}

// cosine returns cos(x), which is even: an opaque value of x or -x, whichever image is smaller.
func (r *Reals) cosine(x Element) Element {
	minus := r.neg(x.v)
	if x.v[0] > minus[0] {
		x = x.withImage(minus)
	}
	return r.newValue(r.random(symbolic.TagPrim, uint64(ir.PrimCos), []Element{x}), traits{})
}
