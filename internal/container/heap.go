package container

// Heap is a binary heap, the smallest key first.
type Heap []entry

type entry struct {
	key     int64
	element int32
}

// First returns the element with the smallest key.
func (h Heap) First() int32 { return h[0].element }

// Push adds an element.
func (h *Heap) Push(key int64, element int32) {
	s := append(*h, entry{})
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if s[up].key <= key {
			break
		}
		s[i] = s[up]
		i = up
	}
	s[i] = entry{key, element}
	*h = s
}

// Pop removes and returns the element with the smallest key.
func (h *Heap) Pop() int32 {
	s, last := *h, len(*h)-1
	top, moved := s[0].element, s[last]
	s = s[:last]
	*h = s
	i := 0
	for {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && s[down+1].key < s[down].key {
			down++
		}
		if moved.key <= s[down].key {
			break
		}
		s[i] = s[down]
		i = down
	}
	if last > 0 {
		s[i] = moved
	}
	return top
}
