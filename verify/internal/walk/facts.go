package walk

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// fact states how a value in the body of a loop may be read on every trip: as a copy of a source of its
// instruction, or as the result of another op. Facts follow from one loop alone, so that each version has its
// own.
type fact struct {
	copies bool
	src    int   // number of the copied source
	op     ir.Op // else: the other op
}

// mostTrips returns an upper bound of the trip count of a loop whose register holds trip. It returns 0 if the
// loop has no register and only breaks end it.
func (w *walker[T]) mostTrips(trip []T) int {
	if len(trip) == 0 {
		return 0
	}
	if bits, ok := w.dom.Bits(trip[0]); ok {
		return ir.LoopCount(bits)
	}
	return ir.LoopCount(math.MaxInt32)
}

// findFacts finds the facts about the loop in. trips bounds how often it runs, or is 0 if only breaks end it. Facts about its tests
// are found if tests is set.
func (w *walker[T]) findFacts(in *ir.Instr, trips int, tests bool) map[*ir.Value]fact {
	facts := map[*ir.Value]fact{}
	s := w.slice(in)
	for _, x := range in.Sub[0].Code {
		switch {
		case x.Op == ir.OpBreak && trips == 0 && tests:
			if v, op, ok := w.reaches(in, x); ok {
				facts[v] = fact{op: op}
			}
		case x.Op == ir.OpMin || x.Op == ir.OpMax:
			for _, v := range x.Out {
				if v == nil || !w.live.value[v.ID] || !s.extractFor(v) {
					continue
				}
				if src, ok := s.selects(v, trips, w.payWords); ok {
					facts[v] = fact{copies: true, src: src}
				}
			}
		}
	}
	return facts
}

// selects finds the source that v, a minimum or maximum, equals on each of the first trips trips. A counter that starts from a
// literal, for example, stays below a limit that it would reach later.
func (s *slice) selects(v *ir.Value, trips int, pay func(cells int) error) (src int, ok bool) {
	equal := [2]bool{true, true}
	for range trips {
		if pay(len(s.code)) != nil || !s.evaluateTrip() {
			return 0, false
		}
		eachRead(v, func(i, _ int, l *ir.Lane) {
			equal[i] = equal[i] && modified(s.words[s.slots[l.V]], l.Mod) == s.words[s.slots[v]]
		})
		s.advance()
	}
	src = slices.Index(equal[:], true)
	return src, trips > 0 && src >= 0
}

// reaches reports whether the break br at the top level of the body of in ends a loop like
//
//	for (i = 0; i < n; i++)
//
// over unsigned words, where n is loop-invariant. Then i <= n on every trip: 0 <= n holds, and a trip that is
// not the last has i < n. So i+1 neither exceeds n nor wraps around. So i < n is i != n. reaches returns the
// value that br tests, and the op that may replace its own.
func (w *walker[T]) reaches(in, br *ir.Instr) (v *ir.Value, op ir.Op, ok bool) {
	c, ok := w.counterTest(in, br)
	switch {
	case !ok || !w.isWord(in, ir.Lane{V: in.Args[c.param]}, 0):
		return nil, 0, false
	case c.test.Def.Op == ir.OpULt:
		return c.test, ir.OpINe, true
	case c.test.Def.Op == ir.OpUGe:
		return c.test, ir.OpIEq, true
	}
	return nil, 0, false
}

// counterTest is the comparison of a counter, to which each trip of a loop adds 1, with a loop-invariant
// limit.
type counterTest struct {
	test, limit *ir.Value
	param       int // the number of the counter
}

// counterTest reports whether the break br of the loop in is taken exactly when a counter is not below a
// limit.
func (w *walker[T]) counterTest(in, br *ir.Instr) (c counterTest, ok bool) {
	if len(br.Src) == 0 || br.Cond != ir.CondNone {
		return c, false
	}
	test := br.Src[0][0]
	v := test.V
	if !plain(v) || !w.live.value[v.ID] {
		return c, false
	}
	switch v.Def.Op {
	case ir.OpULt, ir.OpILt:
		ok = test.Mod == ir.Not
	case ir.OpUGe, ir.OpIGe:
		ok = test.Mod == 0
	}
	if !ok {
		return c, false
	}
	i, n := v.Def.Src[0][v.Lane], v.Def.Src[1][v.Lane]
	k := slices.Index(in.Sub[0].Params, i.V)
	if i.Mod != 0 || n.Mod != 0 || k < 0 || w.live.within(n.V, in) {
		return c, false
	}
	next := in.Sub[0].Results[k]
	if !plain(next) || next.Def.Op != ir.OpIAdd {
		return c, false
	}
	a, b := next.Def.Src[0][next.Lane], next.Def.Src[1][next.Lane]
	return counterTest{v, n.V, k}, a == i && w.isWord(in, b, 1) || b == i && w.isWord(in, a, 1)
}

// isWord reports whether l, which is defined outside the loop in, is the literal bits.
func (w *walker[T]) isWord(in *ir.Instr, l ir.Lane, bits uint32) bool {
	if l.Mod != 0 || w.live.within(l.V, in) {
		return false
	}
	x, ok := w.dom.Bits(w.value(l.V))
	return ok && x == bits
}

// plain reports whether v is computed by its op alone: without predicate, immediate or modifiers of the result.
func plain(v *ir.Value) bool {
	return v != nil && v.Def != nil && v.Def.Op.HasFormula() && v.Def.Mods == 0 && v.Def.Imm == 0 && !v.Def.IsPredicated()
}

// byFact executes lane i of in by the fact f about its result.
func (w *walker[T]) byFact(f fact, in *ir.Instr, i int) T {
	if f.copies {
		return w.src[f.src][i]
	}
	other := *in
	other.Op = f.op
	return w.formula(&other, i)
}
