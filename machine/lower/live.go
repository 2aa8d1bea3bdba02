package lower

import (
	"slices"
	"sort"

	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// liveRange is a live interval: from a definition up to, not including, the last use. Item k of the
// program reads at 2k and writes at 2k+1, so that a result may take the place of an operand that
// ends there.
type liveRange struct{ from, to int32 }

// spanner computes live ranges in one backward walk over the structured program, and removes dead
// operations. A live range is a list of intervals, latest first.
type spanner struct {
	l     *lowerer
	spans [][]liveRange // by Val, latest first
	// end is the end of the open interval, by Val.
	end   []int32
	first []liveRange // memory for two intervals of each value
	live  []mir.Val
	// place is the index of a value in live plus one, 0 if it is dead: a set with constant-time
	// insertion and removal.
	place []int32
	// exits holds the values live after each enclosing loop, which a break makes live.
	exits [][]mir.Val
	pos   int32
}

// findSpans computes the live ranges of body in reused memory, and returns body without its dead
// items.
func (l *lowerer) findSpans(body mir.Region) (mir.Region, [][]liveRange) {
	n, m := len(l.vals), l.room
	m.spans, m.end, m.first, m.place = container.Zeros(m.spans, n), container.Zeros(m.end, n), container.Zeros(m.first,
		2*n), container.Zeros(m.place, n)
	s := &spanner{l: l, spans: m.spans, end: m.end, first: m.first, place: m.place}
	s.pos = 2*int32(countItems(body)) + 2
	body = s.region(body)
	for len(s.live) > 0 { // inputs
		s.closeInterval(s.live[0], 0)
	}
	return body, s.spans
}

func countItems(r mir.Region) (n int) {
	for _, it := range r {
		switch it := it.(type) {
		case *mir.If:
			n += countItems(it.Then) + countItems(it.Else)
		case *mir.Loop:
			n += countItems(it.Body)
		}
		n++
	}
	return n
}

// revive makes v live up to a position.
func (s *spanner) revive(v mir.Val, to int32) {
	if v != 0 && s.place[v] == 0 {
		s.live = append(s.live, v)
		s.place[v] = int32(len(s.live))
		s.end[v] = to
	}
}

// closeInterval closes the interval of v at its definition.
func (s *spanner) closeInterval(v mir.Val, from int32) {
	s.addInterval(v, liveRange{from, s.end[v]})
	i, last := s.place[v]-1, s.live[len(s.live)-1]
	s.live[i] = last
	s.place[last] = i + 1
	s.live = s.live[:len(s.live)-1]
	s.place[v] = 0
}

// addInterval adds an interval to the list of v, merged with the next one if they touch.
func (s *spanner) addInterval(v mir.Val, sp liveRange) {
	if sp.from == sp.to {
		return
	}
	list := s.spans[v]
	if list == nil {
		list = s.first[2*v : 2*v : 2*v+2]
	}
	if n := len(list); n > 0 && list[n-1].from <= sp.to {
		list[n-1].from = sp.from
		return
	}
	s.spans[v] = append(list, sp)
}

// closeAll closes the intervals of all live values, for code without fall-through, and returns the
// values.
func (s *spanner) closeAll() []mir.Val {
	old := append([]mir.Val(nil), s.live...)
	for _, v := range old {
		s.closeInterval(v, s.pos)
	}
	return old
}

func (s *spanner) revives(vals []mir.Val) {
	for _, v := range vals {
		s.revive(v, s.pos)
	}
}

// define reports whether v is live, and closes its interval if so.
func (s *spanner) define(v mir.Val) bool {
	if v == 0 || s.place[v] == 0 {
		return false
	}
	s.closeInterval(v, s.pos-1)
	return true
}

func (s *spanner) reviveUse(v mir.Val) { s.revive(v, s.pos-1) }

// region walks r and returns it without dead items.
func (s *spanner) region(r mir.Region) mir.Region {
	keep := len(r)
	for i := len(r) - 1; i >= 0; i-- {
		if s.walkItem(r[i]) {
			keep--
			r[keep] = r[i]
		}
	}
	return append(r[:0], r[keep:]...)
}

// walkItem walks one item and reports whether it stays. Arithmetic and fetches without a live result
// are removed, and so are branches with empty arms.
func (s *spanner) walkItem(it mir.Item) bool {
	switch it := it.(type) {
	case *mir.If:
		s.branch(it)
		if len(it.Then) == 0 && len(it.Else) == 0 {
			return false
		}
		mir.EachUse(it.Cond, s.reviveUse)
	case *mir.Loop:
		s.walkLoop(it)
		return true
	case *mir.Break:
		if it.Cond == nil {
			s.closeAll() // the values live after it are dead here
		}
		s.revives(s.exits[len(s.exits)-1])
		if it.Cond != nil {
			mir.EachUse(it.Cond, s.reviveUse)
		}
	case *copies:
		kept := 0
		for i := range it.dst {
			if s.define(it.dst[i]) {
				it.dst[kept], it.src[kept] = it.dst[i], it.src[i]
				kept++
			}
		}
		it.dst, it.src = it.dst[:kept], it.src[:kept]
		if kept == 0 {
			return false
		}
		for i := range it.src {
			s.reviveUse(it.src[i].Val)
			s.reviveUse(it.src[i].Rel)
		}
	default:
		if !s.results(it) {
			return false
		}
		mir.EachUse(it, s.reviveUse)
	}
	s.pos -= 2
	return true
}

// results removes the dead results of an item. It reports whether the item is needed: for a live
// result, for a side effect, or because it is kept unconditionally.
func (s *spanner) results(it mir.Item) bool {
	wanted := true
	drop := func(v *mir.Val) {
		if s.define(*v) {
			wanted = true
		} else {
			*v = 0
		}
	}
	switch it := it.(type) {
	case *mir.ALU:
		op := it.Slots[0].Op
		wanted = op.Kills() || it.Mem.Write || it.Slots[0].Dst != 0 && s.l.vals[it.Slots[0].Dst].whole
		for i := range it.Slots {
			drop(&it.Slots[i].Dst)
		}
	case *mir.Fetch:
		wanted = it.Mem.Write
		for i := range it.Dst {
			drop(&it.Dst[i])
		}
	}
	return wanted
}

// branch walks the arms of an if, each from the values live after it. The positions of the arms are
// consecutive, but only one arm executes. Values live at the start of either arm are live before
// the branch, and intervals of one arm do not extend into the other.
func (s *spanner) branch(it *mir.If) {
	after := append([]mir.Val(nil), s.live...)
	it.Else = s.region(it.Else)
	other := s.closeAll()
	s.revives(after)
	it.Then = s.region(it.Then)
	// Close the intervals of the first arm at its start. The values are live again before the
	// branch, from the start of the second arm's positions.
	for _, v := range s.live {
		s.addInterval(v, liveRange{s.pos, s.end[v]})
		s.end[v] = s.pos
	}
	s.revives(other)
}

// walkLoop walks a loop. A value from outside that is read within is live throughout, as the next trip
// reads it again. A parameter is live from its copy at the end of the body, at bottom, to the
// loop's top. One pass suffices because every other value across the back edge would be a
// parameter.
func (s *spanner) walkLoop(it *mir.Loop) {
	params := s.l.defined[it].params
	bottom := s.pos
	s.exits = append(s.exits, s.closeAll())
	s.revives(params)
	it.Body = s.region(it.Body)
	s.exits = s.exits[:len(s.exits)-1]
	carried := map[mir.Val]bool{}
	for _, p := range params {
		carried[p] = true
	}
	for _, v := range s.live {
		if carried[v] {
			continue
		}
		list := s.spans[v]
		for len(list) > 0 && list[len(list)-1].to <= bottom {
			list = list[:len(list)-1]
		}
		if n := len(list); n > 0 && list[n-1].from < bottom {
			list[n-1].from = bottom
		}
		s.spans[v], s.end[v] = list, bottom
	}
}

// few is a ratio of list lengths. Above it, binary search in the longer list for the intervals of
// the shorter one replaces merging. Values that thousands of branches pass on are united with one
// branch after the other, which would be quadratic.
const few = 8

// overlap reports whether two lists of intervals intersect.
func overlap(a, b []liveRange) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a) > few*len(b) {
		for _, sp := range b {
			if i := before(a, sp.to); i < len(a) && a[i].to > sp.from {
				return true
			}
		}
		return false
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if a[i].to <= b[j].from {
			j++ // lists run backwards: a[i] is entirely before b[j]
		} else if b[j].to <= a[i].from {
			i++
		} else {
			return true
		}
	}
	return false
}

