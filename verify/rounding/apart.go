package rounding

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// Two versions need not be equal over the reals to be close. How far apart their exact values
// can be is found by the same rules as errors are, with the value of the one version for the
// exact value, that of the other for the computed one, and no roundings: where both do the
// same to different operands, their distance goes through the operation; where they do
// different things, it is that of the ranges.

// Apart bounds how far apart the outputs of two versions can be over the reals, absolutely and relative
// to the size of the output where that is more than 1. Both are infinite if the versions have different
// outputs, kill different fragments, or nothing is known. Terms are compared pairwise, which costs the
// product of their numbers at worst and their sum where the versions are alike.
func (a *Analyzer) Apart(before, after *Pair) (absolute, relative float64, err error) {
	x, y, err := a.both(before, after)
	if err != nil {
		return 0, 0, err
	}
	if len(x.outs) != len(y.outs) || len(x.killers) != len(y.killers) || x.long || y.long {
		return infinity, infinity, nil
	}
	d := &distance{from: a.whole, to: newGraph(&exactArithmetic), seen: map[[2]ref]ref{}}
	d.to.texels = d.from.texels
	for i, k := range x.killers {
		if v := d.to.at(d.pair(k, y.killers[i])); v.err != 0 {
			return infinity, infinity, nil
		}
	}
	for i := range x.outs {
		v := *d.to.at(d.pair(x.outs[i].at, y.outs[i].at))
		if x.outs[i].reg != y.outs[i].reg || math.IsInf(v.err, 1) {
			return infinity, infinity, nil
		}
		absolute, relative = max(absolute, v.err), max(relative, v.err/max(1, v.mag()))
	}
	return absolute, relative, nil
}

// exactArithmetic rounds nothing.
var (
	unbounded       = format{largest: math.MaxFloat64, exact: math.MaxFloat64}
	exactArithmetic = Arithmetic{Name: "exact", vertex: unbounded, pixel: unbounded}
)

// distance relates the terms of one graph to each other, in another graph: what is exact there
// is the value of the one version, what is computed that of the other.
type distance struct {
	from, to *graph
	seen     map[[2]ref]ref
}

// pair is the value of x together with that of y. Where the rules say less about it than is known of x
// and y by themselves, it is narrowed to that.
func (d *distance) pair(x, y ref) ref {
	at := [2]ref{x, y}
	if z, ok := d.seen[at]; ok {
		return z
	}
	v := d.apart(x, y)
	p, q := d.from.at(x), d.from.at(y)
	v.lo, v.hi, v.clo, v.chi = max(v.lo, p.lo), min(v.hi, p.hi), max(v.clo, q.lo), min(v.chi, q.hi)
	v.settle()
	z := d.to.fresh(v)
	d.seen[at] = z
	return z
}

// apart is pair for what has not been met: the same term is apart by nothing, the same operation passes
// on what its operands are apart by, and of different operations only the ranges are known.
func (d *distance) apart(x, y ref) value {
	p, q := d.from.at(x), d.from.at(y)
	if x == y {
		return value{lo: p.lo, hi: p.hi, clo: p.lo, chi: p.hi, whole: p.whole}
	}
	far := value{lo: p.lo, hi: p.hi, clo: q.lo, chi: q.hi, err: infinity}
	far.settle()
	if b, c := d.from.powers(x), d.from.powers(y); b != x || c != y {
		return *d.to.at(d.pair(b, c))
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

// through is what an operation makes of operands that are apart.
func (d *distance) through(j, k key) (value, bool) {
	switch j.kind {
	case kindNeg:
		return *d.to.at(d.to.Neg(d.pair(j.a[0], k.a[0]))), true
	case kindRound, kindInterpolate:
		return *d.to.at(d.pair(j.a[0], k.a[0])), true
	case kindAdd, kindSplit:
		return d.either(j, k, func(a, b ref) value { return d.to.add(a, b, 0) }), true
	case kindMul:
		return d.either(j, k, d.to.mul), true
	case kindChoose:
		c, a, b := d.pair(j.a[0], k.a[0]), d.pair(j.a[1], k.a[1]), d.pair(j.a[2], k.a[2])
		return d.to.pick(d.to.at(c), a, b), true
	case kindFetch:
		return d.fetch(j, k), true
	case kindCall:
		args := d.args(j, k)
		if j.aux == decided {
			return d.to.compare(j.cond(), args[0], args[1]), true
		}
		if r := &rules[j.prim]; r.apply != nil {
			return r.apply(d.to, args), true
		}
	}
	return value{}, false
}

// either applies a commutative operation with its operands matched the better way.
func (d *distance) either(j, k key, op func(a, b ref) value) value {
	v := op(d.pair(j.a[0], k.a[0]), d.pair(j.a[1], k.a[1]))
	if v.err == 0 {
		return v
	}
	if w := op(d.pair(j.a[0], k.a[1]), d.pair(j.a[1], k.a[0])); w.err < v.err {
		return w
	}
	return v
}

func (d *distance) args(j, k key) []ref {
	var list []ref
	for i := range j.a {
		if j.a[i] != 0 && k.a[i] != 0 {
			list = append(list, d.pair(j.a[i], k.a[i]))
		}
	}
	return list
}

// fetch is a texel at two places.
func (d *distance) fetch(j, k key) value {
	v := exactly(d.to.texels.lo, d.to.texels.hi)
	v.err = product(d.to.displacement(dimension(&j), d.args(j, k)), v.hi-v.lo)
	v.settle()
	return v
}

// powers is the product that a power with a small literal exponent is over the reals, else x:
// |x|^0 is 1, |x|^1 is |x|, |x|^2 is x*x, and so on. A power may be spelt as one or as
// exp2(e*log2 |x|), which is the same for x other than 0, and has the same limit there.
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
	n := *g.at(e)
	if n.lo != n.hi || n.lo != math.Trunc(n.lo) || n.lo < 0 || n.lo > 4 {
		return x
	}
	defer g.compute(g.prec)
	g.compute(k.prec)
	base = g.base(base)
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
