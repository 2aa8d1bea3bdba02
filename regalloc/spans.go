package regalloc

// Overlap reports whether two sorted lists of intervals intersect. It walks the shorter list and
// searches the longer.
func Overlap(a, b []Span) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(b) == 0 || a[len(a)-1].To < b[0].From || b[len(b)-1].To < a[0].From {
		return false
	}
	for _, s := range b {
		a = a[ended(a, s.From):]
		if len(a) > 0 && a[0].From <= s.To {
			return true
		}
	}
	return false
}

// ended returns the number of intervals in a sorted list that end before at.
func ended(a []Span, at int32) int {
	low, high := 0, len(a)
	for low < high {
		if mid := (low + high) / 2; a[mid].To < at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// countEnded returns the same number as [ended] by a linear search, which is faster for few intervals.
func countEnded(a []Span, at int32) (n int) {
	for n < len(a) && a[n].To < at {
		n++
	}
	return n
}

// reserveSpans returns an empty list with capacity for n intervals, from a block that all lists share.
// Lists that were outgrown stay in the block.
func (w *Webs) reserveSpans(n int) []Span {
	if cap(w.spans)-len(w.spans) < n {
		w.spans = make([]Span, 0, max(2*cap(w.spans), n, 64))
	}
	from := len(w.spans)
	w.spans = w.spans[:from+n]
	return w.spans[from : from : from+n]
}

// Merge unites two sorted lists of disjoint intervals. ownA and ownB permit writing to a list; the
// second result reports whether the caller owns the result. The shorter list is inserted into the
// longer in place, so that a list that grows by one interval at a time is not copied each time. If
// there is no room, reserve returns an empty list with room for a number of intervals.
func Merge(a, b []Span, ownA, ownB bool, reserve func(int) []Span) ([]Span, bool) {
	if len(a) < len(b) {
		a, b, ownA = b, a, ownB
	}
	if len(b) == 0 {
		return a, ownA
	}
	last, n := len(a), len(a)+len(b)
	if !ownA || cap(a) < n {
		a = append(reserve(2*n), a...)
	}
	a = a[:n]
	for k := len(b) - 1; k >= 0; k-- { // from the end, where there is room
		i := ended(a[:last], b[k].From)
		copy(a[i+k+1:], a[i:last])
		a[i+k], last = b[k], i
	}
	return a, true
}
