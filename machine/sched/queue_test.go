package sched

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestQueue checks that a queue returns ready nodes in either order, regardless of nodes taken and
// put back in the other.
func TestQueue(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var q queue
	for run := range 60 {
		g := &graph{nodes: make([]node, 1+rnd.IntN(1+4*run))}
		for i := range g.nodes {
			g.nodes[i].high, g.nodes[i].rank = 1+rnd.Int32N(20), uint8(rnd.IntN(4))
		}
		byPath := func(i, j int32) int {
			a, b := &g.nodes[i], &g.nodes[j]
			return cmp.Or(cmp.Compare(b.high, a.high), cmp.Compare(a.rank, b.rank), cmp.Compare(i, j))
		}
		q.begin(g)
		var ready []int32
		for range 4 * len(g.nodes) {
			if i := rnd.Int32N(int32(len(g.nodes))); rnd.IntN(2) == 0 && !slices.Contains(ready, i) {
				q.makeReady(i)
				ready = append(ready, i)
				continue
			}
			want, byPlace := int32(-1), rnd.IntN(2) == 0
			if len(ready) > 0 {
				if want = slices.MinFunc(ready, byPath); byPlace {
					want = slices.Min(ready)
				}
				ready = slices.DeleteFunc(ready, func(i int32) bool { return i == want })
			}
			if got := q.take(byPlace); got != want || q.len() != len(ready) {
				t.Fatalf("run %d: node %d of %d, not %d of %d", run, got, q.len(), want, len(ready))
			}
		}
	}
}
