package lower

import (
	"slices"

	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/mir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// spanner computes live ranges in one backward walk over the structured program, and removes dead
// operations. During the walk a live range is a list of intervals, latest first. An interval reaches
// from a definition up to, not including, the last use. Item k of the program reads at 2k and writes
// at 2k+1, so that a result may take the place of an operand that ends there.
type spanner struct {
	l     *lowerer
	spans [][]regalloc.Span // by Val, latest first
	// end is the end of the open interval, by Val.
	end   []int32
	first []regalloc.Span // memory for two intervals of each value
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
func (l *lowerer) findSpans(body mir.Region) (mir.Region, [][]regalloc.Span) {
	n, m := len(l.vals), l.room
	m.spans, m.end, m.first, m.place = container.Zeros(m.spans, n), container.Zeros(m.end, n), container.Zeros(m.first,
		2*n), container.Zeros(m.place, n)
	s := &spanner{l: l, spans: m.spans, end: m.end, first: m.first, place: m.place}
	s.pos = 2*int32(countItems(body)) + 2
	body = s.region(body)
	for len(s.live) > 0 { // inputs
		s.closeInterval(s.live[0], 0)
	}
	for _, list := range s.spans {
		slices.Reverse(list)
		for i := range list {
			list[i].To-- // regalloc includes the end
		}
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
	s.addInterval(v, regalloc.Span{From: from, To: s.end[v]})
	i, last := s.place[v]-1, s.live[len(s.live)-1]
	s.live[i] = last
	s.place[last] = i + 1
	s.live = s.live[:len(s.live)-1]
	s.place[v] = 0
}

// addInterval adds an interval to the list of v, merged with the next one if they touch.
func (s *spanner) addInterval(v mir.Val, sp regalloc.Span) {
	if sp.From == sp.To {
		return
	}
	list := s.spans[v]
	if list == nil {
		list = s.first[2*v : 2*v : 2*v+2]
	}
	if n := len(list); n > 0 && list[n-1].From <= sp.To {
		list[n-1].From = sp.From
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
		s.addInterval(v, regalloc.Span{From: s.pos, To: s.end[v]})
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
		for len(list) > 0 && list[len(list)-1].To <= bottom {
			list = list[:len(list)-1]
		}
		if n := len(list); n > 0 && list[n-1].From < bottom {
			list[n-1].From = bottom
		}
		s.spans[v], s.end[v] = list, bottom
	}
}
