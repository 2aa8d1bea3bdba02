package tune

import (
	"cmp"
	"slices"
)

// Point is what a version is judged by: all of it as little as possible.
type Point struct {
	Cycles float64
	GPRs   int
	Words  int
}

// covers reports whether p is nowhere worse than q.
func (p Point) covers(q Point) bool {
	return p.Cycles <= q.Cycles && p.GPRs <= q.GPRs && p.Words <= q.Words
}

// compare orders points: the fastest first, of those that are as fast the one of fewest
// registers, and then the shortest.
func (p Point) compare(q Point) int {
	return cmp.Or(cmp.Compare(p.Cycles, q.Cycles), cmp.Compare(p.GPRs, q.GPRs), cmp.Compare(p.Words, q.Words))
}

// Front are those of a list that no other one is at least as good as in everything (the
// Pareto front), the fastest first. Of equals it is the first one in the list.
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
