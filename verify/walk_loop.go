package verify

import (
	"errors"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// maxUnrolled and maxSpelled bound the instructions that unrolling one loop, with a trip count and
// without, may execute. They keep unrolling within maxExecuted; longer loops are matched by
// induction.
const (
	maxUnrolled = 1 << 13
	maxSpelled  = 1 << 15
)

// limit is how many instructions unrolling a loop may execute that usually are at most usual. A loop
// of one side may be beyond that and the same loop of the other, whose instructions compute several
// values each, not be; then they can be unrolled alone, and the walk has to do so within its own bound.
func (opt loopOptions) limit(usual int) int {
	if opt.long {
		return maxExecuted
	}
	return usual
}

var (
	// What ends a walk or an attempt: the function is too long; a loop in a trip that is compared
	// cannot be unrolled; no break of a trip is decided, so that unrolling would not end.
	errTooLong = errors.New("too many instructions to execute symbolically")
	errNested  = errors.New("a loop in a trip that is compared")
	errOpen    = errors.New("a trip that decides nothing")
)

// exit is a break met in a loop body: when it is taken, and what the loop's results then are. Of
// several that hold the first in program order is taken.
type exit[T any] struct {
	cond T
	vals []T
}

// negative reports whether bits are a float below zero, which -0 and NaN are not.
func negative(bits uint32) bool { return math.Float32frombits(bits) < 0 }

// leave executes a break and reports whether it is taken for sure. A break that surely is not
// taken leaves no trace but decided; any other adds an exit.
func (w *walker[T]) leave(in *ir.Instr) bool {
	c := w.decides(in)
	holds, known := w.dom.Truth(c)
	// The trip count was computed: the break is taken on the last trip and on no other.
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
		if w.chances--; w.chances == 0 { // what comes of this trip is known now
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
	return known
}

// narrow takes it that c, which a loop is left on, did not hold.
func (w *walker[T]) narrow(c T) {
	if !w.together {
		w.gate = w.dom.And(w.gate, w.dom.Not(c))
	}
}

// loop executes a loop in the first of the ways that apply: a loop that breaks alone end (AMD IL) is
// absorbed, unrolled, matched in batches or inducted; one that a register counts (Direct3D 9 rep
// and loop, whose integer constant holds count, start and step) is unrolled where these are literals.
func (w *walker[T]) loop(in *ir.Instr) {
	if !w.live.ctrl[in] {
		return
	}
	gate, path, exits, decided, chances, enclosed := w.gate, w.path, w.exits, w.decided, w.chances, w.enclosed
	defer func() {
		w.gate, w.path, w.exits, w.decided, w.chances, w.enclosed = gate, path, exits, decided, chances, enclosed
	}()
	w.path, w.exits, w.chances, w.enclosed = w.dom.Always(), nil, 0, len(w.endings)

	if len(in.Src) == 0 {
		switch {
		case w.beliefs.absorbed[place{in, w.context}]:
			w.pass(in)
		case w.opt.unroll && w.spelled(in):
		case w.probing:
			w.err = errNested
		default:
			if w.opt.batched {
				if e := w.exactly(in); e != nil {
					w.batched(in, e)
					return
				}
			}
			w.induct(in, nil)
		}
		return
	}
	// rep reads a count alone, loop also where aL starts and by how much it steps.
	trip := [3]T{w.lane(in.Src[0][0]), w.dom.Literal(0), w.dom.Literal(1)}
	if in.Sub[0].Index != nil {
		trip[1], trip[2] = w.lane(in.Src[0][1]), w.lane(in.Src[0][2])
	}
	if bits, ok := w.dom.Bits(trip[0]); ok && w.opt.unroll && w.stated(trip[1:]) {
		n := ir.LoopCount(bits)
		if n*size(in.Sub[0]) <= w.opt.limit(maxUnrolled) {
			w.beliefs.unrolled = true
			w.unrolled(in, n, trip)
			return
		}
		w.beliefs.long[in] = true
	}
	if bits, ok := w.dom.Bits(trip[0]); ok && w.opt.batched && in.Sub[0].Index == nil {
		if e := w.counted(in, bits); e != nil {
			w.batched(in, e)
			return
		}
	}
	if w.opt.sampled {
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

// size counts the instructions of a region.
func size(r *ir.Region) (n int) {
	r.Walk(func(*ir.Instr) { n++ })
	return n
}

// bind gives the parameters of a body their values.
func (w *walker[T]) bind(body *ir.Region, vals []T) {
	for k, p := range body.Params {
		if w.live.value[p.ID] {
			w.set(p, vals[k])
		}
	}
}

// read collects the live ones among vs.
func (w *walker[T]) read(vs []*ir.Value) []T {
	out := make([]T, len(vs))
	for k, v := range vs {
		if w.live.value[v.ID] {
			out[k] = w.value(v)
		}
	}
	return out
}

// unrolled executes n trips one after the other, each in a context of its own. It ends before n
// where a break is taken for sure.
func (w *walker[T]) unrolled(in *ir.Instr, n int, trip [3]T) {
	body := in.Sub[0]
	cur := w.read(in.Args)
	left := false
	context := w.context
	for i := 0; i < n && !left; i++ {
		w.bind(body, cur)
		if body.Index != nil {
			w.set(body.Index, w.counter(trip, i))
		}
		w.context = symbolic.Mix(context + uint64(i) + 1)
		if left = w.code(body); !left {
			cur = w.read(body.Results)
		}
	}
	w.context = context
	if w.err == nil {
		w.finish(in, cur, w.exits)
	}
}

// counter is what a loop counts on trip i.
func (w *walker[T]) counter(trip [3]T, i int) T {
	if start, ok := w.dom.Bits(trip[1]); ok {
		if step, ok := w.dom.Bits(trip[2]); ok {
			return w.dom.Literal(uint32(ir.LoopStart(start) + i*ir.LoopStep(step)))
		}
	}
	w.args = append(w.args[:0], trip[1], trip[2])
	return w.dom.Opaque(symbolic.TagCounter, uint64(i)<<32, w.args)
}

// finish gives the results of a loop the values of the first exit whose condition holds, else those
// in last: Choose(c0, v0, Choose(c1, v1, ... last)).
func (w *walker[T]) finish(in *ir.Instr, last []T, exits []exit[T]) {
	for k, v := range in.Results {
		if !w.live.value[v.ID] {
			continue
		}
		x := last[k]
		for j := len(exits) - 1; j >= 0; j-- {
			x = w.dom.Choose(exits[j].cond, exits[j].vals[k], x)
		}
		w.set(v, x)
	}
}

// spelled executes a loop without a trip count trip by trip, if it comes to an end: as long as each
// trip decides some break, and it does not take more than maxSpelled instructions. Else it undoes
// what it has done and reports false. A loop that failed is not tried again: one within others would
// be on every try of those, which is exponential in the depth of nesting.
func (w *walker[T]) spelled(in *ir.Instr) bool {
	if _, failed := w.beliefs.long[in]; failed {
		return false
	}
	body := in.Sub[0]
	breaks := 0
	w.live.breaks(in, body, func(*ir.Instr) { breaks++ })
	cur := w.read(in.Args)
	gate, context, budget, kills, endings, seen := w.gate, w.context, w.budget, len(w.kills), len(w.endings), w.beliefs.mark()
	found, met := 0, len(w.beliefs.met)
	if p := w.beliefs.prober; p != nil {
		found = len(p.found)
	}
	for i := uint64(1); ; i++ {
		w.bind(body, cur)
		w.decided, w.chances = false, breaks
		w.context = symbolic.Mix(context + i)
		left := w.code(body)
		w.context = context
		if w.err == nil && left {
			w.beliefs.unrolled = true
			n := len(w.exits) - 1
			w.finish(in, w.exits[n].vals, w.exits[:n])
			return true
		}
		if w.err != nil || budget-w.budget > w.opt.limit(maxSpelled) || !w.decided {
			break
		}
		cur = w.read(body.Results)
	}
	w.beliefs.long[in] = w.err == errTooLong || w.err == nil && w.decided
	// Undo: everything that a trip may have appended goes back to its length before the first.
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
