package regalloc

// overlap reports whether sorted lists of spans meet. It walks the shorter list
// and searches the longer.
func overlap(a, b []Span) bool {
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

// ended is how many spans of a sorted list end before at.
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

// over is [ended] where that are few, by going through them.
func over(a []Span, at int32) (n int) {
	for n < len(a) && a[n].To < at {
		n++
	}
	return n
}

// room is an empty list with room for n spans, from a block that all lists share. Lists
// that were outgrown stay behind in it.
func (w *Webs) room(n int) []Span {
	if cap(w.spans)-len(w.spans) < n {
		w.spans = make([]Span, 0, max(2*cap(w.spans), n, 64))
	}
	from := len(w.spans)
	w.spans = w.spans[:from+n]
	return w.spans[from : from : from+n]
}

// merge unites two sorted lists of disjoint spans, of which it may write to those that are
// its caller's own; so is the result, if the last result says so. The shorter list is
// inserted into the longer in place, so that what gathers one span after the other is not
// copied for each.
func (w *Webs) merge(a, b []Span, ownA, ownB bool) ([]Span, bool) {
	if len(a) < len(b) {
		a, b, ownA = b, a, ownB
	}
	if len(b) == 0 {
		return a, ownA
	}
	last, n := len(a), len(a)+len(b)
	if !ownA || cap(a) < n {
		a = append(w.room(2*n), a...)
	}
	a = a[:n]
	for k := len(b) - 1; k >= 0; k-- { // from behind, where there is room
		i := ended(a[:last], b[k].From)
		copy(a[i+k+1:], a[i:last])
		a[i+k], last = b[k], i
	}
	return a, true
}
