package regalloc

import (
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/internal/slab"
)

// Kind is what a point does to control flow.
type Kind uint8

// The kinds of points; see [Point] for what each uses and defines.
const (
	Plain Kind = iota
	If
	Else // uses: what the then side hands over
	EndIf
	Loop // defines the parameters, uses the arguments
	EndLoop
	Break // a conditional one: control may go past it
	Leave // an unconditional one
)

// Point is one statement. It reads Uses and then writes Defs, so a result may take
// the place of an operand.
// At Else and EndIf, Uses are what the side that ends there hands over, and the
// Defs of EndIf are the results. At Loop, Uses are the initial arguments and Defs
// the parameters; at EndLoop, Uses are the next parameters and Defs the results.
// A Break or Leave uses what it hands over.
type Point struct {
	Kind       Kind
	Uses, Defs []int32
}

// Code is a program in order. Values are dense numbers below NumValues.
type Code struct {
	Points    []Point
	NumValues int
	Start     bool           // what nothing defines is there from the start, else anywhere
	Budget    *budget.Budget // polled at every point
}

// Span is a stretch of the program in which a value occupies its place: point k reads
// at 2k and writes at 2k+1; both ends are included. So add r0, r0, r1 may take r0 for
// both: the operand ends at 2k, the result begins at 2k+1.
type Span struct{ From, To int32 }

// Live computes, for every value, the spans in which it is live, in order. A value
// defined but never used occupies its place at the definition, since it is written
// there. Between spans are holes: in the side of a branch that does not need it a value
// is not live, and another one may have its place.
func Live(c *Code) [][]Span { return new(Scratch).Live(c) }

// Scratch is memory that is used again: what its methods return is good until they are
// called again.
type Scratch struct {
	liveness liveness
	webs     Webs
}

// Live is [Live], in the memory of s.
func (s *Scratch) Live(c *Code) [][]Span {
	l := &s.liveness
	l.code, l.budget, l.log, l.live, l.saved = c, c.Budget.Poller(), l.log[:0], l.live[:0], l.saved[:0]
	l.place, l.end, l.mark = slab.Zeros(l.place, c.NumValues), slab.Zeros(l.end, c.NumValues), slab.Zeros(l.mark, c.NumValues)
	l.match = slab.Zeros(l.match, len(c.Points))
	l.marks = 0
	l.pair()
	l.back(0, len(c.Points))
	if c.Start {
		l.keep(nil, 0)
	}
	return l.sorted()
}

// liveness is a walk backwards. The values that are live are a list in no order, in
// which each knows its place (Briggs and Torczon, "An Efficient Representation for
// Sparse Sets", LOPLAS 2(1-4), 1993), so that to insert, to remove and to ask take
// constant time, and to save the set takes time for its members only.
type liveness struct {
	code   *Code
	budget budget.Poller
	log    []logged // the spans found, the last one first
	live   []int32
	place  []int32 // by value: 1 + where it is in live, 0 if it is not
	end    []int32 // of a live value: where its open span ends
	match  []int32 // Else, EndIf, EndLoop to the point that opened the side or loop
	saved  []int32 // sets that are needed later, one behind the other
	exits  []saved // of the loops around this point: what is live after them
	mark   []int32 // by value: the number of the last set of which it was marked to be in
	marks  int32

	byValue [][]Span // what the log becomes
	spans   []Span
	from    []int32
}

// saved is a set of values: from one place of liveness.saved to another.
type saved struct{ from, to int }

// logged is a span that was found, and whose.
type logged struct {
	v int32
	Span
}

