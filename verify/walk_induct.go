package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Loops that are not unrolled are executed once, over names that stand for the values carried into
// any one trip: equal names are values that are equal on every trip. Which those are is assumed
// optimistically and checked afterwards, as in the congruence finding of Alpern, Wegman and Zadeck
// (Detecting Equality of Variables in Programs, POPL 1988), of which this is the instance for block
// parameters of loops, over two programs at once.
//
// In the beginning a value is assumed to stay what it is on the first trip. Where a trip changes it,
// it gets a name made of its initial value. In every further round its name becomes one made of
// the old name, of the initial value as it is then, and of its value on the next trip, as computed
// from the names of the round. Classes of equal names only ever split: this is partition refinement, and
// it ends after at most twice as many rounds as there are carried values. Once none splits, those with
// the same name begin equal and go on equal, so that they are equal on all trips by induction. Both
// programs are executed in every round, so that values of one share names with values of the other:
//
//	before: for i: s += a[i]        names: s = n(0), t = n(0)
//	after:  for i: t += a[i]        same initial value, same next: one class
//
// Trips of nested loops are told apart by depth: a name stands for a function of the trips of the
// loops around. What is left after a loop is closed over its trips by the condition that ends it.
// Two loops that make equal values on every trip, but end on another one, part there.

// beliefs are the assumptions about all loops of both sides.
type beliefs[T any] struct {
	// of holds the assumptions that rounds carry on, by loop and context.
	of map[place]*belief[T]
	// visited are those that were used in this round, in the order of execution.
	visited []*belief[T]
	// long are the loops that are too long to be unrolled, or have no literal end (false).
	long map[*ir.Instr]bool
	// unrolled tells that some loop was not too long.
	unrolled bool
	// absorbed are the loops whose trips those after them make as well, and prober, if
	// set, finds them.
	absorbed map[place]bool
	prober   *prober[T]
	// exacts are the loops whose trips were computed, met those in the order in which they
	// were executed, and schedules says how.
	exacts    map[place]*exactLoop
	met       []*exactLoop
	schedules map[place]schedule
}

// place is a loop, and the trips of the unrolled loops around it.
type place struct {
	loop    *ir.Instr
	context uint64
}

// belief is what is assumed of the values that a loop carries, one assumption a parameter.
type belief[T any] struct {
	now, next []assumption[T] // of this round and, revised, of the next one
}

// assumption is about a carried value: it stays what it is on the first trip, or it varies and
// goes by name. Once it varies it does so in all later rounds.
type assumption[T any] struct {
	varies bool // else it stays what it is on the first trip
	name   T
	live   bool
}

// varies reports whether a trip is believed to differ from the first one in anything that is carried.
func (b *belief[T]) varies() bool {
	return slices.ContainsFunc(b.now, func(a assumption[T]) bool { return a.varies && a.live })
}

func newBeliefs[T any]() *beliefs[T] {
	return &beliefs[T]{of: map[place]*belief[T]{}, long: map[*ir.Instr]bool{}, exacts: map[place]*exactLoop{}}
}

// visit is the belief about a loop that carries n values, made if the loop is new.
func (b *beliefs[T]) visit(p place, n int) *belief[T] {
	x := b.of[p]
	if x == nil {
		x = &belief[T]{now: make([]assumption[T], n), next: make([]assumption[T], n)}
		b.of[p] = x
	}
	b.visited = append(b.visited, x)
	return x
}

// tooLong counts the loops that were not unrolled for their length alone.
func (b *beliefs[T]) tooLong() (n int) {
	for _, length := range b.long { // counted
		if length {
			n++
		}
	}
	return n
}

// mark and reset forget the loops visited in between.
func (b *beliefs[T]) mark() int   { return len(b.visited) }
func (b *beliefs[T]) reset(n int) { b.visited = b.visited[:n] }

