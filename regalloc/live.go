package regalloc

import (
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/container"
)

// Kind is the effect of a point on control flow.
type Kind uint8

// The kinds of points; see [Point] for their uses and definitions.
const (
	Plain Kind = iota
	If
	Else // uses: the values that the then side passes on
	EndIf
	Loop // defines the parameters, uses the arguments
	EndLoop
	Break // a conditional one: control may go past it
	Leave // an unconditional one
)

// Point is one statement. It reads Uses and then writes Defs, so a result may take the place of an
// operand. At Else and EndIf, Uses are the values that the ending side passes on, and the Defs of
// EndIf are the results. At Loop, Uses are the initial arguments and Defs the parameters; at
// EndLoop, Uses are the next parameters and Defs the results. A Break or Leave uses the values that
// it passes on.
type Point struct {
	Kind       Kind
	Uses, Defs []int32
}

// Code is a program in order. Values are dense numbers below NumValues.
type Code struct {
	Points    []Point
	NumValues int
	Start     bool           // undefined values are live from the start, else never
	Budget    *budget.Budget // polled at every point
}

// Span is a live interval: point k reads at 2k and writes at 2k+1, and both ends are included. For
// example, add r0, r0, r1 may use r0 for both operand and result: the operand ends at 2k, and the
// result begins at 2k+1.
type Span struct{ From, To int32 }

// LiveIntervals computes the live intervals of every value, in order. A value that is defined but never used
// occupies its place at the definition, since it is written there. Between intervals are holes. A
// value is dead in a side of a branch that does not need it, and another value may take its place.
func LiveIntervals(c *Code) [][]Span { return new(Scratch).LiveIntervals(c) }

// Scratch is reusable memory. The results of its methods are valid until the next call.
type Scratch struct {
	liveness liveness
	webs     Webs
}

// LiveIntervals computes live intervals as the function [LiveIntervals], in the memory of s.
func (s *Scratch) LiveIntervals(c *Code) [][]Span {
	l := &s.liveness
	l.code, l.budget, l.log, l.live, l.saved = c, c.Budget.Poller(), l.log[:0], l.live[:0], l.saved[:0]
	l.place, l.end, l.mark = container.Zeros(l.place, c.NumValues), container.Zeros(l.end, c.NumValues), container.Zeros(l.mark,
		c.NumValues)
	l.match = container.Zeros(l.match, len(c.Points))
	l.marks = 0
	l.matchBlocks()
	l.walkBackwards(0, len(c.Points))
	if c.Start {
		l.retainOnly(nil, 0)
	}
	return l.sorted()
}

// liveness is a backward walk. The live set is a sparse set: an unordered list in which each value
// knows its index (Briggs and Torczon, "An Efficient Representation for Sparse Sets", LOPLAS
// 2(1-4), 1993). Insertion, removal and lookup take constant time, and saving the set takes time
// linear in its members.
type liveness struct {
	code   *Code
	budget budget.Poller
	log    []logged // the intervals found, the last one first
	live   []int32
	place  []int32 // by value: 1 + its index in live, 0 if it is not live
	end    []int32 // of a live value: the end of its open interval
	match  []int32 // Else, EndIf, EndLoop to the point that opened the side or loop
	saved  []int32 // saved sets that are needed later, as a stack
	exits  []saved // the values live after each enclosing loop
	mark   []int32 // by value: the number of the last set that marked it as a member
	marks  int32

	byValue [][]Span // the log, sorted by value
	spans   []Span
	from    []int32
}

// saved is a saved set: a range of liveness.saved.
type saved struct{ from, to int }

// logged is a live interval with its value.
type logged struct {
	v int32
	Span
}

// sorted returns the log by value, in order. It is a counting sort, as the log has the last
// interval first.
func (l *liveness) sorted() [][]Span {
	n := l.code.NumValues
	l.byValue, l.spans, l.from = container.Zeros(l.byValue, n), container.Zeros(l.spans, len(l.log)), container.Zeros(l.from, n+1)
	for _, x := range l.log {
		l.from[x.v+1]++
	}
	for v := range n {
		l.from[v+1] += l.from[v]
		if from, to := l.from[v], l.from[v+1]; from < to {
			l.byValue[v] = l.spans[from:to:to]
		}
	}
	for k := len(l.log) - 1; k >= 0; k-- {
		x := &l.log[k]
		l.spans[l.from[x.v]] = x.Span
		l.from[x.v]++
	}
	return l.byValue
}

// matchBlocks matches the end of each construct with its beginning: Else with If, EndIf with Else, EndLoop
// with Loop.
func (l *liveness) matchBlocks() {
	var stack []int32
	for i := range l.code.Points {
		switch l.code.Points[i].Kind {
		case If, Loop:
			stack = append(stack, int32(i))
		case Else:
			l.match[i] = stack[len(stack)-1]
			stack[len(stack)-1] = int32(i)
		case EndIf, EndLoop:
			l.match[i] = stack[len(stack)-1]
			stack = stack[:len(stack)-1]
		}
	}
}

