package rounding

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// Two versions need not be equal over the reals to be close. The rules for errors also bound the distance
// of their exact values. The value of one version takes the role of the exact value, the value of the other
// is the computed one, and nothing rounds. Where both versions apply one operation to different operands,
// the distance of the operands goes through the operation. Where they apply different operations, the
// distance is that between the ranges.

// Apart bounds the distance of the outputs of two versions over the reals, absolutely and relative to
// outputs larger than 1. Both bounds are infinite if the versions have different outputs, kill different
// fragments, or nothing is known. Apart compares terms pairwise. This costs the product of their numbers at
// worst, and their sum where the versions are similar.
func (a *Analyzer) Apart(before, after *Pair) (absolute, relative float64, err error) {
	x, y, err := a.executeBoth(before, after)
	if err != nil {
		return 0, 0, err
	}
	if len(x.outs) != len(y.outs) || len(x.killers) != len(y.killers) || x.long || y.long {
		return infinity, infinity, nil
	}
	d := &distance{from: a.whole, to: newGraph(&exactArithmetic), seen: map[[2]ref]ref{}}
	d.to.texels = d.from.texels
	for i, k := range x.killers {
		if v := d.to.valueOf(d.pairValue(k, y.killers[i])); v.err != 0 {
			return infinity, infinity, nil
		}
	}
	for i := range x.outs {
		v := *d.to.valueOf(d.pairValue(x.outs[i].at, y.outs[i].at))
		if x.outs[i].reg != y.outs[i].reg || math.IsInf(v.err, 1) {
			return infinity, infinity, nil
		}
		absolute, relative = max(absolute, v.err), max(relative, v.err/max(1, v.exactMax()))
	}
	return absolute, relative, nil
}

// exactArithmetic rounds nothing.
var (
	unbounded       = format{largest: math.MaxFloat64, exact: math.MaxFloat64}
	exactArithmetic = Arithmetic{Name: "exact", vertex: unbounded, pixel: unbounded}
)

// distance relates the terms of one graph to each other in another graph. The exact value there is the
// value of one version, the computed value is the value of the other.
type distance struct {
	from, to *graph
	seen     map[[2]ref]ref
}

// pairValue returns the value of x together with the value of y. It intersects the result with the ranges of x
// and y alone, which can be narrower than the rules imply.
func (d *distance) pairValue(x, y ref) ref {
	at := [2]ref{x, y}
	if z, ok := d.seen[at]; ok {
		return z
	}
	v := d.apart(x, y)
	p, q := d.from.valueOf(x), d.from.valueOf(y)
	v.lo, v.hi, v.clo, v.chi = max(v.lo, p.lo), min(v.hi, p.hi), max(v.clo, q.lo), min(v.chi, q.hi)
	v.settle()
	z := d.to.fresh(v)
	d.seen[at] = z
	return z
}

// apart computes pair for terms that have not been met. Equal terms have distance 0, equal operations
// propagate the distances of their operands, and different operations have only their ranges.
func (d *distance) apart(x, y ref) value {
	p, q := d.from.valueOf(x), d.from.valueOf(y)
	if x == y {
		return value{lo: p.lo, hi: p.hi, clo: p.lo, chi: p.hi, whole: p.whole}
	}
	far := value{lo: p.lo, hi: p.hi, clo: q.lo, chi: q.hi, err: infinity}
	far.settle()
	if b, c := d.from.powers(x), d.from.powers(y); b != x || c != y {
		return *d.to.valueOf(d.pairValue(b, c))
	}
	j, k := d.from.nodes[x].key, d.from.nodes[y].key
	if j.kind != k.kind || j.prim != k.prim || j.kind != kindSplit && j.aux != k.aux {
		return far
	}
	if v, ok := d.through(j, k); ok {
		return v
	}
	return far
}

// through returns the result of an operation whose operands differ.
func (d *distance) through(j, k key) (value, bool) {
	switch j.kind {
	case kindNeg:
		return *d.to.valueOf(d.to.Neg(d.pairValue(j.a[0], k.a[0]))), true
	case kindRound, kindInterpolate:
		return *d.to.valueOf(d.pairValue(j.a[0], k.a[0])), true
	case kindAdd, kindSplit:
		return d.either(j, k, func(a, b ref) value { return d.to.roundedSum(a, b, 0) }), true
	case kindMul:
		return d.either(j, k, d.to.roundedProduct), true
	case kindChoose:
		c, a, b := d.pairValue(j.a[0], k.a[0]), d.pairValue(j.a[1], k.a[1]), d.pairValue(j.a[2], k.a[2])
		return d.to.selectValue(d.to.valueOf(c), a, b), true
	case kindFetch:
		return d.fetch(j, k), true
	case kindCall:
		args := d.argumentPairs(j, k)
		if j.aux == decided {
			return d.to.compare(j.conditionOf(), args[0], args[1]), true
		}
		if r := &rules[j.prim]; r.apply != nil {
			return r.apply(d.to, args), true
		}
	}
	return value{}, false
}

// either applies a commutative operation in both matchings of the operands and returns the smaller error.
func (d *distance) either(j, k key, op func(a, b ref) value) value {
	v := op(d.pairValue(j.a[0], k.a[0]), d.pairValue(j.a[1], k.a[1]))
	if v.err == 0 {
		return v
	}
	if w := op(d.pairValue(j.a[0], k.a[1]), d.pairValue(j.a[1], k.a[0])); w.err < v.err {
		return w
	}
	return v
}

func (d *distance) argumentPairs(j, k key) []ref {
	var list []ref
	for i := range j.a {
		if j.a[i] != 0 && k.a[i] != 0 {
			list = append(list, d.pairValue(j.a[i], k.a[i]))
		}
	}
	return list
}

// fetch returns a texel fetched at two different places.
func (d *distance) fetch(j, k key) value {
	v := exactly(d.to.texels.lo, d.to.texels.hi)
	v.err = product(d.to.displacement(dimension(&j), d.argumentPairs(j, k)), v.hi-v.lo)
	v.settle()
	return v
}

// powers returns the real product that a power with a small literal exponent equals, else x. For example,
// |x|^0 is 1, |x|^1 is |x| and |x|^2 is x*x. A power may be written as pow or as exp2(e*log2 |x|), which is
// equal for x other than 0 and has the same limit there.
func (g *graph) powers(x ref) ref {
	k := g.nodes[x].key
	if k.kind != kindCall || k.prim != ir.PrimPow && k.prim != ir.PrimExp2 {
		return x
	}
	base, e := k.a[0], k.a[1]
	if k.prim == ir.PrimExp2 {
		var ok bool
		if base, e, ok = g.powerOf(k.a[0]); !ok {
			return x
		}
	}
	n := *g.valueOf(e)
	if n.lo != n.hi || n.lo != math.Trunc(n.lo) || n.lo < 0 || n.lo > 4 {
		return x
	}
	defer g.compute(g.prec)
	g.compute(k.prec)
	base = g.withoutSigns(base)
	square := g.Mul(base, base)
	switch n.lo {
	case 0:
		return g.literal(one)
	case 1:
		return g.Call(ir.PrimAbs, []ref{base})
	case 2:
		return square
	case 3:
		return g.Mul(square, g.Call(ir.PrimAbs, []ref{base}))
	}
	return g.Mul(square, square)
}
