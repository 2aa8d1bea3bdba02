package walk

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// A branch that takes the same side on every trip of a loop may move before the loop (loop unswitching):
//
//	before: loop { if (i >= n) break; if (c) s += a[i]; else s += b[i]; i += 1 }
//	after:  if (c) loop { if (i >= n) break; s += a[i]; i += 1 }
//	        else loop { if (i >= n) break; s += b[i]; i += 1 }
//
// Before is therefore executed like after. The condition is computed before the loop, and a branch on it
// executes the loop on both sides. In the loop, branches on this condition take one side. This gives the same
// loop for any condition that the loop does not change. splitLoops guesses the conditions. A wrong guess only
// lets the proof fail.
//
// On each side, the gate contains the condition. Instructions that depend on the gate because they need
// neighbouring invocations must not see one that holds for fewer invocations than in before. So a loop with
// such instructions is split only if all invocations of a group have the same condition.

// maxGuesses bounds how often conditions are guessed: the loop may change a condition except on one side of another.
const maxGuesses = 3

// maxSplits bounds the conditions on which a loop is split.
const maxSplits = 8

// splitting is a condition on which a loop is split, as a branch around loops of the other version does.
type splitting struct {
	cond     ir.Lane
	by       *ir.Instr // that branch
	opposite bool      // it has the opposite condition
	// within are the conditions under which the loop is split: the branches around that branch.
	within []given
}

// given is a condition and its value.
type given struct {
	cond  ir.Lane
	holds bool
}

// splitter is a branch of a loop, or a branch around loops.
type splitter struct {
	in    *ir.Instr
	loops []*ir.Instr // around it, the outermost one first
	arms  []arm       // around it
}

// arm is a side of a branch.
type arm struct {
	in   *ir.Instr
	side int
}

// premise is a condition with a known value in the current code.
type premise struct {
	cond    ir.Lane
	yes, no uint64 // IDs of the condition and of its negation
	holds   bool
	literal bool // it is known anyway
}

// splitLoops finds the conditions on which loops of either version are split, and reports whether there are
// any. These are conditions of branches in loops for which the other version has a branch around loops, with
// as many loops around it.
func splitLoops(before, after *Observation) bool {
	if before.Kernel == nil {
		return false
	}
	if before.splitFor == after {
		return before.isSplit
	}
	before.splitFor, before.isSplit = after, false
	sides := [2]*Observation{before, after}
	var within, around [2][]splitter
	for i, o := range sides {
		o.kernelLive.splits, o.kernelLive.around = nil, nil
		within[i], around[i] = o.kernelLive.splitters()
	}
	if (len(within[0]) == 0 || len(around[1]) == 0) && (len(within[1]) == 0 || len(around[0]) == 0) {
		return false
	}
	for range maxGuesses {
		conds, err := branchConditions(sides)
		if err != nil {
			return false
		}
		found := false
		for i, o := range sides {
			m := matcher{o: o, conds: conds[i], others: conds[1-i]}
			for _, y := range around[1-i] {
				for _, x := range within[i] {
					if len(y.loops) < len(x.loops) && m.split(x, y) {
						sides[1-i].kernelLive.splitAt(y.in)
						found = true
					}
				}
			}
		}
		if !found {
			break
		}
		before.isSplit = true
	}
	return before.isSplit
}

// branchConditions executes both versions for two rounds, with loops split as known so far, and returns the conditions
// of their branches. In the second round, carried values that change have names.
func branchConditions(sides [2]*Observation) (conds [2]map[*ir.Instr][]premise, err error) {
	dom := symbolic.Domain[symbolic.Term](words.New(symbolic.Domain[symbolic.Term](symbolic.NewTerms())))
	b := NewBeliefs[symbolic.Term]()
	for range 2 {
		for i, o := range sides {
			conds[i] = map[*ir.Instr][]premise{}
			b.branches = conds[i]
			if _, err := execute(dom, o, Options{split: true}, b); err != nil {
				return conds, err
			}
		}
		b.settled(dom)
	}
	return conds, nil
}

// matcher matches the conditions of a version with those of the other one.
type matcher struct {
	o             *Observation
	conds, others map[*ir.Instr][]premise
}

// same reports whether a branch of the version and one of the other have the same condition, or opposite ones.
func (m *matcher) same(x, y *ir.Instr) (same, opposite bool) {
	for _, c := range m.conds[x] {
		for _, d := range m.others[y] {
			same = same || c.yes == d.yes && !c.literal
			opposite = opposite || c.yes == d.no && !c.literal
		}
	}
	return same && !opposite, opposite && !same
}

// passes reports whether control certainly takes an arm of the other version.
func (m *matcher) passes(a arm) bool {
	conds := m.others[a.in]
	return len(conds) > 0 && conds[0].literal && conds[0].holds == (a.side == 0)
}

