package mutate

import (
	"math"
	"strings"

	"github.com/shaderlift/shaderlift/asm/il"
)

// counter is a place that each trip of a loop counts up by one, and a break that each trip comes
// to and that is taken from some count on: what it is compared with stays as it is.
type counter struct {
	place string
	bound arg
	float bool // it is compared as a float
}

// counters finds those of the loop between two statements. Counts are integers with a sign.
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
	steps := map[string]bool{}
	f.atTop(from, end, func(i int) {
		for _, s := range f.units[i].sets {
			if s.plain("iadd") && sets[s.to] == 1 && s.args[0].place == s.to && s.args[1].word == "00000001" {
				steps[s.to] = true
			}
		}
	})
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

// counts reports whether a loop ends because a counter of integers comes to a literal or a register.
func (f *flat) counts(from, end int) bool {
	for _, c := range f.counters(from, end) {
		if !c.float && c.bound.by == nil {
			return true
		}
	}
	return false
}

// inRange notes where the counters of a loop lie at the beginning of its trips, env having their
// values there and start those before the loop. Of a loop with no other way out a count from
// zero on never wraps: as long as it does not decrease, neither does it leave the side of the
// bound that it is on, so that what is not left by the largest count is not left at all.
func (w *walk) inRange(start, env map[string]int, from int) {
	f, end := w.f[0], w.nav[0].end[from]
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
