package walk

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Loops that are not unrolled are executed once, over symbolic names for the carried values of an arbitrary
// trip. Equal names are values that are equal on every trip. The equalities are assumed optimistically and
// checked afterwards. This is the congruence finding of Alpern, Wegman and Zadeck (Detecting Equality of
// Variables in Programs, POPL 1988). Here it works on block parameters of loops, over two programs at once.
//
// At first, a value is assumed to keep its value of the first trip. If a trip changes it, it gets a name made
// of its initial value. In every further round its new name consists of three parts: the old name, the
// current initial value, and its value on the next trip. The last is computed from the names of the round.
// Classes of equal names only split: this is partition refinement, and it ends after at most twice as many
// rounds as there are carried values. When no class splits, members of a class start equal and stay equal, so
// that they are equal on all trips by induction. Every round executes both programs, so that values of one
// share names with values of the other:
//
//	before: for i: s += a[i]        names: s = n(0), t = n(0)
//	after:  for i: t += a[i]        same initial value, same next: one class
//
// Trips of nested loops are distinguished by depth: a name is a function of the trips of the loops around.
// Values behind a loop are closed over its trips by the condition that ends it. Two loops that make equal
// values on every trip, but end on different trips, differ there.

// Beliefs are the candidate invariants: the assumptions about all loops of both versions.
type Beliefs[T any] struct {
	// of holds the assumptions that rounds refine, by loop and context.
	of map[Place]*belief[T]
	// visited are the assumptions used in this round, in the order of execution.
	visited []*belief[T]
	// long are the loops that are too long to unroll (true), or have no literal end (false).
	long map[*ir.Instr]bool
	// unrolled reports that some loop was not too long.
	unrolled bool
	// absorbed are the loops that the loops behind them simulate; prober, if set, finds them. The results
	// with these indices are equal but not the same.
	absorbed map[Place][]int
	prober   *prober[T]
	// exacts are the loops whose trips were computed. met lists them in the order of execution, and schedules
	// has their schedules.
	exacts    map[Place]*exactLoop
	met       []*exactLoop
	schedules map[Place]schedule
	// Pins are the values that have to keep their bits, nil if that is not checked. side is the version that
	// is executed.
	Pins *Pins
	side int
	// Comparisons, if set, records the comparisons of floats.
	Comparisons *comparisons
	// branches, if set, records the conditions of branches.
	branches map[*ir.Instr][]premise
	// copies maps a loop to the number of executions of its body for one trip, if there are several
	// (copies.go).
	copies map[*ir.Instr]int
}

// Place is a loop with the trips of the unrolled loops around it.
type Place struct {
	loop    *ir.Instr
	context uint64
}

// belief has one assumption for each carried value of a loop.
type belief[T any] struct {
	now, next []assumption[T] // of this round and, revised, of the next
}

// assumption states whether a carried value keeps its value of the first trip, or varies and has a name. Once
// it varies, it does so in all later rounds.
type assumption[T any] struct {
	varies bool // else it keeps its value of the first trip
	name   T
	live   bool
	closed bool // the name is a closed form, which is final
}

// varies reports whether any carried value is assumed to change after the first trip.
func (b *belief[T]) varies() bool {
	return slices.ContainsFunc(b.now, func(a assumption[T]) bool { return a.varies && a.live })
}

// NewBeliefs returns beliefs about no loop.
func NewBeliefs[T any]() *Beliefs[T] {
	return &Beliefs[T]{of: map[Place]*belief[T]{}, long: map[*ir.Instr]bool{}, exacts: map[Place]*exactLoop{}}
}

// visit returns the belief about a loop with n carried values, and creates it if the loop is new.
func (b *Beliefs[T]) visit(p Place, n int) *belief[T] {
	x := b.of[p]
	if x == nil {
		x = &belief[T]{now: make([]assumption[T], n), next: make([]assumption[T], n)}
		b.of[p] = x
	}
	b.visited = append(b.visited, x)
	return x
}

// tooLong counts the loops that were not unrolled only because of their length.
func (b *Beliefs[T]) tooLong() (n int) {
	for _, length := range b.long { // counted
		if length {
			n++
		}
	}
	return n
}

