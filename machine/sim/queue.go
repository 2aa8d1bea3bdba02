package sim

// eventQueue orders the wavefronts by when they go on; equal times keep their order. Most wavefronts
// go on after the same time, so they come in order: these wait in a ring, the others in a binary heap
// of its own, because container/heap makes simulations a third slower, a seventh if nothing is boxed.
type eventQueue struct {
	heap []event
	seq  uint64
	// The ring has room for all wavefronts, and each waits for one event at a time.
	ring        []event
	first, soon int // of them, and how many
}

type event struct {
	at    float64
	seq   uint64
	place int32
}

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

// pushSoon adds an event that is after all that were added in this way.
func (q *eventQueue) pushSoon(at float64, place int32) {
	q.seq++
	i := q.first + q.soon
	if i >= len(q.ring) {
		i -= len(q.ring)
	}
	q.ring[i] = event{at, q.seq, place}
	q.soon++
}

func (q *eventQueue) push(at float64, place int32) {
	q.seq++
	added := event{at, q.seq, place}
	q.heap = append(q.heap, added)
	i := len(q.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if q.heap[up].at <= at { // what was there came before
			break
		}
		q.heap[i] = q.heap[up]
		i = up
	}
	q.heap[i] = added
}

func (q *eventQueue) empty() bool { return len(q.heap) == 0 && q.soon == 0 }

func (q *eventQueue) pop() (at float64, place int32, ok bool) {
	switch {
	case q.soon > 0 && (len(q.heap) == 0 || q.ring[q.first].before(&q.heap[0])):
		next := &q.ring[q.first]
		q.soon--
		if q.first++; q.first == len(q.ring) {
			q.first = 0
		}
		return next.at, next.place, true
	case len(q.heap) == 0:
		return 0, 0, false
	}
	top := q.heap[0]
	last := len(q.heap) - 1
	moved := q.heap[last]
	q.heap = q.heap[:last]
	heap, i := q.heap, 0
	for {
		down := 2*i + 1
		if down >= len(heap) {
			break
		}
		if down+1 < len(heap) && heap[down+1].before(&heap[down]) {
			down++
		}
		if !heap[down].before(&moved) {
			break
		}
		heap[i] = heap[down]
		i = down
	}
	if last > 0 {
		heap[i] = moved
	}
	return top.at, top.place, true
}