// markLive makes v live from at backwards, if it is not live already.
func (l *liveness) markLive(v, at int32) {
	if l.place[v] == 0 {
		l.live = append(l.live, v)
		l.place[v], l.end[v] = int32(len(l.live)), at
	}
}

// remove removes v from the live set, and reports whether it was a member.
func (l *liveness) remove(v int32) bool {
	at := l.place[v]
	if at == 0 {
		return false
	}
	n := len(l.live) - 1
	last := l.live[n]
	l.live[at-1], l.place[last] = last, at
	l.live, l.place[v] = l.live[:n], 0
	return true
}

// close logs the interval of v from at to its end; def closes it at the definition.
func (l *liveness) close(v, at int32) { l.log = append(l.log, logged{v, Span{at, l.end[v]}}) }

func (l *liveness) def(v, at int32) {
	if l.remove(v) {
		l.close(v, at)
	} else {
		l.log = append(l.log, logged{v, Span{at, at}})
	}
}

// saveLive saves the live set. Sets are released in reverse order, by truncating saved.
func (l *liveness) saveLive() saved {
	from := len(l.saved)
	l.saved = append(l.saved, l.live...)
	return saved{from, len(l.saved)}
}

// savedSet returns a saved set, valid until it is released.
func (l *liveness) savedSet(s saved) []int32 { return l.saved[s.from:s.to] }

// retainOnly ends at a point all values that are live after it and not in set.
func (l *liveness) retainOnly(set []int32, at int32) {
	l.marks++
	for _, v := range set {
		l.mark[v] = l.marks
	}
	for k := len(l.live) - 1; k >= 0; k-- { // backwards: remove moves only elements already visited
		if v := l.live[k]; l.mark[v] != l.marks {
			l.close(v, at)
			l.remove(v)
		}
	}
}

// markAllLive makes all values of set live from a point backwards.
func (l *liveness) markAllLive(set []int32, at int32) {
	for _, v := range set {
		l.markLive(v, at)
	}
}

// point processes the defs and then the uses of point i.
func (l *liveness) point(i int) {
	p := &l.code.Points[i]
	for _, v := range p.Defs {
		l.def(v, int32(2*i+1))
	}
	for _, v := range p.Uses {
		l.markLive(v, int32(2*i))
	}
}

// walkBackwards walks points [from, to) backwards.
func (l *liveness) walkBackwards(from, to int) {
	for i := to - 1; i >= from; i-- {
		l.budget.Poll()
		switch l.code.Points[i].Kind {
		case EndIf:
			i = l.walkIf(i)
		case EndLoop:
			i = l.walkLoop(i)
		// An unconditional break has no successor in the body: the values live before it are those
		// live after the loop.
		case Leave:
			exit := l.savedSet(l.exits[len(l.exits)-1])
			l.retainOnly(exit, int32(2*i+1))
			l.markAllLive(exit, int32(2*i+1))
			l.point(i)
		default:
			l.point(i)
		}
	}
}

// walkIf walks a conditional that ends at point end and returns its first point.
func (l *liveness) walkIf(end int) int {
	mid := int(l.match[end])
	begin := int(l.match[mid])
	p := &l.code.Points[end]
	for _, v := range p.Defs {
		l.def(v, int32(2*end+1))
	}
	after := l.saveLive()
	for _, v := range p.Uses {
		l.markLive(v, int32(2*end))
	}
	l.walkBackwards(mid+1, end)
	// The then side ends where the conditional ends. Values that only the else side needs are dead
	// there. Values that the else side does not need, because it leaves the loop, are live.
	needs := l.saveLive()
	l.retainOnly(l.savedSet(after), int32(2*mid+1))
	l.markAllLive(l.savedSet(after), int32(2*mid))
	for _, v := range l.code.Points[mid].Uses {
		l.markLive(v, int32(2*mid))
	}
	l.walkBackwards(begin+1, mid)
	l.markAllLive(l.savedSet(needs), int32(2*begin+1))
	l.saved = l.saved[:after.from]
	l.point(begin)
	return begin
}

// walkLoop walks a loop that ends at point end and returns its first point. Values that the body reads
// from outside are live throughout the body, since a later trip reads them again. One scan of the
// body finds these values first, so no iteration is needed. Nested loops are scanned again: the
// cost is proportional to the nesting depth.
func (l *liveness) walkLoop(end int) int {
	begin := int(l.match[end])
	p := &l.code.Points[end]
	for _, v := range p.Defs {
		l.def(v, int32(2*end+1))
	}
	exit := l.saveLive()
	l.exits = append(l.exits, exit)
	// Values that the body defines are new on every trip.
	l.marks++
	for i := begin; i <= end; i++ {
		for _, v := range l.code.Points[i].Defs {
			l.mark[v] = l.marks
		}
	}
	for i := begin + 1; i <= end; i++ {
		for _, v := range l.code.Points[i].Uses {
			if l.mark[v] != l.marks {
				l.markLive(v, int32(2*end+1))
			}
		}
	}
	for _, v := range p.Uses {
		l.markLive(v, int32(2*end))
	}
	l.walkBackwards(begin+1, end)
	l.exits = l.exits[:len(l.exits)-1]
	l.saved = l.saved[:exit.from]
	l.point(begin)
	return begin
}
