package tune

import (
	"cmp"
	"slices"
)

// Point holds the criteria for a version, all of which are minimized.
type Point struct {
	Cycles float64
	GPRs   int
	Words  int
}

// covers reports whether p is at least as good as q in all criteria.
func (p Point) covers(q Point) bool {
	return p.Cycles <= q.Cycles && p.GPRs <= q.GPRs && p.Words <= q.Words
}

// compare orders points by cycles, then by registers, then by length.
func (p Point) compare(q Point) int {
	return cmp.Or(cmp.Compare(p.Cycles, q.Cycles), cmp.Compare(p.GPRs, q.GPRs), cmp.Compare(p.Words, q.Words))
}

// Front returns the Pareto front of a list, fastest first. It contains the first of several equal
// points.
func Front[T any](list []T, at func(T) Point) []T {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b T) int { return at(a).compare(at(b)) })
	var front []T
	for _, x := range list {
		if !slices.ContainsFunc(front, func(f T) bool { return at(f).covers(at(x)) }) {
			front = append(front, x)
		}
	}
	return front
}
