package regalloc

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// structured generates random structured programs in single assignment form, in which every value
// is defined before its uses.
type structured struct {
	r     *rand.Rand
	c     Code
	scope []int32 // values that may be used here
	loops []int   // number of results of each enclosing loop
}

func (s *structured) value() int32 {
	s.c.NumValues++
	return int32(s.c.NumValues - 1)
}

func (s *structured) values(n int) (list []int32) {
	for range n {
		list = append(list, s.value())
	}
	return list
}

// some returns n random values in scope, or none if there are none.
func (s *structured) some(n int) (list []int32) {
	for range n {
		if len(s.scope) > 0 {
			list = append(list, s.scope[s.r.IntN(len(s.scope))])
		}
	}
	return list
}

func (s *structured) add(p Point) { s.c.Points = append(s.c.Points, p) }

func (s *structured) block(depth, n int) {
	for range n {
		switch k := s.r.IntN(10); {
		case k == 0 && depth > 0:
			s.conditional(depth)
		case k == 1 && depth > 0:
			s.loop(depth)
		case k == 2 && len(s.loops) > 0:
			s.add(Point{Kind: Break, Uses: s.some(s.loops[len(s.loops)-1])})
		default:
			p := Point{Uses: s.some(s.r.IntN(4)), Defs: s.values(s.r.IntN(3))}
			s.add(p)
			s.scope = append(s.scope, p.Defs...)
		}
	}
}

// side generates a block that ends the scope of its values. It passes some of them on, or leaves
// the enclosing loop (not on both sides of a conditional: nothing could follow).
func (s *structured) side(depth, handed int, leaves bool, end Point) {
	mark := len(s.scope)
	s.block(depth-1, s.r.IntN(5))
	if n := len(s.loops); n > 0 && leaves {
		s.add(Point{Kind: Leave, Uses: s.some(s.loops[n-1])})
	} else {
		end.Uses = s.some(handed)
	}
	s.add(end)
	s.scope = s.scope[:mark]
}

func (s *structured) conditional(depth int) {
	n := s.r.IntN(3)
	s.add(Point{Kind: If, Uses: s.some(1)})
	leaver := s.r.IntN(5)
	s.side(depth, n, leaver == 0, Point{Kind: Else})
	results := s.values(n)
	s.side(depth, n, leaver == 1, Point{Kind: EndIf, Defs: results})
	s.scope = append(s.scope, results...)
}

func (s *structured) loop(depth int) {
	n := s.r.IntN(3)
	params, results := s.values(n), s.values(n)
	s.add(Point{Kind: Loop, Uses: s.some(n), Defs: params})
	s.loops = append(s.loops, n)
	mark := len(s.scope)
	s.scope = append(s.scope, params...)
	s.block(depth-1, 1+s.r.IntN(5))
	s.add(Point{Kind: EndLoop, Uses: s.some(n), Defs: results})
	s.scope = append(s.scope[:mark], results...)
	s.loops = s.loops[:len(s.loops)-1]
}

// occupied computes liveness by textbook dataflow, over the instants 2k (point k reads) and 2k+1
// (it writes). v is live if some path leads to a use without a definition in between, and it
// occupies its place at its definition too.
func occupied(c *Code) [][]bool {
	n := 2 * len(c.Points)
	next := make([][]int, n)
	edge := func(a, b int) {
		if b < n {
			next[a] = append(next[a], b)
		}
	}
	type block struct{ open, mid int }
	var stack []block
	exits := map[int][]int{} // of a Loop: the instants that leave it
	for k, p := range c.Points {
		read, write := 2*k, 2*k+1
		switch p.Kind {
		case Plain:
			edge(read, write)
			edge(write, write+1)
		case If:
			stack = append(stack, block{open: k})
			edge(read, write)
			edge(write, write+1)
		case Else: // the then side ends with its reads, the else side begins with its write
			b := &stack[len(stack)-1]
			b.mid = k
			edge(2*b.open+1, write)
			edge(write, write+1)
		case EndIf:
			b := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			edge(2*b.mid, write)
			edge(read, write)
			edge(write, write+1)
		case Loop:
			stack = append(stack, block{open: k, mid: -1})
			edge(read, write)
			edge(write, write+1)
			exits[k] = append(exits[k], read) // it may make no trips
		case EndLoop:
			b := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			edge(read, 2*b.open+1)
			for _, from := range append(exits[b.open], read) {
				edge(from, write)
			}
			edge(write, write+1)
		case Break, Leave:
			for i := len(stack) - 1; i >= 0; i-- {
				if stack[i].mid == -1 {
					exits[stack[i].open] = append(exits[stack[i].open], read)
					break
				}
			}
			if p.Kind == Break {
				edge(read, write)
			}
			edge(write, write+1)
		}
	}
	at := make([][]bool, c.NumValues)
	for v := range at {
		live := make([]bool, n)
		defines := func(t int) bool { return t%2 == 1 && slices.Contains(c.Points[t/2].Defs, int32(v)) }
		for changed := true; changed; {
			changed = false
			for t := n - 1; t >= 0; t-- {
				l := t%2 == 0 && slices.Contains(c.Points[t/2].Uses, int32(v))
				for _, s := range next[t] {
					l = l || live[s] && !defines(s)
				}
				changed = changed || l != live[t]
				live[t] = l
			}
		}
		for t := range live {
			live[t] = live[t] || defines(t)
		}
		at[v] = live
	}
	return at
}

