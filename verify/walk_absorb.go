package verify

import (
	"errors"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/order"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// A loop M that makes several trips at a time, and behind it the loop L that makes one (a loop
// unrolled by a factor, and its remainder), do what L does alone, if whenever M makes a trip, from
// whichever state s,
//
//	it leads to where n trips of L lead from s, n > 0, and
//	L is not left on any of them.
//
// For where M ends, with the state that its last trip began in, L goes on from a state that it would
// have come to itself; and if M never ends neither does L. M is then absorbed: what goes into it
// comes out of it, and L alone is compared with the loop of the other side. It is a simulation of M
// by L, checked for one trip from a symbolic state:
//
//	loop M: if i+4 > n break; s += a[i]+a[i+1]+a[i+2]+a[i+3]; i += 4
//	loop L: if i >= n break;  s += a[i]; i += 1
//
// What a trip does is found by executing both bodies from one state. That L is not left follows from
// M not being left, by what is known of the order of numbers (package order).

// prober looks for loops that are absorbed, once what is assumed of loops is borne out, so that
// names of carried values stand for equal values.
type prober[T any] struct {
	rests map[*ir.Instr]*rest
	// judge returns what tells, of a trip of M, that a condition cannot hold in it. It needs terms,
	// which have a structure to reason about. Without one, known says for how many trips L is not
	// left, as an earlier walk in the domain of terms has found.
	judge func(t *order.Trip[T]) (never func(c T) bool)
	known map[place]int
	// found collects what the walk has found, one for each pair that was tried.
	found []finding
}

// finding says that L is not left for reach trips where M makes one, and whether one of those trips
// leads to where the trip of M does (equal): then M is absorbed.
type finding struct {
	at    place
	reach int
	equal bool
}

// absorbed finds out about the loops of o that might be absorbed. Each pass takes those found so far
// to be absorbed, and goes on while that may help others: what starts where an absorbed loop
// ends is known better then.
func absorbed[T any](dom symbolic.Domain[T], o *observation, opt loopOptions, judge func(*order.Trip[T]) func(T) bool, known map[place]int) ([]finding, error) {
	if o.kernel == nil {
		return nil, nil // registers count the loops of Direct3D
	}
	p := &prober[T]{rests: rests(o.kernel.function(), o.kernelLive), judge: judge, known: known}
	if len(p.rests) == 0 {
		return nil, nil
	}
	opt.batched = false // a loop that is absorbed need not be counted
	var found []finding
	done := map[place]bool{}
	for {
		b := newBeliefs[T]()
		b.absorbed = done
		if _, err := converge(dom, []*observation{o}, opt, b, func(int) {}); err != nil {
			return nil, err
		}
		b.prober = p
		p.found = nil
		if _, err := execute(dom, o, opt, b); err != nil {
			return nil, err
		}
		found = append(found, p.found...)
		// What starts where absorbed loops end is known better now.
		more, missed := false, false
		for _, f := range p.found {
			more, missed = more || f.equal, missed || !f.equal
			done[f.at] = done[f.at] || f.equal
		}
		if !more || !missed {
			return found, nil
		}
	}
}

// reaches is absorbed in the domain of terms, where conditions can be judged.
func reaches(t *symbolic.Terms, dom symbolic.Domain[symbolic.Term], o *observation, opt loopOptions, reals bool) ([]finding, error) {
	w, ok := dom.(*words.Words[symbolic.Term])
	if !ok {
		return nil, nil
	}
	return absorbed(dom, o, opt, order.Judge(t, w, o.kernel.alike, reals), nil)
}

// absorb notes what was found to be absorbed.
func (b *beliefs[T]) absorb(found []finding) {
	for _, f := range found {
		if f.equal {
			if b.absorbed == nil {
				b.absorbed = map[place]bool{}
			}
			b.absorbed[f.at] = true
		}
	}
}

// plan executes both sides once to match the loops whose trips are known. It returns errNothing
// where this is no other way to execute them than before: no loop makes several trips at a time and
// none is absorbed.
func (b *beliefs[T]) plan(dom symbolic.Domain[T], sides []*observation, opt loopOptions) error {
	var met [2][]*exactLoop
	for i, o := range sides {
		first := newBeliefs[T]()
		first.absorbed = b.absorbed
		if _, err := execute(dom, o, opt, first); err != nil {
			return err
		}
		met[i] = first.met
	}
	b.schedules = schedules(met[0], met[1])
	for _, s := range b.schedules { // any
		if s.each > 1 {
			return nil
		}
	}
	if len(b.absorbed) == 0 {
		return errNothing
	}
	return nil
}

// errNothing says that no loop of either side makes several trips at a time.
var errNothing = errors.New("no loop makes several trips at a time")

// pass takes a loop to be absorbed: its results are its arguments.
func (w *walker[T]) pass(in *ir.Instr) {
	for k, v := range in.Results {
		if w.live.value[v.ID] {
			w.set(v, w.value(in.Args[k]))
		}
	}
}

// probe looks whether the loop in, whose trips go from vals to next under the condition gate, is
// absorbed by the one behind it, and notes a finding. It leaves the walker as it was, but for
// values of the bodies, which nothing reads afterwards.
func (w *walker[T]) probe(in *ir.Instr, initial, vals, next []T, gate T) {
	p := w.beliefs.prober
	if p == nil || w.probing || next == nil {
		return
	}
	r, at := p.rests[in], place{in, w.context}
	if r == nil || p.judge == nil && p.known[at] == 0 {
		return
	}
	// A trip with a kill in it is not compared: its condition would be met once in M, and several
	// times in L.
	outer := *w
	w.probing, w.together, w.convergent = true, true, false
	defer func() {
		w.gate, w.exits, w.decided, w.context, w.budget, w.err = outer.gate, outer.exits, outer.decided, outer.context, outer.budget, outer.err
		w.kills, w.endings = w.kills[:len(outer.kills)], w.endings[:len(outer.endings)]
		w.probing, w.together, w.convergent = outer.probing, outer.together, outer.convergent
	}()

	t := w.tripOf(r, in, initial, vals, gate)
	if t == nil {
		return
	}
	steps := outer.budget - w.budget
	body := r.loop.Sub[0]
	cur, want := w.behind(r, vals, t.Next)
	var never func(T) bool
	f := finding{at: at}
	defer func() { p.found = append(p.found, f) }()
	// Trips of L are made while they cost no more than a few times what the trip of M did.
	for outer.budget-w.budget <= 3*steps+size(body) {
		if p.judge == nil && f.reach == p.known[at] {
			return
		}
		w.gate, w.exits, w.context = gate, nil, symbolic.Mix(outer.context-uint64(f.reach+1))
		w.bind(body, cur)
		if w.code(body) || w.err != nil || len(w.kills) > len(outer.kills) {
			return
		}
		if p.judge != nil {
			if never == nil {
				t.Convergent = w.convergent
				never = p.judge(t)
			}
			if w.convergent != t.Convergent || slices.ContainsFunc(w.exits, func(e exit[T]) bool { return !never(e.cond) }) {
				return
			}
		}
		f.reach++
		cur = w.read(body.Results)
		f.equal = f.equal || w.dom.Same(w.state(r, cur), w.state(r, want))
	}
}

// tripOf executes a trip of M again, the loop in, as if all invocations left loops together. It is
// nil if L, behind it, would not begin where the trip did, or if the trip cannot be followed.
func (w *walker[T]) tripOf(r *rest, in *ir.Instr, initial, vals []T, gate T) *order.Trip[T] {
	kills := len(w.kills)
	t := &order.Trip[T]{Depth: w.depth, Names: vals, Initial: initial}
	w.gate, w.exits = gate, nil
	w.bind(in.Sub[0], vals)
	if w.code(in.Sub[0]) || w.err != nil || len(w.kills) > kills {
		return nil
	}
	t.Next = w.read(in.Sub[0].Results)
	for _, v := range in.Sub[0].Params {
		t.Live = append(t.Live, w.live.value[v.ID])
	}
	for _, e := range w.exits {
		t.Exits = append(t.Exits, e.cond)
		// L starts with what M's exits carry, which must be the state that the trip began in.
		for _, k := range r.from {
			if k >= 0 && !w.dom.Same(e.vals[k], vals[k]) {
				return nil
			}
		}
	}
	return t
}

// behind returns what L carries where a trip of M begins, from vals, and where it ends, in next.
func (w *walker[T]) behind(r *rest, vals, next []T) (begin, end []T) {
	for _, v := range r.late { // whatever it will be, trips of M do not change it
		w.set(v, w.dom.Opaque(symbolic.TagFresh, uint64(v.ID), nil))
	}
	begin, end = make([]T, len(r.from)), make([]T, len(r.from))
	for j, k := range r.from {
		switch {
		case !w.live.value[r.loop.Sub[0].Params[j].ID]:
			continue
		case k >= 0:
			begin[j], end[j] = vals[k], next[k]
		default:
			begin[j] = w.value(r.loop.Args[j])
			end[j] = begin[j]
		}
	}
	return begin, end
}

// state is all that a loop carries and reads, as one value: states are equal if these are.
func (w *walker[T]) state(r *rest, vals []T) T {
	w.args = w.args[:0]
	for k, p := range r.loop.Sub[0].Params {
		if w.live.value[p.ID] && r.read[k] {
			w.args = append(w.args, vals[k])
		}
	}
	return w.dom.Opaque(symbolic.TagState, 0, w.args)
}