// before returns the index of the first interval of a list, latest first, that begins before a
// moment.
func before(list []liveRange, at int32) int {
	return sort.Search(len(list), func(i int) bool { return list[i].from < at })
}

// united merges two disjoint lists of intervals. It may reuse their memory, or takes new memory.
func united(a, b []liveRange, memory *container.Slab[liveRange]) []liveRange {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a) > few*len(b) {
		for _, sp := range b {
			a = insertInterval(a, sp)
		}
		return a
	}
	out := memory.Alloc(len(a) + len(b))[:0]
	add := func(sp liveRange) {
		if n := len(out); n > 0 && out[n-1].from == sp.to {
			out[n-1].from = sp.from
			return
		}
		out = append(out, sp)
	}
	for len(a) > 0 && len(b) > 0 {
		if a[0].from > b[0].from {
			add(a[0])
			a = a[1:]
		} else {
			add(b[0])
			b = b[1:]
		}
	}
	for _, sp := range append(a, b...) {
		add(sp)
	}
	return out
}

// insertInterval inserts an interval into a list that is disjoint from it.
func insertInterval(list []liveRange, sp liveRange) []liveRange {
	i := before(list, sp.from)
	later, earlier := i > 0 && list[i-1].from == sp.to, i < len(list) && list[i].to == sp.from
	switch {
	case later && earlier:
		list[i-1].from = list[i].from
		return slices.Delete(list, i, i+1)
	case later:
		list[i-1].from = sp.from
		return list
	case earlier:
		list[i].to = sp.to
		return list
	}
	return slices.Insert(list, i, sp)
}
