package verify

import (
	"errors"
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// maxUnrolled bounds the instructions that unrolling one loop may execute.
const maxUnrolled = 1 << 13

var errTooLong = errors.New("too many instructions to execute symbolically")

// exit is a break met in a loop body: when it is taken and what the loop's results
// then are. Of several that hold, the first is taken.
type exit[T any] struct {
	cond T
	vals []T
}

func negative(bits uint32) bool { return math.Float32frombits(bits) < 0 }

// leave executes a break and reports whether it is taken for sure.
func (w *walker[T]) leave(in *ir.Instr) bool {
	c := w.decides(in)
	holds, known := w.dom.truth(c)
	if known && !holds {
		return false
	}
	e := exit[T]{cond: w.dom.and(w.path, c), vals: make([]T, len(in.Args))}
	for k, v := range in.Args {
		if w.live.value[v.ID] {
			e.vals[k] = w.value(v)
		}
	}
	w.exits = append(w.exits, e)
	w.gate = w.dom.and(w.gate, w.dom.not(c))
	return known
}

// loop executes a loop.
func (w *walker[T]) loop(in *ir.Instr) {
	if !w.live.ctrl[in] {
		return
	}
	gate, path, exits := w.gate, w.path, w.exits
	defer func() { w.gate, w.path, w.exits = gate, path, exits }()
	w.path, w.exits = w.dom.always(), nil

	trip := [3]T{w.lane(in.Src[0][0]), w.dom.literal(0), w.dom.literal(1)}
	if in.Sub[0].Index != nil {
		trip[1], trip[2] = w.lane(in.Src[0][1]), w.lane(in.Src[0][2])
	}
	if bits, ok := w.dom.bits(trip[0]); ok && w.opt.unroll {
		n := max(0, min(int(int32(bits)), 255))
		if n*size(in.Sub[0]) <= maxUnrolled {
			w.unrolled(in, n, trip)
			return
		}
	}
	if w.opt.sampled {
		w.unrolled(in, w.dom.trips(trip[0]), trip)
		return
	}
	w.induct(in, trip)
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

// unrolled executes n trips one after the other.
func (w *walker[T]) unrolled(in *ir.Instr, n int, trip [3]T) {
	body := in.Sub[0]
	start, _ := w.dom.bits(trip[1])
	step, _ := w.dom.bits(trip[2])
	cur := w.read(in.Args)
	left := false
	for i := 0; i < n && !left; i++ {
		w.bind(body, cur)
		if body.Index != nil {
			w.set(body.Index, w.dom.literal(start+uint32(i)*step))
		}
		if left = w.code(body); !left {
			cur = w.read(body.Results)
		}
	}
	if w.err != nil {
		return
	}
	for k, v := range in.Results {
		if !w.live.value[v.ID] {
			continue
		}
		x := cur[k]
		for j := len(w.exits) - 1; j >= 0; j-- {
			x = w.dom.choose(w.exits[j].cond, w.exits[j].vals[k], x)
		}
		w.set(v, x)
	}
}

// induct executes a loop without knowing how often it runs.
//
// What a parameter holds over the trips is determined by its initial value and by
// how the next one is computed from this one: the parameters are the states of a
// deterministic automaton, and two of them, of one loop or of two, run through the
// same values if no finite unfolding tells them apart. So each parameter gets a
// name made of its initial value, and the body is executed over the names again and
// again, each time naming a parameter by its initial and its next value. This
// is partition refinement: names that are still equal after as many rounds as there
// are parameters in both programs together stay equal for ever, and equality of the
// values follows by induction over the trips.
//
// The values after the loop are named by the parameter, the trip count and the breaks.
func (w *walker[T]) induct(in *ir.Instr, trip [3]T) {
	w.depth++
	defer func() { w.depth-- }()
	body := in.Sub[0]
	initial := w.read(in.Args)
	if body.Index != nil {
		w.args = append(w.args[:0], trip[1], trip[2])
		w.set(body.Index, w.dom.call(tagCounter, uint64(w.depth), w.args))
	}
	w.args = append(w.args[:0], w.gate, trip[0])
	inside := w.dom.call(tagLoop, uint64(w.depth), w.args)
	w.gate = w.dom.and(w.gate, inside)
	gate, kills := w.gate, len(w.kills)
	round := func(vals []T) []T {
		w.bind(body, vals)
		w.gate, w.exits, w.kills = gate, nil, w.kills[:kills]
		if w.code(body) { // never comes to the end
			return vals
		}
		return w.read(body.Results)
	}

	// Parameters that hold whatever they held before are no parameters.
	vals := make([]T, len(initial))
	for k := range vals {
		vals[k] = w.dom.call(tagFresh, uint64(w.depth)<<32|uint64(k), nil)
	}
	fixed := make([]bool, len(initial))
	next := round(vals)
	for k, p := range body.Params {
		fixed[k] = w.live.value[p.ID] && w.live.value[body.Results[k].ID] && w.dom.same(next[k], vals[k])
	}
	name := func(next []T) []T {
		out := make([]T, len(initial))
		for k := range out {
			switch {
			case !w.live.value[body.Params[k].ID]:
				out[k] = w.dom.always()
			case fixed[k]:
				out[k] = initial[k]
			default:
				w.args = append(w.args[:0], initial[k])
				if next != nil {
					w.args = append(w.args, next[k])
				}
				out[k] = w.dom.call(tagCarried, uint64(w.depth), w.args)
			}
		}
		return out
	}
	vals = name(nil)
	for range w.opt.rounds {
		next = round(vals)
		if w.err != nil {
			return
		}
		vals = name(next)
	}
	round(vals)

	w.args = append(w.args[:0], trip[0])
	if body.Index != nil {
		w.args = append(w.args, trip[1], trip[2])
	}
	for _, e := range w.exits {
		w.args = append(w.args, e.cond)
	}
	loop := w.dom.call(tagLoop, uint64(w.depth)|1<<32, w.args)
	for i, k := range w.kills[kills:] {
		w.args = append(w.args[:0], loop, k)
		w.kills[kills+i] = w.dom.call(tagKill, 1, w.args)
	}
	for k, v := range in.Results {
		if !w.live.value[v.ID] {
			continue
		}
		stays := fixed[k]
		w.args = append(w.args[:0], loop, vals[k])
		for _, e := range w.exits {
			stays = stays && w.dom.same(e.vals[k], vals[k])
			w.args = append(w.args, e.vals[k])
		}
		if x := vals[k]; stays {
			w.set(v, x)
		} else {
			w.set(v, w.dom.call(tagExit, uint64(w.depth), w.args))
		}
	}
}