// visitedCount and reset forget the loops visited in between.
func (b *Beliefs[T]) visitedCount() int { return len(b.visited) }
func (b *Beliefs[T]) reset(n int)       { b.visited = b.visited[:n] }

// settled ends a round and reports whether it confirmed all of its assumptions: no value that was assumed to
// stay has changed, and the number of classes is the same before and after. Since each new name contains the
// old one, classes can only split, so that equal numbers mean equal partitions. settled adopts the revised
// assumptions for the next round.
func (b *Beliefs[T]) settled(dom symbolic.Domain[T]) bool {
	settled := true
	before, after := map[uint64]bool{}, map[uint64]bool{}
	// Values that are equal without being the same have separate classes.
	wideBefore, wideAfter := map[uint64]bool{}, map[uint64]bool{}
	for _, x := range b.visited {
		for k, old := range x.now {
			switch revised := x.next[k]; {
			case !revised.live:
			case old.varies:
				before[dom.ID(old.name)] = true
				after[dom.ID(revised.name)] = true
				wideBefore[symbolic.Class(dom, old.name)] = true
				wideAfter[symbolic.Class(dom, revised.name)] = true
			case revised.varies:
				settled = false
			}
		}
		copy(x.now, x.next)
	}
	b.visited = b.visited[:0]
	return settled && len(before) == len(after) && len(wideBefore) == len(wideAfter)
}

// maxRounds limits the rounds of refinement. Each round executes both versions. Loops of real programs take a
// handful. ErrTooLong reports that the limit was reached.
const maxRounds = 256

// Run executes the versions in rounds until all assumptions about loops are confirmed, and returns the
// views of the last round. It calls begin with the number of the version before each execution. Without
// inducted loops there is one round.
func Run[T any](dom symbolic.Domain[T], sides []*Observation, opt Options, assumed *Beliefs[T],
	begin func(side int)) ([]*View[T], error) {
	views := make([]*View[T], len(sides))
	for round := range maxRounds {
		for i, o := range sides {
			begin(i)
			long := assumed.tooLong()
			assumed.side = i
			var err error
			views[i], err = execute(dom, o, opt, assumed)
			o.unrolls = o.unrolls || assumed.unrolled
			if round == 0 && opt == (Options{Unroll: true, Reals: opt.Reals, split: opt.split}) {
				o.tooLong = assumed.tooLong() - long
			}
			if err != nil {
				return nil, err
			}
		}
		inducted := len(assumed.visited) > 0
		if assumed.settled(dom) {
			for _, v := range views {
				v.Inducted = inducted
			}
			return views, nil
		}
	}
	return nil, ErrTooLong
}

// induct executes a loop without a known number of trips. trip holds the count, start and step of a loop that a
// register counts, and is empty for a loop that only breaks end. The results become functions of the names of
// the body and of the exit condition alone.
func (w *walker[T]) induct(in *ir.Instr, trip []T) {
	most := w.mostTrips(trip)
	k, trip := w.copies(in, trip)
	w.depth++
	context := w.context
	defer func() { w.depth, w.context = w.depth-1, context }()
	if k > 1 { // facts about k trips at a time hold for no other number
		w.context = symbolic.Mix(context ^ uint64(k)<<32)
	}
	body := in.Sub[0]
	initial := w.liveValues(in.Args)
	b := w.beliefs.visit(Place{in, w.context}, len(initial))
	vals := w.assumed(b, initial)
	w.applyClosedForms(in, b, initial, vals)
	if body.Index != nil {
		w.args = append(w.args[:0], trip[1:]...)
		w.setValue(body.Index, w.dom.Opaque(symbolic.TagCounter, uint64(w.depth), w.args))
	}
	w.args = append(append(w.args[:0], w.gate), trip[:min(len(trip), 1)]...)
	entered := w.gate
	// The body runs if the loop was entered and a trip is made. This condition is a name as well, so that
	// derivatives in both bodies can be equal.
	inside := w.dom.Opaque(symbolic.TagLoop, uint64(w.depth), w.args)
	w.gate = w.dom.And(w.gate, inside)
	inner := w.gate
	kills := len(w.kills)
	outer := w.facts
	w.facts = w.findFacts(in, most, k == 1)
	next := w.copied(in, vals, k)
	w.facts = outer
	if w.err != nil {
		return
	}
	w.revise(b, body, initial, next)

	// A register counts: results are functions of the count, of every exit, and of the carried value. A value
	// that no trip and no exit changes keeps its value from before the loop.
	if len(trip) == 0 {
		w.probe(in, initial, vals, next, inner)
		w.setExitResults(in, b, initial, kills, entered)
		return
	}
	w.args = append(w.args[:0], trip...)
	for _, e := range w.exits {
		w.args = append(w.args, e.cond)
	}
	w.pinExits(in, w.args[len(trip):])
	loop := w.dom.Opaque(symbolic.TagLoop, uint64(w.depth)|1<<32, w.args)
	w.closeKills(loop, kills)
	for k, v := range in.Results {
		if !w.live.value[v.ID] {
			continue
		}
		// A result that stays is the initial value, even without a single trip.
		stays := !b.now[k].varies
		w.args = append(w.args[:0], loop, vals[k])
		for _, e := range w.exits {
			stays = stays && w.dom.Same(e.vals[k], vals[k])
			w.args = append(w.args, e.vals[k])
		}
		if x := vals[k]; stays {
			w.setValue(v, x)
		} else {
			w.setValue(v, w.dom.Opaque(symbolic.TagExit, uint64(w.depth), w.args))
		}
	}
}