// settled ends a round and reports whether it bore out all assumptions made in it: no value that
// was assumed to stay has changed, and the number of classes is the same before and after. Since
// each new name contains the old one, classes can only split, so that equal numbers mean equal
// partitions. It takes the revised assumptions over for the next round.
func (b *beliefs[T]) settled(dom symbolic.Domain[T]) bool {
	settled := true
	before, after := map[uint64]bool{}, map[uint64]bool{}
	for _, x := range b.visited {
		for k, old := range x.now {
			switch revised := x.next[k]; {
			case !revised.live:
			case old.varies:
				before[dom.ID(old.name)] = true
				after[dom.ID(revised.name)] = true
			case revised.varies:
				settled = false
			}
		}
		copy(x.now, x.next)
	}
	b.visited = b.visited[:0]
	return settled && len(before) == len(after)
}

// maxRounds bounds the rounds of refinement, each of which executes both sides. Loops of real
// programs take a handful; errTooLong says that the bound was met.
const maxRounds = 256

// converge executes the sides in rounds until all assumptions about loops are borne out, and
// returns the views of the last round. begin is called before each execution, with the number of
// the side. Without loops that are inducted there is one round.
func converge[T any](dom symbolic.Domain[T], sides []*observation, opt loopOptions, assumed *beliefs[T], begin func(side int)) ([]*view[T], error) {
	views := make([]*view[T], len(sides))
	for round := range maxRounds {
		for i, o := range sides {
			begin(i)
			long := assumed.tooLong()
			var err error
			views[i], err = execute(dom, o, opt, assumed)
			o.unrolls = o.unrolls || assumed.unrolled
			if round == 0 && opt == (loopOptions{unroll: true, reals: opt.reals}) {
				o.tooLong = assumed.tooLong() - long
			}
			if err != nil {
				return nil, err
			}
		}
		inducted := len(assumed.visited) > 0
		if assumed.settled(dom) {
			for _, v := range views {
				v.inducted = inducted
			}
			return views, nil
		}
	}
	return nil, errTooLong
}

// induct executes a loop without knowing how often it runs: as often as trip says, which is its
// count, start and step, or until it is left, if trip is empty. It leaves in the results values
// that are functions of the names of the body, of what ends the loop, and of nothing else about
// the number of trips.
func (w *walker[T]) induct(in *ir.Instr, trip []T) {
	w.depth++
	defer func() { w.depth-- }()
	body := in.Sub[0]
	initial := w.read(in.Args)
	b := w.beliefs.visit(place{in, w.context}, len(initial))
	vals := w.assumed(b, initial)
	if body.Index != nil {
		w.args = append(w.args[:0], trip[1:]...)
		w.set(body.Index, w.dom.Opaque(symbolic.TagCounter, uint64(w.depth), w.args))
	}
	w.args = append(append(w.args[:0], w.gate), trip[:min(len(trip), 1)]...)
	entered := w.gate
	// The body runs where the loop was entered and a trip is made; that condition is a name as well,
	// so that derivatives in the body of one side equal those in the body of the other.
	inside := w.dom.Opaque(symbolic.TagLoop, uint64(w.depth), w.args)
	w.gate = w.dom.And(w.gate, inside)
	inner := w.gate
	kills := len(w.kills)
	w.bind(body, vals)
	var next []T
	if !w.code(body) {
		next = w.read(body.Results)
	}
	if w.err != nil {
		return
	}
	w.revise(b, body, initial, next)

	// A register counts: results are functions of the count, of every exit, and of the carried value.
	// One that no trip and no exit changes is what it was before the loop.
	if len(trip) == 0 {
		w.probe(in, initial, vals, next, inner)
		w.left(in, b, initial, kills, entered)
		return
	}
	w.args = append(w.args[:0], trip...)
	for _, e := range w.exits {
		w.args = append(w.args, e.cond)
	}
	loop := w.dom.Opaque(symbolic.TagLoop, uint64(w.depth)|1<<32, w.args)
	w.closeKills(loop, kills)
	for k, v := range in.Results {
		if !w.live.value[v.ID] {
			continue
		}
		// A result that stays is the initial value, though the loop may not make a single trip.
		stays := !b.now[k].varies
		w.args = append(w.args[:0], loop, vals[k])
		for _, e := range w.exits {
			stays = stays && w.dom.Same(e.vals[k], vals[k])
			w.args = append(w.args, e.vals[k])
		}
		if x := vals[k]; stays {
			w.set(v, x)
		} else {
			w.set(v, w.dom.Opaque(symbolic.TagExit, uint64(w.depth), w.args))
		}
	}
}

