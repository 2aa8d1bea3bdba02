package sim

// eventQueue orders the wavefronts by when they go on; equal times keep their order. It is a
// binary heap of its own because container/heap makes simulations a third slower, a seventh
// if nothing is boxed.
type eventQueue struct {
	heap []event
	seq  uint64
}

type event struct {
	at    float64
	seq   uint64
	place int32
}

func (e event) before(o event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

func (q *eventQueue) push(at float64, place int32) {
	q.seq++
	q.heap = append(q.heap, event{at, q.seq, place})
	i := len(q.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !q.heap[i].before(q.heap[up]) {
			break
		}
		q.heap[i], q.heap[up] = q.heap[up], q.heap[i]
		i = up
	}
}

func (q *eventQueue) pop() (at float64, place int32, ok bool) {
	if len(q.heap) == 0 {
		return 0, 0, false
	}
	top := q.heap[0]
	last := len(q.heap) - 1
	q.heap[0] = q.heap[last]
	q.heap = q.heap[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && q.heap[down+1].before(q.heap[down]) {
			down++
		}
		if !q.heap[down].before(q.heap[i]) {
			break
		}
		q.heap[i], q.heap[down] = q.heap[down], q.heap[i]
		i = down
	}
	return top.at, top.place, true
}
