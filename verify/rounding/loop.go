package rounding

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// widenAfter is the number of walks through the body of a loop with unknown trip count before widening.
// Carried values that still leave their ranges then become unlimited, as in abstract interpretation (Cousot
// and Cousot, POPL 1977).
const widenAfter = 2

// leave executes a break and reports whether it is certainly taken. It records the results that the loop
// has then. flips of an exit reports that exact and computed values may leave by different exits.
func (w *walker) leave(in *ir.Instr) bool {
	cond := w.condition(in)
	c := w.decision(cond)
	w.run.sinks(w, in)
	if c.never() {
		return false
	}
	w.killers = append(append(w.killers, w.path...), cond) // a later kill depends on it
	e := exit{vals: make([]ref, len(in.Args)), flips: c.err > 0 || w.strays}
	for k, v := range in.Args {
		e.vals[k] = w.value(v)
	}
	w.exits = append(w.exits, e)
	w.strays = w.strays || c.err > 0
	return c.isTrue()
}

// executeLoop executes a loop: trip by trip if the trip count is known, else until the ranges of carried values
// reach a fixed point.
func (w *walker) executeLoop(in *ir.Instr) {
	exits, strays := w.exits, w.strays
	w.exits = nil
	if n, ok := w.trips(in); ok {
		w.unrolled(in, n)
	} else {
		w.widened(in)
	}
	w.exits, w.strays = exits, strays
}

// trips returns the trip count of a loop if it is one number without an error, and within the budget.
func (w *walker) trips(in *ir.Instr) (n int, ok bool) {
	if len(in.Src) == 0 {
		return 0, false
	}
	c := w.decision(w.laneTerm(in.Src[0][0]))
	if !c.point() || c.err != 0 {
		return 0, false
	}
	n = int(min(max(c.lo, 0), maxTrips))
	return n, w.run.regionSize(in.Sub[0])*n <= w.budget
}

// termsOf returns the terms of values.
func (w *walker) termsOf(vs []*ir.Value) []ref {
	list := make([]ref, len(vs))
	for k, v := range vs {
		list[k] = w.value(v)
	}
	return list
}

// executeTrip executes the body once with these parameters; index is the counter.
func (w *walker) executeTrip(in *ir.Instr, cur []ref, index ref) (next []ref, left bool) {
	body := in.Sub[0]
	for k, p := range body.Params {
		w.setTerm(p, cur[k])
	}
	w.setTerm(body.Index, index)
	if left = w.executeRegion(body); left {
		return nil, true
	}
	return w.termsOf(body.Results), false
}

// unrolled executes n trips one after the other, until a break is certainly taken. The loop's operands give
// the start and step of the counter (aL).
func (w *walker) unrolled(in *ir.Instr, n int) {
	cur := w.termsOf(in.Args)
	var start, step ref
	if in.Sub[0].Index != nil {
		start, step = w.laneTerm(in.Src[0][1]), w.laneTerm(in.Src[0][2])
	}
	left := false
	for i := 0; i < n && !left; i++ {
		index := ref(0)
		if in.Sub[0].Index != nil {
			index = start
			start = w.Add(start, step)
		}
		next, gone := w.executeTrip(in, cur, index)
		if left = gone; !left {
			cur = next
		}
	}
	w.finish(in, cur, left)
}

// finish sets the results of a loop to the union over its exits.
func (w *walker) finish(in *ir.Instr, last []ref, left bool) {
	for k, v := range in.Results {
		var ends []ref
		flips, same := false, true
		end := func(x ref) {
			ends = append(ends, x)
			same = same && x == ends[0]
		}
		for _, e := range w.exits {
			end(e.vals[k])
			flips = flips || e.flips
		}
		if !left && last != nil {
			end(last[k])
		}
		switch {
		case len(ends) == 0: // the budget was used up
			w.setTerm(v, w.fresh(unlimited()))
		case same:
			w.setTerm(v, ends[0])
		default:
			w.setTerm(v, w.oneOf(flips, ends))
		}
	}
}

// widened executes a loop with unknown trip count until no carried value leaves the range that it had at
// the start of a trip. By induction, the ranges then hold on every trip.
func (w *walker) widened(in *ir.Instr) {
	w.run.out.steered = true
	cur := w.termsOf(in.Args)
	index := w.fresh(exactly(0, 1<<16))
	w.valueOf(index).whole = true
	first := slices.Clone(cur)
	for round := 0; w.budget >= 0; round++ {
		w.exits = nil
		next, left := w.executeTrip(in, cur, index)
		if left {
			break
		}
		if w.widenRanges(cur, next, round >= widenAfter) {
			for k, x := range first { // no trips, or the last one ends here
				if x != next[k] {
					first[k] = w.fresh(either(false, *w.valueOf(x), *w.valueOf(next[k])))
				}
			}
			break
		}
	}
	w.finish(in, first, false)
}

// widenRanges reports whether the values at the end of a trip lie in the ranges at its start. It widens ranges
// that they leave: to the hull of both, or to all numbers if anything is set. The ranges of exact and
// computed values and the error between them must all hold.
func (w *walker) widenRanges(cur, next []ref, anything bool) bool {
	stable := true
	for k := range cur {
		x, y := *w.valueOf(cur[k]), *w.valueOf(next[k])
		if cur[k] == next[k] || x.lo <= y.lo && x.hi >= y.hi && x.clo <= y.clo && x.chi >= y.chi && x.err >= y.err {
			continue
		}
		stable = false
		v := unlimited()
		if !anything {
			v = either(false, x, y)
		}
		cur[k] = w.fresh(v)
	}
	return stable
}