// split adds the condition of x to those on which a loop around it is split, if y, a branch around loops of the other
// version, has the same condition.
func (m *matcher) split(x, y splitter) bool {
	l, cond, loop := m.o.kernelLive, x.in.Src[0][0], x.loops[len(y.loops)]
	same, opposite := m.same(x.in, y.in)
	list := l.splits[loop]
	if !same && !opposite || !l.invariant(cond.V, loop, map[*ir.Value]bool{}) || len(list) >= maxSplits ||
		l.gated(loop) && !m.o.together(cond.V) ||
		slices.ContainsFunc(list, func(s splitting) bool { return s.by == y.in }) {
		return false
	}
	s := splitting{cond: cond, by: y.in, opposite: opposite}
	var known []splitting // of this loop and of those around it
	for _, around := range x.loops[:len(y.loops)+1] {
		known = append(known, l.splits[around]...)
	}
	for _, a := range y.arms {
		if k := slices.IndexFunc(known, func(s splitting) bool { return s.by == a.in }); k >= 0 {
			s.within = append(s.within, given{known[k].cond, (a.side == 0) != known[k].opposite})
		} else if !m.passes(a) && !m.within(x, a) {
			return false
		}
	}
	if l.splits == nil {
		l.splits = map[*ir.Instr][]splitting{}
	}
	l.splits[loop] = append(list, s)
	return true
}

// within reports whether the branch x is on the side of a branch that arm a, of the other version, is.
func (m *matcher) within(x splitter, a arm) bool {
	return slices.ContainsFunc(x.arms, func(b arm) bool {
		same, opposite := m.same(b.in, a.in)
		return same && b.side == a.side || opposite && b.side != a.side
	})
}

// splitters lists the live branches in loops, and those around loops.
func (l *live) splitters() (within, around []splitter) {
	var walk func(r *ir.Region, loops []*ir.Instr, arms []arm) (has bool)
	walk = func(r *ir.Region, loops []*ir.Instr, arms []arm) (has bool) {
		for _, in := range r.Code {
			switch {
			case !l.ctrl[in]:
			case in.Op == ir.OpLoop:
				walk(in.Sub[0], append(loops[:len(loops):len(loops)], in), arms)
				has = true
			case in.Op == ir.OpIf && in.Cond == ir.CondNone:
				x := splitter{in, loops, arms}
				if len(loops) > 0 {
					within = append(within, x)
				}
				at, found := len(around), false
				for side, sub := range in.Sub {
					found = walk(sub, loops, append(arms[:len(arms):len(arms)], arm{in, side})) || found
				}
				if found {
					around = slices.Insert(around, at, x)
				}
				has = has || found
			}
		}
		return has
	}
	walk(l.unit.Function().Body, nil, nil)
	return within, around
}

// splitAt marks a branch around loops: its condition is known on each side.
func (l *live) splitAt(in *ir.Instr) {
	if l.around == nil {
		l.around = map[*ir.Instr]bool{}
	}
	l.around[in] = true
}

// invariant reports whether v may have the same value on every trip of loop. It caches values in known.
func (l *live) invariant(v *ir.Value, loop *ir.Instr, known map[*ir.Value]bool) (same bool) {
	if !l.within(v, loop) {
		return true
	}
	if same, seen := known[v]; seen {
		return same
	}
	switch in := v.Def; {
	case in == nil || in.Op == ir.OpLoop:
	case in.Op == ir.OpIf:
		k := slices.Index(in.Results, v)
		same = l.invariant(in.Sub[0].Results[k], loop, known) || l.invariant(in.Sub[1].Results[k], loop, known)
	default:
		same = true
		in.EachUse(func(x *ir.Lane) { same = same && l.invariant(x.V, loop, known) })
	}
	known[v] = same
	return same
}

// gated reports whether a loop has a live instruction that depends on which invocations run it.
func (l *live) gated(loop *ir.Instr) (found bool) {
	loop.Sub[0].Walk(func(in *ir.Instr) { found = found || l.unit.Gated(in) })
	return found
}

// together reports whether v is computed from constants and from inputs that all invocations of a group share.
func (o *Observation) together(v *ir.Value) bool {
	in := v.Def
	switch {
	case v.Kind == ir.Literal || v.Kind == ir.Uniform:
		return true
	case v.Kind == ir.Input:
		return o.Kernel.Alike(o.Kernel.RegisterKey(v.Home))
	case in == nil || !in.Op.HasFormula() || in.IsPredicated() || in.Op.Has(ir.Convergent):
		return false
	}
	same := true
	eachRead(v, func(_, _ int, l *ir.Lane) { same = same && o.together(l.V) })
	return same
}

