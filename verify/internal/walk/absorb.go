package walk

import (
	"errors"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// A loop M makes several trips at a time, and the remainder loop L behind it makes single trips: a loop
// unrolled by a factor, and its remainder. Both together do the work of L alone if every trip of M, from any
// state s, satisfies two conditions:
//
//	n trips of L, n > 0, lead from s to the same state, and
//	L is not left on any of them.
//
// Where M ends, with the state in which its last trip began, L continues from a state that it would have
// reached itself. If M never ends, neither does L. M is then absorbed: its results are its arguments, and L
// alone is compared with the loop of the other version. This is a simulation of M by L, checked for one trip
// from a symbolic state:
//
//	loop M: if i+4 > n break; s += a[i]+a[i+1]+a[i+2]+a[i+3]; i += 4
//	loop L: if i >= n break;  s += a[i]; i += 1
//
// Both bodies are executed from one state to find the effect of a trip. L is not left because M is not left,
// by the known order of numbers (words.Judge).

// prober is the simulation checker: it searches for absorbed loops after the assumptions about loops have
// been proved, so that names of carried values represent equal values.
type prober[T any] struct {
	rests map[*ir.Instr]*rest
	// judge returns a function that reports, for a trip of M, whether a condition cannot hold in it. It needs
	// terms, which have a structure to reason about. Without it, known has the numbers of trips during which
	// L is not left, from an earlier walk in the domain of terms.
	judge func(t *words.Trip[T]) (never func(c T) bool)
	known map[Place]int
	// found collects the findings of the walk, one for each pair that was tried.
	found []finding
}

// finding records that L is not left during reach trips where M makes one. The flag equal reports that one of
// these trips leads to the state after the trip of M: M is then absorbed. The list blurred has the carried
// values of M that are equal and not the same: sums of reals in another order.
type finding struct {
	At      Place
	Reach   int
	equal   bool
	blurred []int
}

// Absorbed searches for absorbed loops of o. Each pass assumes the loops found so far to be absorbed. The
// search continues while this may help others, because the start values of later loops become known.
func Absorbed[T any](dom symbolic.Domain[T], o *Observation, opt Options, judge func(*words.Trip[T]) func(T) bool,
	known map[Place]int, pinned *Pins) ([]finding, error) {
	if o.Kernel == nil {
		return nil, nil // registers count the loops of Direct3D
	}
	p := &prober[T]{rests: rests(o.Kernel.Function(), o.kernelLive), judge: judge, known: known}
	if len(p.rests) == 0 {
		return nil, nil
	}
	opt.Batched = false // an absorbed loop need not be counted
	var found []finding
	done := map[Place][]int{}
	for {
		b := NewBeliefs[T]()
		b.absorbed, b.Pins = done, pinned
		if _, err := Run(dom, []*Observation{o}, opt, b, func(int) {}); err != nil {
			return nil, err
		}
		b.prober = p
		p.found = nil
		if _, err := execute(dom, o, opt, b); err != nil {
			return nil, err
		}
		found = append(found, p.found...)
		// Start values of loops behind absorbed ones are now known.
		more, missed := false, false
		for _, f := range p.found {
			more, missed = more || f.equal, missed || !f.equal
			if f.equal {
				done[f.At] = f.blurred
			}
		}
		if !more || !missed {
			return found, nil
		}
	}
}

// Reaches searches for absorbed loops in the domain of terms, where conditions can be judged.
func Reaches(t *symbolic.Terms, dom symbolic.Domain[symbolic.Term], o *Observation, opt Options, reals bool,
	pinned *Pins) ([]finding, error) {
	w, ok := dom.(*words.Words[symbolic.Term])
	if !ok || o.Kernel == nil {
		return nil, nil
	}
	return Absorbed(dom, o, opt, words.Judge(t, w, o.Kernel.Alike, reals), nil, pinned)
}

// Absorb records the absorbed loops among found.
func (b *Beliefs[T]) Absorb(found []finding) {
	for _, f := range found {
		if f.equal {
			if b.absorbed == nil {
				b.absorbed = map[Place][]int{}
			}
			b.absorbed[f.At] = f.blurred
		}
	}
}

// MatchLoops executes both sides once to match the loops whose trips are known. It returns ErrNothing if this
// gives no new way to execute them: no loop makes several trips at a time, none is absorbed, and none was
// unrolled with its exits.
func (b *Beliefs[T]) MatchLoops(dom symbolic.Domain[T], sides []*Observation, opt Options) error {
	if opt.Copied {
		b.copies = copiesOf(sides[0], sides[1])
	}
	var met [2][]*exactLoop
	for i, o := range sides {
		first := NewBeliefs[T]() // without pins: this execution is not the one that is compared
		first.absorbed, first.copies, first.side = b.absorbed, b.copies, i
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
	if len(b.absorbed) == 0 && len(b.copies) == 0 {
		return ErrNothing
	}
	return nil
}

// ErrNothing means that no loop of either side makes several trips at a time.
var ErrNothing = errors.New("no loop makes several trips at a time")

// passThrough executes an absorbed loop: its results are its arguments, blurred where requested.
func (w *walker[T]) passThrough(in *ir.Instr, blurred []int) {
	for k, v := range in.Results {
		if !w.live.value[v.ID] {
			continue
		}
		x := w.value(in.Args[k])
		if b, ok := w.dom.(symbolic.Blurred[T]); ok && slices.Contains(blurred, k) {
			x = b.Blur(x)
		}
		w.setValue(v, x)
	}
}

// probe checks whether the loop in, whose trips lead from vals to next under the condition gate, is absorbed
// by the loop behind it. It records a finding. It restores the walker, except for values of the bodies, which
// nothing reads afterwards.
func (w *walker[T]) probe(in *ir.Instr, initial, vals, next []T, gate T) {
	p := w.beliefs.prober
	if p == nil || w.probing || next == nil {
		return
	}
	r, at := p.rests[in], Place{in, w.context}
	if r == nil || p.judge == nil && p.known[at] == 0 {
		return
	}
	// A trip with a kill is not compared: M would meet its condition once, and L several times.
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
	f := finding{At: at}
	defer func() { p.found = append(p.found, f) }()
	// Trips of L may cost a few times as much as the trip of M.
	for outer.budget-w.budget <= 3*steps+instructionCount(body) {
		if p.judge == nil && f.Reach == p.known[at] {
			return
		}
		w.gate, w.exits, w.context = gate, nil, symbolic.Mix(outer.context-uint64(f.Reach+1))
		w.bindParams(body, cur)
		if w.executeRegion(body) || w.err != nil || len(w.kills) > len(outer.kills) {
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
		f.Reach++
		cur = w.liveValues(body.Results)
		if !f.equal {
			f.blurred, f.equal = w.meets(r, cur, want)
		}
	}
}

// tripOf executes a trip of M, the loop in, again, as if all invocations left loops together. It returns nil
// if L would not begin in the state where the trip began, or if the trip cannot be followed.
func (w *walker[T]) tripOf(r *rest, in *ir.Instr, initial, vals []T, gate T) *words.Trip[T] {
	kills := len(w.kills)
	t := &words.Trip[T]{Depth: w.depth, Names: vals, Initial: initial, Pinned: w.live.pinned[in]}
	w.gate, w.exits = gate, nil
	w.bindParams(in.Sub[0], vals)
	if w.executeRegion(in.Sub[0]) || w.err != nil || len(w.kills) > kills {
		return nil
	}
	t.Next = w.liveValues(in.Sub[0].Results)
	for _, v := range in.Sub[0].Params {
		t.Live = append(t.Live, w.live.value[v.ID])
	}
	for _, e := range w.exits {
		t.Exits = append(t.Exits, e.cond)
		// L starts with the values of M's exits. They must be the state in which the trip began.
		for _, k := range r.from {
			if k >= 0 && !w.dom.Same(e.vals[k], vals[k]) {
				return nil
			}
		}
	}
	return t
}

// behind returns the carried values of L at the beginning of a trip of M, from vals, and at its end, from
// next.
func (w *walker[T]) behind(r *rest, vals, next []T) (begin, end []T) {
	for _, v := range r.late { // arbitrary, but trips of M do not change it
		w.setValue(v, w.dom.Opaque(symbolic.TagFresh, uint64(v.ID), nil))
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

// meets reports whether L carries equal values in vals and want. blurred lists the carried values of M that
// are equal but not the same.
func (w *walker[T]) meets(r *rest, vals, want []T) (blurred []int, equal bool) {
	for j, p := range r.loop.Sub[0].Params {
		switch {
		case !w.live.value[p.ID] || !r.read[j] || w.dom.Same(vals[j], want[j]):
		case r.from[j] < 0 || !symbolic.Alike(w.dom, vals[j], want[j]):
			return nil, false
		default:
			blurred = append(blurred, r.from[j])
		}
	}
	return blurred, true
}
