package rounding

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// widenAfter is how often the body of a loop without a known trip count is walked through until what it
// carries and does not stay in its range is taken to be anything: widening, as in abstract
// interpretation (Cousot and Cousot, POPL 1977).
const widenAfter = 2

// leave follows a break, and reports whether it is taken for sure. It notes what the loop's results are
// if it is. flips of an exit says that exact and computed values may leave by different exits.
func (w *walker) leave(in *ir.Instr) bool {
	cond := w.condition(in)
	c := w.decision(cond)
	w.run.sinks(w, in)
	if c.never() {
		return false
	}
	w.killers = append(append(w.killers, w.path...), cond) // whether a kill comes after it depends on it
	e := exit{vals: make([]ref, len(in.Args)), flips: c.err > 0 || w.strays}
	for k, v := range in.Args {
		e.vals[k] = w.value(v)
	}
	w.exits = append(w.exits, e)
	w.strays = w.strays || c.err > 0
	return c.sure()
}

// loop follows a loop: trip by trip if it makes a known number of them, else until nothing
// that it carries leaves the ranges that it was seen in.
func (w *walker) loop(in *ir.Instr) {
	exits, strays := w.exits, w.strays
	w.exits = nil
	if n, ok := w.trips(in); ok {
		w.unrolled(in, n)
	} else {
		w.widened(in)
	}
	w.exits, w.strays = exits, strays
}

// trips is how often a loop runs, if that is one number without an error, and the budget allows that
// many trips.
func (w *walker) trips(in *ir.Instr) (n int, ok bool) {
	if len(in.Src) == 0 {
		return 0, false
	}
	c := w.decision(w.lane(in.Src[0][0]))
	if !c.point() || c.err != 0 {
		return 0, false
	}
	n = int(min(max(c.lo, 0), maxTrips))
	return n, w.run.size(in.Sub[0])*n <= w.budget
}

// all are the terms of values.
func (w *walker) all(vs []*ir.Value) []ref {
	list := make([]ref, len(vs))
	for k, v := range vs {
		list[k] = w.value(v)
	}
	return list
}

// trip walks through the body once, with these parameters; index is the counter.
func (w *walker) trip(in *ir.Instr, cur []ref, index ref) (next []ref, left bool) {
	body := in.Sub[0]
	for k, p := range body.Params {
		w.set(p, cur[k])
	}
	w.set(body.Index, index)
	if left = w.code(body); left {
		return nil, true
	}
	return w.all(body.Results), false
}

// unrolled follows n trips, one after the other, until a break is taken for sure. The counter (aL)
// starts and steps as the loop's operands say.
func (w *walker) unrolled(in *ir.Instr, n int) {
	cur := w.all(in.Args)
	var start, step ref
	if in.Sub[0].Index != nil {
		start, step = w.lane(in.Src[0][1]), w.lane(in.Src[0][2])
	}
	left := false
	for i := 0; i < n && !left; i++ {
		index := ref(0)
		if in.Sub[0].Index != nil {
			index = start
			start = w.Add(start, step)
		}
		next, gone := w.trip(in, cur, index)
		if left = gone; !left {
			cur = next
		}
	}
	w.finish(in, cur, left)
}

// finish gives the results of a loop what any of its ends gives them.
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
			w.set(v, w.fresh(unlimited()))
		case same:
			w.set(v, ends[0])
		default:
			w.set(v, w.oneOf(flips, ends))
		}
	}
}

// widened walks through a loop whose trips are not known, until nothing that it carries leaves the ranges
// that a trip began with: that is then so on every trip, by induction.
func (w *walker) widened(in *ir.Instr) {
	w.run.out.steered = true
	cur := w.all(in.Args)
	index := w.fresh(exactly(0, 1<<16))
	w.at(index).whole = true
	first := slices.Clone(cur)
	for round := 0; w.budget >= 0; round++ {
		w.exits = nil
		next, left := w.trip(in, cur, index)
		if left {
			break
		}
		if w.stay(cur, next, round >= widenAfter) {
			for k, x := range first { // there are no trips, or the last one ends so
				if x != next[k] {
					first[k] = w.fresh(either(false, *w.at(x), *w.at(next[k])))
				}
			}
			break
		}
	}
	w.finish(in, first, false)
}

// stay reports whether what a trip ends with lies in the ranges that it began with, and widens those
// where it does not: to the hull of both or, if anything is set, to all numbers. Ranges of exact and of
// computed values and the error between them all have to stay.
func (w *walker) stay(cur, next []ref, anything bool) bool {
	stable := true
	for k := range cur {
		x, y := *w.at(cur[k]), *w.at(next[k])
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
