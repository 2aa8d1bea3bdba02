package sched

// heap is a binary heap of nodes, the smallest key first. It is not container/heap for the reason
// that package sim gives for its own.
type heap []entry

type entry struct {
	key int64
	n   int32
}

func (h heap) len() int     { return len(h) }
func (h heap) first() int32 { return h[0].n }

func (h *heap) push(key int64, n int32) {
	*h = append(*h, entry{key, n})
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if s[up].key <= s[i].key {
			break
		}
		s[up], s[i] = s[i], s[up]
		i = up
	}
}

func (h *heap) pop() int32 {
	s := *h
	top, last := s[0].n, len(s)-1
	s[0] = s[last]
	s = s[:last]
	for i := 0; ; {
		least := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < len(s) && s[c].key < s[least].key {
				least = c
			}
		}
		if least == i {
			break
		}
		s[i], s[least] = s[least], s[i]
		i = least
	}
	*h = s
	return top
}

// listKind says where a node waits.
type listKind uint8

const (
	inNone listKind = iota
	inUrgent
	inLater
	inHand // taken from a queue
)

// queue is the arithmetic that is ready, in two orders: by the longest path behind it (fast), and
// by place in the program (few registers). Nodes are in both heaps; node.list says whether an entry
// is still valid.
type queue struct {
	byPath, byPlace heap
	n               int
}

func (q *queue) len() int { return q.n }

func (q *queue) add(g *graph, i int32) {
	q.byPath.push(pathKey(g, i), i)
	q.byPlace.push(int64(i), i)
	q.n++
}

// pathKey orders by falling height, then by how few slots will do, then by place in the program,
// which makes it a total order.
func pathKey(g *graph, i int32) int64 {
	nd := &g.nodes[i]
	return (int64(nd.rank)-4*int64(nd.high))<<32 | int64(i)
}

// take removes the first node in one of the orders, or returns -1. Entries that were taken in the
// other order are dropped on the way.
func (q *queue) take(g *graph, byPlace bool) int32 {
	h := &q.byPath
	if byPlace {
		h = &q.byPlace
	}
	for h.len() > 0 {
		i := h.pop()
		if g.nodes[i].list == inUrgent {
			g.nodes[i].list = inHand
			q.n--
			return i
		}
	}
	return -1
}

// put returns a node that did not fit. Its entry in the other heap is still there.
func (q *queue) put(g *graph, i int32, byPlace bool) {
	g.nodes[i].list = inUrgent
	q.n++
	if byPlace {
		q.byPlace.push(int64(i), i)
	} else {
		q.byPath.push(pathKey(g, i), i)
	}
}