// computeBefore executes the instructions in loop that compute v from values outside the loop, and reports whether it could.
// Effects, and reads of neighbouring invocations, have to stay in the loop. A result of a branch has to come from a
// known side.
func (w *walker[T]) computeBefore(v *ir.Value, loop *ir.Instr, done map[*ir.Value]bool) bool {
	in := v.Def
	switch {
	case !w.live.within(v, loop) || done[v]:
		return true
	case in == nil || in.IsPredicated() || in.Op.Has(ir.Special) || w.prog.Gated(in):
		return false
	case in.Op == ir.OpIf && in.Cond == ir.CondNone:
		holds, known := w.given(in.Src[0][0])
		side := in.Sub[0]
		if !holds {
			side = in.Sub[1]
		}
		from := side.Results[slices.Index(in.Results, v)]
		if !known || !w.computeBefore(from, loop, done) {
			return false
		}
		w.setValue(v, w.value(from))
	case len(in.Sub) > 0 || in.Op.Has(ir.Effect) && in.Op != ir.OpMemLoad:
		return false
	default:
		fine := true
		in.EachUse(func(x *ir.Lane) { fine = fine && w.computeBefore(x.V, loop, done) })
		if !fine {
			return false
		}
		if in.Op == ir.OpMemLoad {
			w.memory(in)
		} else {
			w.instr(in)
		}
	}
	done[v] = true
	return true
}

// splitLoop executes the loop in, once for each value of the conditions in list that are not known. Each value has its
// own context, also if it is known: a later round may not know it.
func (w *walker[T]) splitLoop(in *ir.Instr, list []splitting) {
	for len(list) > 0 && !w.splitsOn(&list[0], in) {
		list = list[1:]
	}
	if len(list) == 0 {
		w.executeTrips(in)
		return
	}
	c := w.condition(list[0].cond)
	holds, known := w.truth(c)
	gate, path, context := w.gate, w.path, w.context
	var results [2][]T
	for side := range results {
		if known && holds == (side == 1) {
			continue
		}
		cond := c
		if side == 1 {
			cond = w.dom.Not(c)
		}
		if !known {
			w.gate, w.path = w.dom.And(gate, cond), w.dom.And(path, cond)
		}
		w.context = symbolic.Mix(context ^ uint64(side+1)<<40)
		w.under(list[0].cond, c, side == 0, func() { w.splitLoop(in, list[1:]) })
		w.gate, w.path, w.context = gate, path, context
		if w.err != nil {
			return
		}
		results[side] = w.liveValues(in.Results)
	}
	if !known {
		w.chooseResults(in, c, results)
	}
}

// splitsOn reports whether the loop in is split by s under the current premises, and computes the condition.
func (w *walker[T]) splitsOn(s *splitting, in *ir.Instr) bool {
	if _, known := w.given(s.cond); known {
		return false
	}
	for _, g := range s.within {
		if holds, known := w.given(g.cond); !known || holds != g.holds {
			return false
		}
	}
	return w.computeBefore(s.cond.V, in, map[*ir.Value]bool{})
}

// given reports whether cond is the condition of a premise, and holds. Unlike truth, this does not depend on values
// that later rounds may correct: all rounds have to split loops alike.
func (w *walker[T]) given(cond ir.Lane) (holds, known bool) {
	for _, p := range w.premises {
		if p.cond.V == cond.V {
			return p.holds == (p.cond.Mod == cond.Mod), true
		}
	}
	return false, false
}

// chooseResults merges the results of the loop in under c and under its negation.
func (w *walker[T]) chooseResults(in *ir.Instr, c T, results [2][]T) {
	for k, v := range in.Results {
		if !w.live.value[v.ID] {
			continue
		}
		yes, no := results[0][k], results[1][k]
		x := w.dom.Choose(c, yes, no)
		w.setValue(v, x)
		if w.spared[w.dom.ID(yes)] && w.spared[w.dom.ID(no)] {
			w.spared[w.dom.ID(x)] = true
		}
	}
}

// under executes code in which the condition c, the value of cond, is known.
func (w *walker[T]) under(cond ir.Lane, c T, holds bool, execute func()) {
	n := len(w.premises)
	w.premises = append(w.premises, premise{cond: cond, yes: w.dom.ID(c), no: w.dom.ID(w.dom.Not(c)), holds: holds})
	execute()
	w.premises = w.premises[:n]
}

// truth reports whether a condition holds, if that is known or assumed.
func (w *walker[T]) truth(c T) (holds, known bool) {
	if holds, known = w.dom.Truth(c); known {
		return holds, true
	}
	id := w.dom.ID(c)
	for _, a := range w.premises {
		switch id {
		case a.yes:
			return a.holds, true
		case a.no:
			return !a.holds, true
		}
	}
	return false, false
}