// assumed are the values that a loop is believed to carry into any one trip. A name is
// refined by the initial value of this round: if it were that of the round before, each
// loop behind another would take a round more to be told from it.
func (w *walker[T]) assumed(b *belief[T], initial []T) []T {
	vals := make([]T, len(initial))
	for k := range vals {
		now := &b.now[k]
		if vals[k] = initial[k]; now.varies && now.live {
			w.args = append(w.args[:0], now.name, initial[k])
			now.name = w.dom.Opaque(symbolic.TagCarried, uint64(w.depth), w.args)
			vals[k] = now.name
		}
	}
	return vals
}

// revise corrects what is believed of a loop by how its values go on: it puts into b.next what the
// next round assumes. next is nil if there is never a second trip.
func (w *walker[T]) revise(b *belief[T], body *ir.Region, initial, next []T) {
	for k, p := range body.Params {
		old := b.now[k]
		revised := assumption[T]{varies: old.varies, live: w.live.value[p.ID]}
		switch {
		case !revised.live:
		case old.varies:
			w.args = append(w.args[:0], old.name)
			if next != nil {
				w.args = append(w.args, next[k])
			}
			revised.name = w.dom.Opaque(symbolic.TagCarried, uint64(w.depth), w.args)
		case next != nil && !w.dom.Same(next[k], initial[k]):
			w.args = append(w.args[:0], initial[k])
			revised.varies, revised.name = true, w.dom.Opaque(symbolic.TagCarried, uint64(w.depth), w.args)
		}
		b.next[k] = revised
	}
}

// closeKills closes the conditions met in a loop, from the n-th on, over its trips, and
// so what has to end in it.
func (w *walker[T]) closeKills(loop T, n int) {
	for i, k := range w.kills[n:] {
		w.args = append(w.args[:0], loop, k)
		w.kills[n+i] = w.dom.Opaque(symbolic.TagKill, 1, w.args)
	}
	w.closeEndings(loop, n)
}

// left gives the results of a loop that only breaks end their values: those at the first trip on
// which any of them is taken. It was entered where the condition entered held. TagExit of the
// condition goesOn and of a value, both functions of the trip, is that value at the first trip on
// which goesOn does not hold.
func (w *walker[T]) left(in *ir.Instr, b *belief[T], initial []T, kills int, entered T) {
	n := len(w.exits) - 1
	if n < 0 { // what comes after it is never reached
		loop := w.dom.Opaque(symbolic.TagLoop, uint64(w.depth)|2<<32, nil)
		w.closeKills(loop, kills)
		w.endsBy(loop, entered, kills)
		for _, v := range in.Results {
			w.set(v, loop)
		}
		return
	}
	goesOn := w.dom.Always()
	for _, e := range w.exits {
		goesOn = w.dom.And(goesOn, w.dom.Not(e.cond))
	}
	w.finish(in, w.exits[n].vals, w.exits[:n])
	if holds, known := w.dom.Truth(goesOn); known && !holds {
		return // on the first trip
	}
	w.args = append(w.args[:0], goesOn)
	loop := w.dom.Opaque(symbolic.TagLoop, uint64(w.depth)|2<<32, w.args)
	w.closeKills(loop, kills)
	if !w.bounded(in) {
		w.endsBy(loop, entered, kills)
	}
	// Where nothing varies all trips are alike, and what comes out is what the first one makes.
	varies := b.varies()
	for k, v := range in.Results {
		if !w.live.value[v.ID] {
			continue
		}
		x := w.value(v)
		if b.now[k].varies || varies && !w.dom.Same(x, initial[k]) {
			w.args = append(w.args[:0], loop, x)
			w.set(v, w.dom.Opaque(symbolic.TagExit, uint64(w.depth)|1<<32, w.args))
		}
	}
}