func TestLiveAgainstDataflow(t *testing.T) {
	holes := 0
	for seed := range uint64(3000) {
		s := structured{r: rand.New(rand.NewPCG(seed, 1))}
		s.block(3, 3+int(seed%12))
		want := occupied(&s.c)
		ends := map[int]bool{} // the instants at which loops end
		for k, p := range s.c.Points {
			if p.Kind == EndLoop {
				ends[2*k+1] = true
			}
		}
		for v, spans := range LiveIntervals(&s.c) {
			got := make([]bool, 2*len(s.c.Points))
			last := int32(-1)
			for i, x := range spans {
				if x.From > x.To || x.From <= last {
					t.Fatalf("seed %d: spans of %d are not in order: %v", seed, v, spans)
				}
				if i > 0 && x.From > last+1 {
					holes++
				}
				last = x.To
				for k := x.From; k <= x.To; k++ {
					got[k] = true
				}
			}
			for k := range got {
				// A value that a loop body reads from outside may be held until the very end of the
				// body.
				if got[k] != want[v][k] && !(got[k] && ends[k]) {
					t.Fatalf("seed %d: value %d at %d: live is %v, not %v\n%+v", seed, v, k, got[k], want[v][k], s.c.Points)
				}
			}
		}
	}
	if holes == 0 {
		t.Error("no live range had a hole")
	}
}

// TestLiveStart checks that a value that only one side of a conditional needs is dead in the other.
// A value without a definition is live from the start, except where it is not needed.
func TestLiveStart(t *testing.T) {
	got := LiveIntervals(&Code{NumValues: 3, Start: true, Points: []Point{
		{Defs: []int32{0}},
		{Kind: If},
		{Defs: []int32{1}},
		{Kind: Else, Uses: []int32{1}},
		{Kind: EndIf, Uses: []int32{2}, Defs: []int32{0}},
	}})
	if want := []Span{{0, 3}, {7, 8}}; !slices.Equal(got[2], want) {
		t.Errorf("live in %v, not in %v", got[2], want)
	}
}

func TestLiveHole(t *testing.T) {
	c := Code{NumValues: 2, Points: []Point{
		0: {Defs: []int32{0}},
		1: {Kind: If},
		2: {Defs: []int32{1}},
		3: {Uses: []int32{1}},
		4: {Kind: Else},
		5: {Uses: []int32{0}},
		6: {Kind: EndIf},
	}}
	live := LiveIntervals(&c)
	if want := []Span{{1, 3}, {9, 10}}; !slices.Equal(live[0], want) {
		t.Errorf("value 0: %v, not %v", live[0], want)
	}
	if Overlap(live[0], live[1]) {
		t.Errorf("%v and %v meet", live[0], live[1])
	}
}

// TestLiveLeave checks that a value that only the rest of the body needs is dead on the way out of
// a loop.
func TestLiveLeave(t *testing.T) {
	c := Code{NumValues: 4, Points: []Point{
		0: {Defs: []int32{0}},
		1: {Kind: Loop, Uses: []int32{0}, Defs: []int32{1}},
		2: {Kind: If},
		3: {Defs: []int32{2}},
		4: {Kind: Leave, Uses: []int32{2}},
		5: {Kind: Else},
		6: {Kind: EndIf},
		7: {Kind: EndLoop, Uses: []int32{1}, Defs: []int32{3}},
		8: {Uses: []int32{3}},
	}}
	live := LiveIntervals(&c)
	if Overlap(live[1], live[2]) {
		t.Errorf("the parameter (%v) and what replaces it on leaving (%v) meet", live[1], live[2])
	}
}
