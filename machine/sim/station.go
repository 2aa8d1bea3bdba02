package sim

// station is a unit that serves slots wavefronts at a time; others queue, the oldest first.
type station struct {
	slots   int      // free
	waiting []queued // a binary heap, oldest first: shared units have a hundred
}

// queued is a wavefront that waits for a unit.
type queued struct {
	place int32
	id    int // in the launch
}

// enqueue adds a wavefront to the queue.
func (u *station) enqueue(added queued) {
	u.waiting = append(u.waiting, added)
	i := len(u.waiting) - 1
	for i > 0 {
		up := (i - 1) / 2
		if u.waiting[up].id < added.id {
			break
		}
		u.waiting[i] = u.waiting[up]
		i = up
	}
	u.waiting[i] = added
}

// oldest removes the oldest wavefront from the queue and returns its place.
func (u *station) oldest() (place int32) {
	place = u.waiting[0].place
	last := len(u.waiting) - 1
	moved := u.waiting[last]
	u.waiting = u.waiting[:last]
	heap, i := u.waiting, 0
	for {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && heap[down+1].id < heap[down].id {
			down++
		}
		if moved.id < heap[down].id {
			break
		}
		heap[i] = heap[down]
		i = down
	}
	if last > 0 {
		heap[i] = moved
	}
	return place
}