// sorted is the log by value, in order: a counting sort, as the log has the last span
// first.
func (l *liveness) sorted() [][]Span {
	n := l.code.NumValues
	l.byValue, l.spans, l.from = slab.Zeros(l.byValue, n), slab.Zeros(l.spans, len(l.log)), slab.Zeros(l.from, n+1)
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

// pair matches the ends of constructs with what opened them: Else with If, EndIf with
// Else, EndLoop with Loop.
func (l *liveness) pair() {
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

// use makes v live from at backwards, if it is not already.
func (l *liveness) use(v, at int32) {
	if l.place[v] == 0 {
		l.live = append(l.live, v)
		l.place[v], l.end[v] = int32(len(l.live)), at
	}
}

// remove takes v out of what is live, and reports whether it was in there.
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

// close notes the span of v from at to where it was found live; def closes it at its
// definition.
func (l *liveness) close(v, at int32) { l.log = append(l.log, logged{v, Span{at, l.end[v]}}) }

func (l *liveness) def(v, at int32) {
	if l.remove(v) {
		l.close(v, at)
	} else {
		l.log = append(l.log, logged{v, Span{at, at}})
	}
}

// save keeps what is live now. Sets are given back, by cutting saved, in reverse order.
func (l *liveness) save() saved {
	from := len(l.saved)
	l.saved = append(l.saved, l.live...)
	return saved{from, len(l.saved)}
}

// set is a saved set, good until it is given back.
func (l *liveness) set(s saved) []int32 { return l.saved[s.from:s.to] }

// keep ends at a point all that is live after it and not in set.
func (l *liveness) keep(set []int32, at int32) {
	l.marks++
	for _, v := range set {
		l.mark[v] = l.marks
	}
	for k := len(l.live) - 1; k >= 0; k-- { // what takes the place of one that goes was here before
		if v := l.live[k]; l.mark[v] != l.marks {
			l.close(v, at)
			l.remove(v)
		}
	}
}

// uses makes all of set live from a point backwards.
func (l *liveness) uses(set []int32, at int32) {
	for _, v := range set {
		l.use(v, at)
	}
}

// point handles defs and then uses of point i.
func (l *liveness) point(i int) {
	p := &l.code.Points[i]
	for _, v := range p.Defs {
		l.def(v, int32(2*i+1))
	}
	for _, v := range p.Uses {
		l.use(v, int32(2*i))
	}
}

// back walks points [from, to) backwards.
func (l *liveness) back(from, to int) {
	for i := to - 1; i >= from; i-- {
		l.budget.Poll()
		switch l.code.Points[i].Kind {
		case EndIf:
			i = l.ifs(i)
		case EndLoop:
			i = l.loop(i)
		// Behind an unconditional break nothing follows: what is live before it is what
		// is live after the loop.
		case Leave:
			exit := l.set(l.exits[len(l.exits)-1])
			l.keep(exit, int32(2*i+1))
			l.uses(exit, int32(2*i+1))
			l.point(i)
		default:
			l.point(i)
		}
	}
}

// ifs walks a conditional that ends at point end and returns where it begins.
func (l *liveness) ifs(end int) int {
	mid := int(l.match[end])
	begin := int(l.match[mid])
	p := &l.code.Points[end]
	for _, v := range p.Defs {
		l.def(v, int32(2*end+1))
	}
	after := l.save()
	for _, v := range p.Uses {
		l.use(v, int32(2*end))
	}
	l.back(mid+1, end)
	// The then side ends where the conditional does: what only the else side needs is
	// not live there, and what the else side does not need because it leaves is.
	needs := l.save()
	l.keep(l.set(after), int32(2*mid+1))
	l.uses(l.set(after), int32(2*mid))
	for _, v := range l.code.Points[mid].Uses {
		l.use(v, int32(2*mid))
	}
	l.back(begin+1, mid)
	l.uses(l.set(needs), int32(2*begin+1))
	l.saved = l.saved[:after.from]
	l.point(begin)
	return begin
}

// loop walks a loop that ends at point end and returns where it begins. What the body
// reads from outside is live all through it, since a later trip reads it again; so
// those values are found first, by one look at all points of the body, and no iteration
// is needed. Nested loops look at their points again: the cost is the depth of nesting.
func (l *liveness) loop(end int) int {
	begin := int(l.match[end])
	p := &l.code.Points[end]
	for _, v := range p.Defs {
		l.def(v, int32(2*end+1))
	}
	exit := l.save()
	l.exits = append(l.exits, exit)
	// What the body itself defines is new on every trip.
	l.marks++
	for i := begin; i <= end; i++ {
		for _, v := range l.code.Points[i].Defs {
			l.mark[v] = l.marks
		}
	}
	for i := begin + 1; i <= end; i++ {
		for _, v := range l.code.Points[i].Uses {
			if l.mark[v] != l.marks {
				l.use(v, int32(2*end+1))
			}
		}
	}
	for _, v := range p.Uses {
		l.use(v, int32(2*end))
	}
	l.back(begin+1, end)
	l.exits = l.exits[:len(l.exits)-1]
	l.saved = l.saved[:exit.from]
	l.point(begin)
	return begin
}
