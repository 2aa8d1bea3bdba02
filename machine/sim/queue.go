package sim

// eventQueue orders the wavefronts by the time of their next event; equal times keep their order.
// Most wavefronts continue after the same delay, so their events arrive in order and wait in a
// ring. The others are in a custom binary heap: container/heap makes simulations a third slower, or
// a seventh without boxing.
type eventQueue struct {
	heap []event
	seq  uint64
	// The ring has room for all wavefronts, and each waits for one event at a time.
	ring        []event
	first, soon int // the first event in the ring, and the number of events
}

type event struct {
	at    float64
	seq   uint64
	place int32
}

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

// pushSoon adds an event that is later than all earlier pushSoon events.
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
		if q.heap[up].at <= at { // equal times keep their order
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
