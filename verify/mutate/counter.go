package mutate

import (
	"math"
	"strings"

	"github.com/shaderlift/shaderlift/asm/il"
)

// counter is an induction variable: a place that each trip of a loop raises by one, and the bound
// of a break that each trip comes to and that is taken from some count on. The bound is loop
// invariant. In AMD IL:
//
//	whileloop
//	  ige r1.x, r0.x, cb0[0].x    ; place r0.x, bound cb0[0].x
//	  break_logicalnz r1.x
//	  ...
//	  iadd r0.x, r0.x, l1.x       ; l1.x is the word 1
//	endloop
type counter struct {
	place string // of the integer that counts
	bound arg    // what it is compared with
	float bool   // it is compared as a float
}

// counters finds the counters of the loop between two statements, compared as signed integers or,
// after itof, as floats. It gives up on loops with a continue, an inner loop or a call: a step
// could be skipped or be made more than once.
func (f *flat) counters(from, end int) (list []counter) {
	sets := map[string]int{}
	for i := from + 1; i < end; i++ {
		switch f.units[i].role {
		case il.Continue, il.Loop, il.Call:
			return nil
		}
		for _, s := range f.units[i].sets {
			sets[s.to]++
		}
	}
	// Places that are raised by the word one exactly once on every trip, at the top level of the
	// body, and set nowhere else in the loop.
	steps := map[string]bool{}
	f.atTop(from, end, func(i int) {
		for _, s := range f.units[i].sets {
			if s.plain("iadd") && sets[s.to] == 1 && s.args[0].place == s.to && s.args[1].word == "00000001" {
				steps[s.to] = true
			}
		}
	})
	// Breaks whose condition the block before them computes as count >= bound, or as
	// not (count < bound). For floats the count is itof of the place.
	f.atTop(from, end, func(i int) {
		u := &f.units[i]
		if u.role != il.Break || len(u.reads) != 1 {
			return
		}
		k, test := f.setBefore(i, u.reads[0].place)
		if test == nil || len(test.args) != 2 {
			return
		}
		c := counter{place: test.args[0].place, bound: test.args[1], float: test.op == "ge" || test.op == "lt"}
		if c.float {
			_, count := f.setBefore(k, c.place)
			if count == nil || !count.plain("itof") {
				return
			}
			c.place = count.args[0].place
		}
		stays := true
		c.bound.places(func(p string) { stays = stays && sets[p] == 0 })
		from := (test.plain("ige") || test.plain("ge")) && u.flow == "break_logicalnz" || (test.plain("ilt") || test.plain("lt")) && u.flow == "break_logicalz"
		if from && stays && steps[c.place] {
			list = append(list, c)
		}
	})
	return list
}

// atTop calls g for the statements of a loop that every trip comes to unless it leaves.
func (f *flat) atTop(from, end int, g func(int)) {
	depth := 0
	for i := from + 1; i < end; i++ {
		switch f.units[i].role {
		case il.If, il.Switch:
			depth++
		case il.EndIf, il.EndSwitch:
			depth--
		default:
			if depth == 0 {
				g(i)
			}
		}
	}
}

// setBefore finds what sets a place in the block before a statement.
func (f *flat) setBefore(i int, place string) (int, *set) {
	for i--; i >= 0 && f.units[i].flow == ""; i-- {
		for k := range f.units[i].sets {
			if s := &f.units[i].sets[k]; s.to == place {
				return i, s
			}
		}
	}
	return -1, nil
}

// plain reports whether a place is always set to an operation on its arguments as they are.
func (s *set) plain(op string) bool {
	ok := s.op == op && s.when == nil && len(s.mods) == 0
	for i := range s.args {
		ok = ok && len(s.args[i].mods) == 0
	}
	return ok
}

// counts reports whether a loop ends because a counter of integers comes to a bound that is a
// literal or a register, unchanged in the loop. A counter that rises by one meets each signed value
// within 2^32 trips, the largest among them, which is not below any bound. Bounds that are read
// from buffers or memory are left out.
func (f *flat) counts(from, end int) bool {
	for _, c := range f.counters(from, end) {
		if !c.float && c.bound.by == nil {
			return true
		}
	}
	return false
}

// inRange notes where the counters of a loop lie at the beginning of its trips: start are the
// values of places before the loop, env those that stand for any trip. Claim: of a loop that is
// left by one break alone, count >= bound, a count that starts at first >= 0 lies between first
// and the largest integer. Induction over trips: a trip that does not break has count < bound
// <= 2^31-1, so that adding one does not wrap. Of floats, itof is monotonic: if the largest integer
// is not beyond the bound, no count is, and the break never happens; the loop does not end, and
// nothing behind it is to be compared.
func (w *walk) inRange(start, env map[string]int, from int) {
	f, end := w.f[0], w.nav[0].end[from]
	// Returns and discards are ways out that do not look at the count; a second break may be one.
	exits := 0
	for i := from + 1; i < end; i++ {
		switch f.units[i].role {
		case il.Break:
			exits++
		case il.Return:
			return
		}
		for _, s := range f.units[i].sets {
			if strings.HasPrefix(s.op, "discard") {
				return
			}
		}
	}
	if exits != 1 {
		return
	}
	for _, c := range f.counters(from, end) {
		if first := w.signedSpan(w.place(start, c.place)).from; first >= 0 {
			if w.counts == nil {
				w.counts = map[int]span{}
			}
			w.counts[env[c.place]] = span{first, math.MaxInt32}
		}
	}
}
