package walk

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Loops whose trip counts follow from literals may still be too long to unroll. Executing the slice that
// decides the exit finds their number of trips (see slice). The trips are then matched with those of the
// other version. One trip may match several: a loop of 25 unrolled trips of 4 against one of 100.
//
// maxTrips limits the trips of loops that are computed one by one.
const maxTrips = 1 << 16

// exactLoop is a loop with a known number of trips.
type exactLoop struct {
	at    Place
	trips int       // that reach the end of the body
	br    *ir.Instr // the break that then ends the loop, nil if a register counts
	// keys are the indices of the carried values that decide the exit. start has their literal values at the
	// start of each trip, including the last one: one row of len(keys) words per trip.
	keys []int
	// slice.count fills start.
	start []uint32
	// given are the literals on which the trip count depends.
	given []uint32
	// ends: the break is taken after trips. Otherwise the loop makes too many trips, or rounds on the way.
	ends bool
}

// state returns the deciding values at the start of a trip.
func (e *exactLoop) state(trip int) []uint32 { return e.start[trip*len(e.keys):][:len(e.keys)] }

// schedule selects how the trips of an exact loop are executed. The first lead trips are single. Then each
// trips at a time match one trip of the other version's loop. The remaining trips are single.
type schedule struct{ lead, each int }

// batched executes an exact loop by its schedule: lead single trips, batches of each trips, then single
// trips. One batch is executed over symbolic names and represents all batches by induction. If the loop of
// the other version makes one trip per batch, both have the same names. The deciding values are literals
// again behind the batches.
func (w *walker[T]) batched(in *ir.Instr, e *exactLoop) {
	w.beliefs.met = append(w.beliefs.met, e)
	s := w.beliefs.schedules[e.at]
	if s.each == 0 || s.lead+s.each > e.trips {
		s = schedule{0, 1}
	}
	context, depth, sure, ends := w.context, w.depth, w.sure, w.ends
	defer func() { w.context, w.depth, w.sure, w.ends = context, depth, sure, ends }()
	body := in.Sub[0]
	cur := w.liveValues(in.Args)
	done := 0
	// once executes trip number done.
	once := func() {
		w.sure, w.ends = e.br, false
		w.context = symbolic.Mix(context + uint64(done) + 1)
		w.bindParams(body, cur)
		w.executeRegion(body)
		if w.err == nil {
			cur = w.liveValues(body.Results)
		}
		done++
	}
	for done < s.lead && w.err == nil {
		once()
	}
	if trips := (e.trips - done) / s.each; trips > 0 && w.err == nil {
		initial := cur
		b := w.beliefs.visit(Place{in, symbolic.Mix(context)}, len(initial))
		w.depth++
		kills := len(w.kills)
		vals := w.assumed(b, initial)
		cur = vals
		for range s.each {
			if once(); w.err != nil {
				return
			}
		}
		w.revise(b, body, initial, cur)
		done += (trips - 1) * s.each
		w.args = append(w.args[:0], w.dom.Literal(uint32(trips)))
		// The number of batches is part of the final values, so that both versions must have as many.
		loop := w.dom.Opaque(symbolic.TagLoop, uint64(w.depth)|3<<32, w.args)
		w.closeKills(loop, kills)
		cur = make([]T, len(vals))
		for k, p := range body.Params {
			switch {
			case !w.live.value[p.ID]:
			case !b.now[k].varies:
				cur[k] = initial[k]
			default:
				w.args = append(w.args[:0], loop, vals[k])
				cur[k] = w.dom.Opaque(symbolic.TagExit, uint64(w.depth)|2<<32, w.args)
			}
		}
		w.depth = depth
		for i, k := range e.keys {
			cur[k] = w.dom.Literal(e.state(done)[i])
		}
	}
	for done < e.trips && w.err == nil {
		once()
	}
	if w.err != nil {
		return
	}
	// The trip on which the break is taken computes the code before it once more.
	if e.br != nil {
		w.sure, w.ends = e.br, true
		w.context = symbolic.Mix(context + uint64(done) + 1)
		w.bindParams(body, cur)
		if w.executeRegion(body); w.err != nil {
			return
		}
		cur = w.exits[0].vals
	}
	w.finish(in, cur, nil)
}

// counted returns the loop in, which a register with the value bits counts, if it has no break.
func (w *walker[T]) counted(in *ir.Instr, bits uint32) *exactLoop {
	free := true
	w.live.breaks(in, in.Sub[0], func(*ir.Instr) { free = false })
	if !free {
		return nil
	}
	return &exactLoop{at: Place{in, w.context}, trips: ir.LoopCount(bits)}
}

// exactly computes the trip count of the loop in, which a break ends. It has to follow from literals without
// rounding.
func (w *walker[T]) exactly(in *ir.Instr) *exactLoop {
	body := in.Sub[0]
	var br *ir.Instr
	n := 0
	w.live.breaks(in, body, func(x *ir.Instr) { br, n = x, n+1 })
	if n != 1 || !slices.Contains(body.Code, br) || len(br.Src) == 0 || br.Cond != ir.CondNone {
		return nil
	}
	e := w.counts(w.slice(in), br)
	if e == nil || !e.ends {
		return nil
	}
	return e
}

// fitSchedule guesses a schedule for a in which each batch does the work of one trip of b. It searches for the trip
// of a that starts with the deciding values of b's first trip. It then searches for the next trip of a that
// has those of b's second trip. A wrong guess only lets the proof fail.
func fitSchedule(a, b *exactLoop) (s schedule, ok bool) {
	if b.trips == 0 || a.trips < b.trips {
		return s, false
	}
	s.each = a.trips / b.trips
	s.lead = a.trips - s.each*b.trips
	if len(a.keys) != len(b.keys) || len(a.keys) == 0 {
		return s, true
	}
	sorted := func(e *exactLoop, trip int) []uint32 {
		words := slices.Clone(e.state(trip))
		slices.Sort(words)
		return words
	}
	first, second := sorted(b, 0), sorted(b, 1)
	lead := -1
	for trip := range a.trips + 1 {
		switch now := sorted(a, trip); {
		case lead < 0 && slices.Equal(now, first):
			lead = trip
		case lead >= 0 && slices.Equal(now, second):
			each := trip - lead
			if lead+each*b.trips > a.trips {
				return s, true
			}
			return schedule{lead, each}, true
		}
	}
	return s, true
}

// schedules matches the exact loops of both versions greedily, in the order of their execution. A loop
// without a match is executed by single trips.
func schedules(before, after []*exactLoop) map[Place]schedule {
	all := map[Place]schedule{}
	for _, b := range after {
		for i, a := range before {
			more, fewer := a, b
			if a.trips < b.trips {
				more, fewer = b, a
			}
			if s, ok := fitSchedule(more, fewer); ok {
				all[more.at] = s
				before = before[i+1:]
				break
			}
		}
	}
	return all
}
