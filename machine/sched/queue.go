package sched

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/internal/container"
)

// queue holds the ready arithmetic in two orders: by longest path (fast), and by program order (few
// registers). All nodes of a run have positions in both orders from the start. The ready set is
// thus a set of positions. Candidates are taken from the first on, and most are put back.
type queue struct {
	path            []int32 // the nodes in order of paths
	at              []int32 // by node: its index in path
	counts          []int32 // memory of sort
	byPath, byPlace placeSet
	n               int
}

// begin resets the queue for the nodes of g. No node is ready yet.
func (q *queue) begin(g *graph) {
	q.n = 0
	q.byPath.begin(len(g.nodes))
	q.byPlace.begin(len(g.nodes))
	q.sort(g)
}

// sort orders nodes by falling height, then by slotRank, then by program order. It is a counting
// sort.
func (q *queue) sort(g *graph) {
	most := int32(0)
	for i := range g.nodes {
		most = max(most, g.nodes[i].high)
	}
	q.path, q.at, q.counts = container.Zeros(q.path, len(g.nodes)), container.Zeros(q.at, len(g.nodes)), container.Zeros(q.counts,
		int(4*most)+5)
	key := func(nd *node) int32 { return 4*(most-nd.high) + int32(nd.rank) }
	for i := range g.nodes {
		q.counts[key(&g.nodes[i])+1]++
	}
	for k := range q.counts[1:] {
		q.counts[k+1] += q.counts[k]
	}
	for i := range g.nodes {
		to := &q.counts[key(&g.nodes[i])]
		q.path[*to], q.at[i] = int32(i), *to
		*to++
	}
}

func (q *queue) len() int { return q.n }

// makeReady makes a node ready. It must not be ready already.
func (q *queue) makeReady(i int32) {
	q.byPath.insert(q.at[i])
	q.byPlace.insert(i)
	q.n++
}

// take removes the first node in one of the orders, or returns -1.
func (q *queue) take(byPlace bool) int32 {
	if q.n == 0 {
		return -1
	}
	i := int32(0)
	if byPlace {
		i = q.byPlace.first()
	} else {
		i = q.path[q.byPath.first()]
	}
	q.byPath.remove(q.at[i])
	q.byPlace.remove(i)
	q.n--
	return i
}

// placeSet is a set of positions. All words before low are empty.
type placeSet struct {
	words []uint64
	low   int
}

func (s *placeSet) begin(n int) { s.words, s.low = container.Zeros(s.words, (n+63)/64), 0 }

func (s *placeSet) insert(n int32) {
	s.words[n>>6] |= 1 << (n & 63)
	s.low = min(s.low, int(n>>6))
}

func (s *placeSet) remove(n int32) { s.words[n>>6] &^= 1 << (n & 63) }

// first returns the first position of a nonempty set.
func (s *placeSet) first() int32 {
	for s.words[s.low] == 0 {
		s.low++
	}
	return int32(s.low<<6 + bits.TrailingZeros64(s.words[s.low]))
}
