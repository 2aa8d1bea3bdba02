package walk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// After has to end wherever before ends. A proof of equal results shows only partial correctness, and would
// pass a rewrite that makes a loop endless. Some loops certainly end: those that a register counts (Direct3D
// 9 allows 255 trips), those executed trip by trip, and those with trips bounded by literals (see bounded).
//
// All other loops are recorded with the values that end them. Each loop of after needs a loop of before with
// as many trips, or with the same bound of its trips (counterBound). That loop must be entered wherever the
// loop of after is. The same holds for barriers, which end if all invocations of a group meet them. After
// meets its barriers under the same conditions as before meets some.
//
// After may drop a loop of before. If that loop did not end, after has nothing to compute: a launch that does
// not end gives no result.

// ending is a loop that may not end, or a barrier.
type ending[T any] struct {
	// trips represents the trip count of a loop, for an inner loop on all trips of the outer one. Equal
	// values are equal functions of the input.
	in    *ir.Instr // the loop or barrier
	trips T
	gate  T   // condition of its entry
	kills int // number of drop conditions before it
	// bound, if bounded, represents the maximum trip count of a loop: equal bounds are equal functions of the
	// input (counterBound).
	bound   T
	bounded bool
}

// endsBy records that trips represents the trip count of the loop in, which invocations enter under the
// condition entered. kills is the number of drops before the loop: a dropped invocation does not execute it.
func (w *walker[T]) endsBy(in *ir.Instr, trips, entered T, kills int) {
	e := ending[T]{in: in, trips: w.during(0, trips, kills), gate: entered, kills: kills}
	e.bound, e.bounded = w.counterBound(in)
	w.endings = append(w.endings, e)
}

// barrier records a barrier. Invocations that do not meet it block the others.
func (w *walker[T]) barrier(in *ir.Instr) {
	if !w.prog.Waits(in) {
		return
	}
	w.args = append(w.args[:0], w.gate)
	met := w.dom.Opaque(symbolic.TagEnding, uint64(in.Imm)<<8|2, w.args)
	w.endings = append(w.endings, ending[T]{in: in, trips: met, gate: w.dom.Always()})
}

// closeEndings closes the endings of a loop's body over its trips: an inner loop has to end on each of them.
// The drops from kills on happen in the loop.
func (w *walker[T]) closeEndings(loop T, kills int) {
	for i := range w.endings[w.enclosed:] {
		e := &w.endings[w.enclosed+i]
		e.trips = w.during(1, loop, kills, e.trips)
	}
}

// during returns an ending for a loop, the endings in its body, and the drops that happen meanwhile. The
// drops are sorted, so that they form a set.
func (w *walker[T]) during(aux uint64, loop T, kills int, rest ...T) T {
	drops := slices.Clone(w.kills[kills:])
	slices.SortFunc(drops, func(a, b T) int { return cmp.Compare(w.dom.ID(a), w.dom.ID(b)) })
	return w.dom.Opaque(symbolic.TagEnding, aux, append(append([]T{loop}, rest...), drops...))
}

// bounded reports whether the loop in ends after a trip count that follows from literals: some break at the
// top level of its body, which each trip executes, is then taken.
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

// slice returns an empty slice of the loop in. It starts from values outside the loop that are literals now,
// though not in the program: a known constant of the host, or a counter of an unrolled loop.
func (w *walker[T]) slice(in *ir.Instr) *slice {
	return newSlice(in, func(v *ir.Value) bool { return w.live.within(v, in) },
		func(v *ir.Value) (uint32, bool) { return w.dom.Bits(w.value(v)) })
}

// counts computes the number of trips of the loop of s before break br, at the top level of its body, is
// taken. This has to follow from literals without rounding.
func (w *walker[T]) counts(s *slice, br *ir.Instr) *exactLoop {
	if len(br.Src) == 0 || br.Cond != ir.CondNone {
		return nil
	}
	test := br.Src[0][0]
	if !s.extractFor(test.V) {
		return nil
	}
	at := Place{br, w.context}
	e := w.beliefs.exacts[at]
	if e == nil || !slices.Equal(e.given, s.given) {
		e = &exactLoop{at: Place{s.in, w.context}, br: br, given: s.given}
		e.ends = s.count(e, test, w.payWords)
		w.beliefs.exacts[at] = e
	}
	return e
}

