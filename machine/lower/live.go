package lower

import (
	"slices"
	"sort"

	"github.com/shaderlift/shaderlift/internal/slab"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// liveRange is a part of a live range: from a definition up to, not including, the last use. Item k of
// the program reads at 2k and writes at 2k+1, so that a result may take the place of an operand
// that ends there.
type liveRange struct{ from, to int32 }

// spanner computes live ranges in one backward walk over the structured program, and drops
// operations whose results nothing reads. A range is a list of spans, latest first.
type spanner struct {
	l     *lowerer
	spans [][]liveRange // by Val, the last one first
	// end is where the span being built ends, by Val.
	end   []int32
	first []liveRange // memory for two of each value
	live  []mir.Val
	// place is the index of a value in live plus one, 0 if it is dead: a set with constant-time
	// insertion and removal.
	place []int32
	// exits are the values live behind each enclosing loop, which a break makes live.
	exits [][]mir.Val
	pos   int32
}

// findSpans computes the live ranges of body, in the memory of the last ones, and returns what is
// left of it.
func (l *lowerer) findSpans(body mir.Region) (mir.Region, [][]liveRange) {
	n, m := len(l.vals), l.room
	m.spans, m.end, m.first, m.place = slab.Zeros(m.spans, n), slab.Zeros(m.end, n), slab.Zeros(m.first, 2*n), slab.Zeros(m.place, n)
	s := &spanner{l: l, spans: m.spans, end: m.end, first: m.first, place: m.place}
	s.pos = 2*int32(countItems(body)) + 2
	body = s.region(body)
	for len(s.live) > 0 { // inputs
		s.kill(s.live[0], 0)
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

// revive makes v alive up to a position.
func (s *spanner) revive(v mir.Val, to int32) {
	if v != 0 && s.place[v] == 0 {
		s.live = append(s.live, v)
		s.place[v] = int32(len(s.live))
		s.end[v] = to
	}
}

// kill closes the span of v: going backwards, its definition has been reached.
func (s *spanner) kill(v mir.Val, from int32) {
	s.note(v, liveRange{from, s.end[v]})
	i, last := s.place[v]-1, s.live[len(s.live)-1]
	s.live[i] = last
	s.place[last] = i + 1
	s.live = s.live[:len(s.live)-1]
	s.place[v] = 0
}

// note adds a span to the list of v, joined with the next one if they touch.
func (s *spanner) note(v mir.Val, sp liveRange) {
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

// all closes the spans of everything alive, for code that cannot be fallen into, and returns what
// it was.
func (s *spanner) all() []mir.Val {
	old := append([]mir.Val(nil), s.live...)
	for _, v := range old {
		s.kill(v, s.pos)
	}
	return old
}

func (s *spanner) revives(vals []mir.Val) {
	for _, v := range vals {
		s.revive(v, s.pos)
	}
}

// define reports whether v is alive, and closes its span if so.
func (s *spanner) define(v mir.Val) bool {
	if v == 0 || s.place[v] == 0 {
		return false
	}
	s.kill(v, s.pos-1)
	return true
}

func (s *spanner) use(v mir.Val) { s.revive(v, s.pos-1) }

// region walks r and returns what is left.
func (s *spanner) region(r mir.Region) mir.Region {
	keep := len(r)
	for i := len(r) - 1; i >= 0; i-- {
		if s.item(r[i]) {
			keep--
			r[keep] = r[i]
		}
	}
	return append(r[:0], r[keep:]...)
}

// item walks one item and reports whether it stays: arithmetic and fetches without a live result
// are dropped, as are branches with empty arms.
func (s *spanner) item(it mir.Item) bool {
	switch it := it.(type) {
	case *mir.If:
		s.branch(it)
		if len(it.Then) == 0 && len(it.Else) == 0 {
			return false
		}
		mir.EachUse(it.Cond, s.use)
	case *mir.Loop:
		s.loop(it)
		return true
	case *mir.Break:
		if it.Cond == nil {
			s.all() // what follows is alive there, not here
		}
		s.revives(s.exits[len(s.exits)-1])
		if it.Cond != nil {
			mir.EachUse(it.Cond, s.use)
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
			s.use(it.src[i].Val)
			s.use(it.src[i].Rel)
		}
	default:
		if !s.results(it) {
			return false
		}
		mir.EachUse(it, s.use)
	}
	s.pos -= 2
	return true
}

// results drops the results of an item that nothing reads. It reports whether the item is needed:
// for a live result, a side effect, or because its value is made anyway.
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

// branch walks the arms of an if, each from what is alive behind it. Positions of the two arms
// follow each other, but at run time only one is executed: what is alive at the start of either is
// alive in front, and spans of one arm do not reach into the other.
func (s *spanner) branch(it *mir.If) {
	after := append([]mir.Val(nil), s.live...)
	it.Else = s.region(it.Else)
	other := s.all()
	s.revives(after)
	it.Then = s.region(it.Then)
	// Close the spans of the first arm where it starts; the value is alive again in front of the
	// branch, from the start of the second arm's positions.
	for _, v := range s.live {
		s.note(v, liveRange{s.pos, s.end[v]})
		s.end[v] = s.pos
	}
	s.revives(other)
}

// loop walks a loop. A value from outside that is read within is alive throughout, as the next trip
// reads it again; a parameter is alive from its copy at the end of the body, at bottom, to the
// loop's top. One pass is enough because everything else that crosses the back edge would be a
// parameter.
func (s *spanner) loop(it *mir.Loop) {
	params := s.l.defined[it].params
	bottom := s.pos
	s.exits = append(s.exits, s.all())
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

// few: where one list of spans is so many times longer than the other, the short one is looked up
// in it by binary search instead of merging both. Values that thousands of branches hand on are
// united with one branch after the other, which would be quadratic.
const few = 8

// overlap reports whether two lists of spans have a moment in common.
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
			j++ // lists run backwards: a is all before b here
		} else if b[j].to <= a[i].from {
			i++
		} else {
			return true
		}
	}
	return false
}

// before is the first span of a list, which runs backwards, that begins before a moment.
func before(list []liveRange, at int32) int {
	return sort.Search(len(list), func(i int) bool { return list[i].from < at })
}

// united merges two lists of spans that do not overlap. It may take their places, or else memory.
func united(a, b []liveRange, memory *slab.Slab[liveRange]) []liveRange {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a) > few*len(b) {
		for _, sp := range b {
			a = with(a, sp)
		}
		return a
	}
	out := memory.Take(len(a) + len(b))[:0]
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

// with puts a span into a list that it does not overlap with.
func with(list []liveRange, sp liveRange) []liveRange {
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
