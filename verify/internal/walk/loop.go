package walk

import (
	"errors"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// maxUnrolled and maxSpelled limit the instructions that unrolling one loop may execute, with a trip count
// and without. They keep unrolling within maxExecuted; longer loops are matched by induction.
const (
	maxUnrolled = 1 << 13
	maxSpelled  = 1 << 15
)

// limit returns the limit of instructions for unrolling a loop, usually usual. One version's loop may exceed
// that while the other's does not, because its instructions compute several values each. Both can only be
// unrolled then, within the limit of the whole walk.
func (w *walker[T]) limit(usual int) int {
	if w.opt.long {
		usual = maxExecuted
	}
	return w.tile * usual
}

var (
	// What ends a walk or an attempt: the function is too long; a compared trip contains a loop
	// cannot be unrolled; no break of a trip is decided, so that unrolling would not end.
	ErrTooLong = errors.New("too many instructions to execute symbolically")
	errNested  = errors.New("a compared trip contains a loop")
	errOpen    = errors.New("a trip without a decision")
)

// exit is a break met in a loop body: the condition under which it is taken, and the results of the loop
// then. The first exit in program order whose condition holds is taken.
type exit[T any] struct {
	cond T
	vals []T
}

// negative reports whether bits are a float below zero, which -0 and NaN are not.
func negative(bits uint32) bool { return math.Float32frombits(bits) < 0 }

// leave executes a break and reports whether it is certainly taken. A break that is certainly not taken only
// sets decided; any other adds an exit.
func (w *walker[T]) leave(in *ir.Instr) bool {
	c := w.decides(in)
	holds, known := w.dom.Truth(c)
	// The trip count was computed: the break is taken on the last trip only.
	if in == w.sure {
		if holds, known = w.ends, true; holds {
			c = w.dom.Always()
		}
	}
	if known && !holds {
		w.decided = true
		return false
	}
	if !known && !w.decided && w.chances > 0 {
		if w.chances--; w.chances == 0 { // the result of this trip is known now
			w.err = errOpen
			return true
		}
	}
	e := exit[T]{cond: w.dom.And(w.path, c), vals: make([]T, len(in.Args))}
	for k, v := range in.Args {
		if w.live.value[v.ID] {
			e.vals[k] = w.value(v)
		}
	}
	w.exits = append(w.exits, e)
	w.narrow(c)
	return known && w.beliefs.branches == nil
}

// narrow assumes that c, the condition of an exit, did not hold.
func (w *walker[T]) narrow(c T) {
	if !w.together {
		w.gate = w.dom.And(w.gate, w.dom.Not(c))
	}
}

// executeLoop executes a loop in the first way that applies. A loop that ends only by breaks (AMD IL) is absorbed,
// unrolled, matched in batches or inducted. A loop that a register counts is unrolled if its count, start and
// step are literals. In Direct3D 9 rep and loop, an integer constant holds these.
func (w *walker[T]) executeLoop(in *ir.Instr) {
	if !w.live.ctrl[in] {
		return
	}
	if w.opt.split {
		w.splitLoop(in, w.live.splits[in])
	} else {
		w.executeTrips(in)
	}
}

// executeTrips executes a live loop.
func (w *walker[T]) executeTrips(in *ir.Instr) {
	gate, path, exits, decided, chances, enclosed := w.gate, w.path, w.exits, w.decided, w.chances, w.enclosed
	defer func() {
		w.gate, w.path, w.exits, w.decided, w.chances, w.enclosed = gate, path, exits, decided, chances, enclosed
	}()
	w.path, w.exits, w.chances, w.enclosed = w.dom.Always(), nil, 0, len(w.endings)

	if len(in.Src) == 0 {
		blurred, absorbed := w.beliefs.absorbed[Place{in, w.context}]
		switch {
		case absorbed:
			w.passThrough(in, blurred)
		case w.opt.Unroll && w.spelled(in):
		case w.probing:
			w.err = errNested
		default:
			if w.opt.Batched && w.beliefs.copies[in] == 0 {
				if e := w.exactly(in); e != nil {
					w.batched(in, e)
					return
				}
			}
			w.induct(in, nil)
		}
		return
	}
	// rep reads only a count; loop also reads the start and step of aL.
	trip := [3]T{w.laneValue(in.Src[0][0]), w.dom.Literal(0), w.dom.Literal(1)}
	if in.Sub[0].Index != nil {
		trip[1], trip[2] = w.laneValue(in.Src[0][1]), w.laneValue(in.Src[0][2])
	}
	if bits, ok := w.dom.Bits(trip[0]); ok && w.opt.Unroll && w.stated(trip[1:]) {
		n := ir.LoopCount(bits)
		if n*instructionCount(in.Sub[0]) <= w.limit(maxUnrolled) {
			w.beliefs.unrolled = true
			w.unrolled(in, n, trip)
			return
		}
		w.beliefs.long[in] = true
	}
	if bits, ok := w.dom.Bits(trip[0]); ok && w.opt.Batched && in.Sub[0].Index == nil {
		if e := w.counted(in, bits); e != nil {
			w.batched(in, e)
			return
		}
	}
	if w.opt.Sampled {
		w.unrolled(in, w.dom.Trips(trip[0]), trip)
		return
	}
	if in.Sub[0].Index == nil {
		w.induct(in, trip[:1])
	} else {
		w.induct(in, trip[:])
	}
}

// stated reports whether all of xs are literals.
func (w *walker[T]) stated(xs []T) bool {
	return !slices.ContainsFunc(xs, func(x T) bool {
		_, ok := w.dom.Bits(x)
		return !ok
	})
}

// instructionCount counts the instructions of a region.
func instructionCount(r *ir.Region) (n int) {
	r.Walk(func(*ir.Instr) { n++ })
	return n
}

// bindParams assigns the parameters of a body.
func (w *walker[T]) bindParams(body *ir.Region, vals []T) {
	for k, p := range body.Params {
		if w.live.value[p.ID] {
			w.setValue(p, vals[k])
		}
	}
}

// liveValues returns the values of the live elements of vs.
func (w *walker[T]) liveValues(vs []*ir.Value) []T {
	out := make([]T, len(vs))
	for k, v := range vs {
		if w.live.value[v.ID] {
			out[k] = w.value(v)
		}
	}
	return out
}

// unrolled executes n trips one after the other, each in its own context. It ends before n if a break is
// certainly taken.
func (w *walker[T]) unrolled(in *ir.Instr, n int, trip [3]T) {
	body := in.Sub[0]
	cur := w.liveValues(in.Args)
	left := false
	context := w.context
	for i := 0; i < n && !left; i++ {
		w.bindParams(body, cur)
		if body.Index != nil {
			w.setValue(body.Index, w.counter(trip, i))
		}
		w.context = symbolic.Mix(context + uint64(i) + 1)
		if left = w.executeRegion(body); !left {
			cur = w.liveValues(body.Results)
		}
	}
	w.context = context
	if w.err == nil {
		w.finish(in, cur, w.exits)
	}
}

// counter returns the counter of a loop on trip i.
func (w *walker[T]) counter(trip [3]T, i int) T {
	if start, ok := w.dom.Bits(trip[1]); ok {
		if step, ok := w.dom.Bits(trip[2]); ok {
			return w.dom.Literal(uint32(ir.LoopStart(start) + i*ir.LoopStep(step)))
		}
	}
	w.args = append(w.args[:0], trip[1], trip[2])
	return w.dom.Opaque(symbolic.TagCounter, uint64(i)<<32, w.args)
}

// finish assigns the results of a loop: the values of the first exit whose condition holds, else those in
// last: Choose(c0, v0, Choose(c1, v1, ... last)).
func (w *walker[T]) finish(in *ir.Instr, last []T, exits []exit[T]) {
	for k, v := range in.Results {
		if !w.live.value[v.ID] {
			continue
		}
		x := last[k]
		for j := len(exits) - 1; j >= 0; j-- {
			x = w.dom.Choose(exits[j].cond, exits[j].vals[k], x)
		}
		w.setValue(v, x)
	}
}

// spelled executes a loop without a trip count trip by trip, if it ends: each trip must decide some break,
// within maxSpelled instructions. Otherwise it undoes its effects and reports false. A loop that failed is
// not tried again. An inner loop would otherwise be tried on every attempt of the outer ones, which is
// exponential in the depth of nesting.
func (w *walker[T]) spelled(in *ir.Instr) bool {
	if _, failed := w.beliefs.long[in]; failed {
		return false
	}
	body := in.Sub[0]
	breaks := 0
	w.live.breaks(in, body, func(*ir.Instr) { breaks++ })
	cur := w.liveValues(in.Args)
	gate, context, budget, kills, endings, seen := w.gate, w.context, w.budget, len(w.kills), len(w.endings), w.beliefs.visitedCount()
	found, met := 0, len(w.beliefs.met)
	if p := w.beliefs.prober; p != nil {
		found = len(p.found)
	}
	for i := uint64(1); ; i++ {
		w.bindParams(body, cur)
		w.decided, w.chances = false, breaks
		w.context = symbolic.Mix(context + i)
		left := w.executeRegion(body)
		w.context = context
		if w.err == nil && left {
			w.beliefs.unrolled = true
			n := len(w.exits) - 1
			w.finish(in, w.exits[n].vals, w.exits[:n])
			return true
		}
		if w.err != nil || budget-w.budget > w.limit(maxSpelled) || !w.decided {
			break
		}
		cur = w.liveValues(body.Results)
	}
	w.beliefs.long[in] = w.err == ErrTooLong || w.err == nil && w.decided
	// Undo: restore the lengths of all lists that a trip may have extended.
	w.chances = 0
	if p := w.beliefs.prober; p != nil {
		p.found = p.found[:found]
	}
	w.gate, w.exits, w.kills, w.endings = gate, nil, w.kills[:kills], w.endings[:endings]
	w.beliefs.reset(seen)
	w.beliefs.met = w.beliefs.met[:met]
	w.budget, w.err = budget, nil
	return false
}
