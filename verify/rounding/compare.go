package rounding

import (
	"cmp"
	"math"
	"slices"
)

// Bounds are how far the outputs of two versions can be from what real arithmetic gives,
// and, if that is the same for both, from each other.
type Bounds struct {
	Outputs []OutputBound
	// Before, After and Difference are the largest bounds of an output, absolute; infinite
	// where there is none. Difference is the largest of Before+After of one output, and Apart,
	// which is how far apart the versions are over the reals: 0 if that is not asked for.
	Before, After, Difference, Apart float64
	// Growth is how many times the bound of before that of after is, for the output for which
	// that is most. Where there is no bound it is that of the errors in first order at points
	// of the box; half of them have no more.
	Growth float64
	// Texels are how far off fetches can be, before and after.
	Texels [2]float64
	// Coverage tells that rounding can decide whether a fragment is killed.
	Coverage bool
	// Rules are what the box rests on.
	Rules []Rule
	// Fragile, if not nil, is where before amplifies roundings more than can be ignored.
	Fragile *Fragility
}

// OutputBound is the bound of a component of an output.
type OutputBound struct {
	Name          string
	Lo, Hi        float64 // of the exact value
	Before, After float64
}

// Finite reports whether every output has a bound.
func (b *Bounds) Finite() bool { return !math.IsInf(b.Difference, 1) && len(b.Outputs) > 0 }

// Compare bounds the errors of two versions of a pair or program: over the box, and where that gives no
// bound, by the growth of errors in first order at points of the box.
func (a *Analyzer) Compare(before, after *Pair) (*Bounds, error) {
	b := &Bounds{}
	x, y, err := a.both(before, after)
	if err != nil {
		return nil, err
	}
	b.ofBox(x, y)
	if x.long || y.long { // and would be everywhere
		b.Growth, b.Rules = 1, a.Rules()
		return b, nil
	}
	if !b.Finite() && !sameOutputs(x, y) { // or the errors are the same at every point
		if err := a.growth(b, []*Pair{before, after}, []*outcome{x, y}); err != nil {
			return nil, err
		}
	}
	b.Fragile, err = a.fragile(before, x, b.Finite())
	b.Rules = a.Rules()
	return b, err
}

// both follows two versions over the box.
func (a *Analyzer) both(before, after *Pair) (x, y *outcome, err error) {
	if x, err = a.overBox(before); err == nil {
		y, err = a.overBox(after)
	}
	return x, y, err
}

// sameOutputs reports whether the outputs that both have are the same terms.
func sameOutputs(x, y *outcome) bool {
	same := true
	eachCommon(x.outs, y.outs, func(p, q *output) { same = same && p.at == q.at })
	return same
}

// growth compares the errors at points of the box, and sets Growth to the largest median of an output.
// It stops as soon as more points cannot change any median.
func (a *Analyzer) growth(b *Bounds, pairs []*Pair, box []*outcome) error {
	ratios := map[string][]float64{}
	t := a.tour(a.hw, false, pairs, box)
	defer t.end()
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

// Near is Compare for versions that are not equal over the reals.
func (a *Analyzer) Near(before, after *Pair) (*Bounds, error) {
	b, err := a.Compare(before, after)
	if err == nil {
		b.Apart, _, err = a.Apart(before, after)
		b.Difference += b.Apart
	}
	return b, err
}

// ofBox takes in what holds over the whole box.
func (b *Bounds) ofBox(x, y *outcome) {
	eachCommon(x.outs, y.outs, func(p, q *output) {
		b.Outputs = append(b.Outputs, OutputBound{p.name, p.lo, p.hi, p.err, q.err})
		b.Before, b.After, b.Difference = max(b.Before, p.err), max(b.After, q.err), max(b.Difference, p.err+q.err)
		b.Growth = max(b.Growth, ratio(p.err, q.err, leastError))
	})
	for i, o := range []*outcome{x, y} {
		b.Texels[i] = o.texels
	}
	b.Coverage = x.kills || y.kills
}

// eachCommon visits the outputs that both have.
func eachCommon(x, y []output, visit func(p, q *output)) {
	for i := range x {
		if j, ok := slices.BinarySearchFunc(y, number(x[i].reg), func(o output, n uint64) int { return cmp.Compare(number(o.reg), n) }); ok {
			visit(&x[i], &y[j])
		}
	}
}

// leastError is what errors of outputs are taken to be at least when they are compared: what
// interpolation of a number of size 1 is off by (Arithmetic.Interpolation). A smaller error that grows
// is nobody's concern.
const leastError = 1.0 / (1 << 16)

// ratio compares errors, both taken to be floor at least. What was infinite does not grow.
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

// settled reports whether the median over all points is known: more than half of them have the
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
