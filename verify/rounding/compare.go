package rounding

import (
	"cmp"
	"math"
	"slices"
)

// Bounds contains bounds on the distance of the outputs of two versions from real arithmetic, and from each
// other if both are equal over the reals.
type Bounds struct {
	Outputs []OutputBound
	// Before, After and Difference are the largest absolute error bounds of an output; they are infinite
	// without a bound. Difference is the maximum of Before+After over single outputs, plus Apart. Apart
	// bounds the distance of the versions over the reals and is 0 unless requested.
	Before, After, Difference, Apart float64
	// Growth is the largest ratio of the bound after to the bound before, over all outputs. Where no bound
	// exists, it is the median ratio of first-order errors at points of the box.
	Growth float64
	// Texels bounds the displacement of fetches, before and after, in texels.
	Texels [2]float64
	// Coverage reports that rounding can decide whether a fragment is killed.
	Coverage bool
	// Rules lists the rules from which the box was derived.
	Rules []Rule
	// Fragile, if not nil, describes where before amplifies roundings too much.
	Fragile *Fragility
}

// OutputBound is the bound of a component of an output.
type OutputBound struct {
	Name          string
	hi            float64 // upper end of the exact value
	Before, After float64
}

// Finite reports whether every output has a bound.
func (b *Bounds) Finite() bool { return !math.IsInf(b.Difference, 1) && len(b.Outputs) > 0 }

// Compare bounds the errors of two versions of a pair or program over the box. Where the box gives no
// bound, it compares the growth of first-order errors at points of the box.
func (a *Analyzer) Compare(before, after *Pair) (*Bounds, error) {
	b := &Bounds{}
	x, y, err := a.executeBoth(before, after)
	if err != nil {
		return nil, err
	}
	b.ofBox(x, y)
	if x.long || y.long { // and would be everywhere
		b.Growth, b.Rules = 1, appliedRules(a.rules)
		return b, nil
	}
	if !b.Finite() && !sameOutputs(x, y) { // or the errors are the same at every point
		if err := a.growth(b, []*Pair{before, after}, []*outcome{x, y}); err != nil {
			return nil, err
		}
	}
	b.Fragile, err = a.fragile(before, x, b.Finite())
	b.Rules = appliedRules(a.rules)
	return b, err
}

// executeBoth executes two versions over the box.
func (a *Analyzer) executeBoth(before, after *Pair) (x, y *outcome, err error) {
	if x, err = a.overBox(before); err == nil {
		y, err = a.overBox(after)
	}
	return x, y, err
}

// sameOutputs reports whether the common outputs of x and y are the same terms.
func sameOutputs(x, y *outcome) bool {
	same := true
	eachCommon(x.outs, y.outs, func(p, q *output) { same = same && p.at == q.at })
	return same
}

// growth compares the errors at points of the box and sets Growth to the largest median of an output. It
// stops when more points cannot change any median.
func (a *Analyzer) growth(b *Bounds, pairs []*Pair, box []*outcome) error {
	ratios := map[string][]float64{}
	t := a.startTour(a.hw, false, pairs, box)
	defer t.releaseGraph()
	for k := range points {
		if err := t.visit(k + 1); err != nil {
			return err
		}
		open := false
		eachCommon(t.found[0].outs, t.found[1].outs, func(p, q *output) {
			list := append(ratios[p.name], ratio(p.err, q.err, leastError))
			ratios[p.name], open = list, open || !settled(list)
		})
		if !open {
			break
		}
	}
	b.Growth = 0
	for _, list := range ratios { // the largest of all
		b.Growth = max(b.Growth, median(list))
	}
	return nil
}

// CompareNear extends Compare to versions that are not equal over the reals.
func (a *Analyzer) CompareNear(before, after *Pair) (*Bounds, error) {
	b, err := a.Compare(before, after)
	if err == nil {
		b.Apart, _, err = a.Apart(before, after)
		b.Difference += b.Apart
	}
	return b, err
}

// ofBox records the bounds that hold over the whole box.
func (b *Bounds) ofBox(x, y *outcome) {
	eachCommon(x.outs, y.outs, func(p, q *output) {
		b.Outputs = append(b.Outputs, OutputBound{p.name, p.hi, p.err, q.err})
		b.Before, b.After, b.Difference = max(b.Before, p.err), max(b.After, q.err), max(b.Difference, p.err+q.err)
		b.Growth = max(b.Growth, ratio(p.err, q.err, leastError))
	})
	for i, o := range []*outcome{x, y} {
		b.Texels[i] = o.texels
	}
	b.Coverage = x.kills || y.kills
}

// eachCommon visits the outputs that x and y have in common.
func eachCommon(x, y []output, visit func(p, q *output)) {
	for i := range x {
		if j, ok := slices.BinarySearchFunc(y, number(x[i].reg),
			func(o output, n uint64) int { return cmp.Compare(number(o.reg), n) }); ok {
			visit(&x[i], &y[j])
		}
	}
}

// leastError is the smallest error that comparisons distinguish: the interpolation error of a number of
// size 1 (Arithmetic.interpolation). Growth of a smaller error is insignificant.
const leastError = 1.0 / (1 << 16)

// ratio returns after/before, with both raised to floor at least. An infinite error does not grow.
func ratio(before, after, floor float64) float64 {
	switch b, a := max(before, floor), max(after, floor); {
	case a == b || math.IsInf(b, 1):
		return 1
	case b == 0 || math.IsInf(a, 1):
		return infinity
	default:
		return a / b
	}
}

// settled reports whether the median over all points is known, because more than half of them have the
// first number of the list.
func settled(list []float64) bool {
	n := 0
	for _, x := range list {
		if x == list[0] {
			n++
		}
	}
	return n > points/2
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