// assumed returns the assumed values that a loop carries into an arbitrary trip. A name is refined by the
// initial value of this round. With the value of the previous round, each successive loop would take one more
// round to be distinguished.
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

// revise corrects the assumptions about a loop by its values on the next trip, and stores those of the next
// round in b.next. next is nil if there is never a second trip.
func (w *walker[T]) revise(b *belief[T], body *ir.Region, initial, next []T) {
	for k, p := range body.Params {
		old := b.now[k]
		revised := assumption[T]{varies: old.varies, live: w.live.value[p.ID]}
		switch {
		case !revised.live:
		case old.closed:
			revised = old
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

// closeKills closes the drop conditions of a loop, from the n-th on, over its trips, and the endings in its
// body.
func (w *walker[T]) closeKills(loop T, n int) {
	for i, k := range w.kills[n:] {
		w.args = append(w.args[:0], loop, k)
		w.kills[n+i] = w.dom.Opaque(symbolic.TagKill, 1, w.args)
	}
	w.closeEndings(loop, n)
}

// setExitResults assigns the results of a loop that only breaks end: their values at the first trip on which any break
// is taken. The loop was entered under the condition entered. TagExit of a condition goesOn and of a value,
// both functions of the trip, is that value at the first trip on which goesOn fails.
func (w *walker[T]) setExitResults(in *ir.Instr, b *belief[T], initial []T, kills int, entered T) {
	n := len(w.exits) - 1
	if n < 0 { // code behind it is unreachable
		loop := w.dom.Opaque(symbolic.TagLoop, uint64(w.depth)|2<<32, nil)
		w.closeKills(loop, kills)
		w.endsBy(in, loop, entered, kills)
		for _, v := range in.Results {
			w.setValue(v, loop)
		}
		return
	}
	goesOn := w.dom.Always()
	for _, e := range w.exits {
		goesOn = w.dom.And(goesOn, w.dom.Not(e.cond))
	}
	w.finish(in, w.exits[n].vals, w.exits[:n])
	// Closed forms are functions of the trip. Only results of TagExit do not depend on it.
	if holds, known := w.dom.Truth(goesOn); known && !holds && !w.opt.linear {
		return // left on the first trip
	}
	w.args = append(w.args[:0], goesOn)
	w.pinExits(in, w.args)
	loop := w.dom.Opaque(symbolic.TagLoop, uint64(w.depth)|2<<32, w.args)
	w.closeKills(loop, kills)
	if !w.bounded(in) {
		w.endsBy(in, loop, entered, kills)
	}
	// If nothing varies, all trips are alike, and the results are those of the first one.
	varies := b.varies()
	for k, v := range in.Results {
		if !w.live.value[v.ID] {
			continue
		}
		x := w.value(v)
		if b.now[k].varies || varies && !w.dom.Same(x, initial[k]) {
			w.args = append(w.args[:0], loop, x)
			w.setValue(v, w.dom.Opaque(symbolic.TagExit, uint64(w.depth)|1<<32, w.args))
		}
	}
}
