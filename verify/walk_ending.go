package verify

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// What after does has to come to an end wherever what before does ends: a proof of equal results is
// one of partial correctness, and a rewrite that turns a loop into an endless one would pass it. A
// loop that a register counts ends by itself (Direct3D 9 allows 255 trips), and so does one that is
// executed trip by trip or whose trips are bounded by literals (see bounded). Of all others it
// is noted what makes them end, and each of those of after has to have one of before that makes as
// many trips, and that is entered wherever it is. The same is asked of barriers, which end where
// all invocations of a group meet them: those of after are met under the same conditions as some of
// before.
//
// A loop that only before has may go. Where it would not have ended, there is nothing that after has
// to compute: a launch that does not end gives no result.

// ending is a loop that may not end, or a barrier.
type ending[T any] struct {
	// trips tells how often a loop runs, that of a loop within another one on all trips of
	// that one. Equal values are equal functions of the input.
	trips T
	gate  T   // where it is entered
	kills int // how many of the conditions on which invocations are dropped come before
}

// endsBy notes that how often a loop runs, which invocations enter under the condition entered, is
// told by trips. kills is how many drops came before the loop: an invocation that was dropped does
// not go round it.
func (w *walker[T]) endsBy(trips, entered T, kills int) {
	w.endings = append(w.endings, ending[T]{w.during(0, trips, kills), entered, kills})
}

// barrier notes a barrier. Invocations that do not meet it keep the others waiting.
func (w *walker[T]) barrier(in *ir.Instr) {
	if !w.prog.waits(in) {
		return
	}
	w.args = append(w.args[:0], w.gate)
	met := w.dom.Opaque(symbolic.TagEnding, uint64(in.Imm)<<8|2, w.args)
	w.endings = append(w.endings, ending[T]{met, w.dom.Always(), 0})
}

// closeEndings closes the endings met in a loop over its trips: the inner loop has to end on each of
// them. The drops that happen in the loop are those from kills on.
func (w *walker[T]) closeEndings(loop T, kills int) {
	for i := range w.endings[w.enclosed:] {
		e := &w.endings[w.enclosed+i]
		e.trips = w.during(1, loop, kills, e.trips)
	}
}

// during is a loop as something that may not end, and what has to end in it, with the drops that
// happen meanwhile. These are sorted, so that they form a set.
func (w *walker[T]) during(aux uint64, loop T, kills int, rest ...T) T {
	drops := slices.Clone(w.kills[kills:])
	slices.SortFunc(drops, func(a, b T) int { return cmp.Compare(w.dom.ID(a), w.dom.ID(b)) })
	return w.dom.Opaque(symbolic.TagEnding, aux, append(append([]T{loop}, rest...), drops...))
}

// bounded reports whether the loop in ends after a number of trips that follows from literals: one of
// the breaks at the top of its body, which each trip comes to, is taken then.
func (w *walker[T]) bounded(in *ir.Instr) bool {
	s := w.slice(in)
	return slices.ContainsFunc(in.Sub[0].Code, func(br *ir.Instr) bool {
		if br.Op != ir.OpBreak {
			return false
		}
		e := w.counts(s, br)
		return e != nil && e.ends
	})
}

// slice is an empty slice of the loop in. It starts from values outside the loop that are literals
// now, though not in the program: a constant that the host is known to set, a counter of an unrolled
// loop.
func (w *walker[T]) slice(in *ir.Instr) *slice {
	return newSlice(in, func(v *ir.Value) bool { return w.live.within(v, in) }, func(v *ir.Value) (uint32, bool) { return w.dom.Bits(w.value(v)) })
}

// counts finds out after how many trips of the loop of s the break br, which stands at the top
// of its body, is taken. That has to follow from literals, with nothing rounded on the way.
func (w *walker[T]) counts(s *slice, br *ir.Instr) *exactLoop {
	if len(br.Src) == 0 || br.Cond != ir.CondNone {
		return nil
	}
	test := br.Src[0][0]
	if !s.of(test.V) {
		return nil
	}
	at := place{br, w.context}
	e := w.beliefs.exacts[at]
	if e == nil || !slices.Equal(e.given, s.given) {
		e = &exactLoop{at: place{s.in, w.context}, br: br, given: s.given}
		e.ends = s.count(e, test, w.payWords)
		w.beliefs.exacts[at] = e
	}
	return e
}

// endingName is what differs where it is not known that after ends.
const endingName = "how often a loop runs"

// sameEndings reports whether after ends wherever before does, on any numbers: what holds of
// reals, that x equals x, say, does not hold of what is not a number, and a loop that waits
// for it to hold does not end.
func sameEndings(before, after *observation) bool {
	if before.kernel == nil || !after.hasLoops() {
		return true
	}
	for _, opt := range loopChoices(before, after) {
		if opt.superfluous(before, after) {
			continue
		}
		_, dom, views, err := termsUnder(before, after, opt)
		if err == nil && contrastEndings(dom, views[0], views[1]) == nil {
			return true
		}
	}
	return false
}

// contrastEndings finds something that after has to come to the end of and for which before does not
// vouch: no loop of before has as many trips, is entered wherever that of after is, and is met by
// every invocation that was not dropped before that of after.
func contrastEndings[T any](dom symbolic.Domain[T], before, after *view[T]) *difference {
	for i := range after.endings {
		a := &after.endings[i]
		if !slices.ContainsFunc(before.endings, func(b ending[T]) bool {
			return dom.Same(b.trips, a.trips) && implies(dom, a.gate, b.gate) && allIn(dom, before.kills[:b.kills], after.kills[:a.kills])
		}) {
			return &difference{what: endingName, hangs: true}
		}
	}
	return nil
}

// implies reports whether b is known to hold wherever a does: each factor of the conjunction b is
// one of a. Beyond that nothing is tried, so that false means unknown.
func implies[T any](dom symbolic.Domain[T], a, b T) bool {
	if holds, known := dom.Truth(b); known && holds || dom.Same(a, b) {
		return true
	}
	w, ok := dom.(*words.Words[T])
	if !ok {
		return false
	}
	has := map[uint64]bool{}
	for _, p := range w.Split(symbolic.TagAnd, a, 0) {
		has[p.ID] = true
	}
	return !slices.ContainsFunc(w.Split(symbolic.TagAnd, b, 0), func(p words.Summand[T]) bool { return !has[p.ID] })
}

// allIn reports whether all of these values are in list.
func allIn[T any](dom symbolic.Domain[T], these, list []T) bool {
	return !slices.ContainsFunc(these, func(x T) bool {
		return !slices.ContainsFunc(list, func(y T) bool { return dom.Same(x, y) })
	})
}