// counterBound returns a bound of the trip count of a loop like
//
//	for (i = start; i < n; i++) { ... if (f) break; ... }
//
// over signed or unsigned words, where n is loop-invariant. Each trip compares i with n, and adds 1 to i. So
// there are at most n - start trips, or none: i reaches n before it wraps around. Other exits of the loop can
// only end it earlier, and rounding may move them.
func (w *walker[T]) counterBound(in *ir.Instr) (bound T, ok bool) {
	for _, br := range in.Sub[0].Code {
		if br.Op != ir.OpBreak {
			continue
		}
		c, ok := w.counterTest(in, br)
		if !ok {
			continue
		}
		start, n := w.value(in.Args[c.param]), w.value(c.limit)
		signed := uint64(0)
		if c.test.Def.Op == ir.OpILt || c.test.Def.Op == ir.OpIGe {
			signed = 1
		}
		return w.dom.Opaque(symbolic.TagEnding, 3|signed<<8, []T{start, n}), true
	}
	return bound, false
}

// ContrastEndings finds an ending of after that no ending of before matches. A match has as many trips, or
// the same bound of its trips. It is entered wherever the ending of after is. Every invocation that was not
// dropped before the ending of after meets it.
func ContrastEndings[T any](dom symbolic.Domain[T], before, after *View[T]) *Difference {
	for i := range after.endings {
		a := &after.endings[i]
		if !slices.ContainsFunc(before.endings, func(b ending[T]) bool {
			same := symbolic.Alike(dom, b.trips, a.trips) || b.bounded && a.bounded && symbolic.Alike(dom, b.bound, a.bound)
			return same && implies(dom, a.gate, b.gate) && allIn(dom, before.Kills[:b.kills], after.Kills[:a.kills])
		}) {
			return hangs(a, func(b *ending[T]) bool {
				return !slices.ContainsFunc(after.endings, func(a ending[T]) bool { return symbolic.Alike(dom, b.trips, a.trips) })
			}, before.endings)
		}
	}
	return nil
}

// implies reports whether b is known to hold wherever a does: each factor of the conjunction b is a factor of
// a. It tries nothing else, so false means unknown.
func implies[T any](dom symbolic.Domain[T], a, b T) bool {
	if holds, known := dom.Truth(b); known && holds || symbolic.Alike(dom, a, b) {
		return true
	}
	w, ok := dom.(*words.Words[T])
	if !ok {
		return false
	}
	has := map[uint64]bool{}
	for _, p := range w.Split(symbolic.TagAnd, a, 0) {
		has[symbolic.Class(dom, p.X)] = true
	}
	return !slices.ContainsFunc(w.Split(symbolic.TagAnd, b, 0),
		func(p words.Summand[T]) bool { return !has[symbolic.Class(dom, p.X)] })
}

// allIn reports whether list contains all of these values.
func allIn[T any](dom symbolic.Domain[T], these, list []T) bool {
	return !slices.ContainsFunc(these, func(x T) bool {
		return !slices.ContainsFunc(list, func(y T) bool { return symbolic.Alike(dom, x, y) })
	})
}

// Positions formats the position of statement a of after, and of b of before unless b is nil.
func Positions(b, a *ir.Instr) string {
	if b == nil || b.Pos == a.Pos {
		return a.Pos.String()
	}
	return fmt.Sprintf("%s (%s before)", a.Pos, b.Pos)
}

// hangs describes ending a of after, for which before has no matching ending. It also names the first ending
// of the same kind in before that after lacks.
func hangs[T any](a *ending[T], lacks func(b *ending[T]) bool, before []ending[T]) *Difference {
	var partner *ir.Instr
	for i := range before {
		if b := &before[i]; b.in.Op == a.in.Op && lacks(b) {
			partner = b.in
			break
		}
	}
	what := "the exit of the loop at"
	if a.in.Op == ir.OpFence {
		what = "the condition of the barrier at"
	}
	return &Difference{What: what + " " + Positions(partner, a.in), Hangs: true}
}
