package draw

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/internal/slab"
)

// schedule returns how many groups operations take. Blocks are scheduled by themselves, as no group
// crosses control flow.
func (t *groups) schedule(ops []groupOp, lists *slab.Slab[int32], budget *budget.Poller) (count int) {
	for from := 0; from < len(ops); {
		to := from + 1
		for to < len(ops) && ops[to].block == ops[from].block {
			to++
		}
		count += newGroupScheduler(t, ops[from:to], int32(from), lists, budget).run()
		from = to
	}
	return count
}

// window is how many pending operations, of each place, are searched for ready ones: the compiler's
// own limits, without which the time would be quadratic in long blocks.
var window = [numPlaces]int{anySlot: 64, functions: 16, manySlots: 16, fetches: 16}

// groupScheduler is a list scheduler for one block that imitates Mesa's: ready operations by how
// many registers they free, greedily packed into groups.
type groupScheduler struct {
	t       *groups
	ops     []groupOp
	pending [numPlaces][]int32 // in the order of the program
	ready   [numPlaces][]int32
	used    [4]int // operations by lane
	budget  *budget.Poller
}

// newGroupScheduler schedules ops, which others count from first on, with lists of its own.
func newGroupScheduler(t *groups, ops []groupOp, first int32, lists *slab.Slab[int32], budget *budget.Poller) *groupScheduler {
	s := &groupScheduler{t: t, ops: ops, budget: budget}
	for i := range ops {
		budget.Poll()
		o := &ops[i]
		s.pending[o.place] = append(s.pending[o.place], int32(i))
		reads := o.reads[:0]
		for _, r := range o.reads {
			if r -= first; r >= 0 && int(r) < i {
				reads = append(reads, r)
				ops[r].unread++
				o.waits++
			}
		}
		o.reads = reads
	}
	for i := range ops {
		ops[i].users = lists.Take(ops[i].unread)[:0]
		for _, r := range ops[i].reads {
			ops[r].users = append(ops[r].users, int32(i))
		}
	}
	return s
}

// run fills groups as long as anything is left. Fetches run when more of them are ready than queue,
// or no arithmetic is, and then all that are ready.
func (s *groupScheduler) run() (count int) {
	left, fetching := len(s.ops), false
	s.collect()
	for left > 0 {
		s.budget.Poll()
		waiting := s.ready[fetches]
		if fetching = len(waiting) > 0 && (fetching || len(waiting) > s.t.queue); !fetching {
			taken := s.group()
			for _, i := range taken {
				s.done(i)
			}
			left -= len(taken)
			if fetching = len(taken) == 0; !fetching {
				count++
				s.collect()
				continue
			}
		}
		s.ready[fetches] = s.ready[fetches][1:]
		s.done(waiting[0])
		left--
		s.collect()
	}
	return count
}

// done makes operation i's result available.
func (s *groupScheduler) done(i int32) {
	for _, u := range s.ops[i].users {
		s.ops[u].waits--
	}
	for _, r := range s.ops[i].reads {
		s.ops[r].unread--
	}
}

// collect moves pending operations that have become ready into the ready lists. The priority of an
// operation that has waited for a slot grows by what it frees each time.
func (s *groupScheduler) collect() {
	for _, i := range s.ready[anySlot] {
		s.ops[i].priority += s.frees(i)
	}
	for p := range s.pending {
		list := s.pending[p]
		k := 0
		for range window[p] {
			if k == len(list) || len(s.ready[p]) == window[p] {
				break
			}
			i := list[k]
			if s.ops[i].waits > 0 {
				k++
				continue
			}
			s.ops[i].priority = s.frees(i)
			s.ready[p] = append(s.ready[p], i)
			copy(list[1:], list[:k]) // no more than a window of them
			list = list[1:]
		}
		s.pending[p] = list
	}
	slices.SortStableFunc(s.ready[anySlot], func(a, b int32) int { return cmp.Compare(s.ops[b].priority, s.ops[a].priority) })
}

// frees is how many registers an operation frees, less the one that it takes. Constants count
// as such.
func (s *groupScheduler) frees(i int32) int32 {
	o := &s.ops[i]
	n := int32(len(o.pairs)) - 1
	for _, r := range o.reads {
		if s.ops[r].unread == 1 {
			n++
		}
	}
	return n
}

// group takes operations from the ready lists that fit into one group: wide ones first, then others
// by lane, then functions and what is left for the last slot.
func (s *groupScheduler) group() (taken []int32) {
	g := group{ops: s.ops, free: wholeGroup}
	take := func(p place, most int, fits func(i int32) bool) {
		s.ready[p] = slices.DeleteFunc(s.ready[p], func(i int32) bool {
			if most == 0 || !fits(i) {
				return false
			}
			most--
			taken = append(taken, i)
			return true
		})
	}
	take(manySlots, 4, func(i int32) bool { return g.takes(i, s.ops[i].lanes) })
	take(anySlot, 4, func(i int32) bool {
		lane := s.lane(g.free)
		if lane < 0 || !g.takes(i, 1<<lane) {
			return false
		}
		s.ops[i].lane = int8(lane)
		s.used[lane]++
		return true
	})
	last := func(i int32) bool { return g.takes(i, lastSlot) }
	take(functions, 1, last)
	take(anySlot, 1, last)
	return taken
}

// lane is the free lane that was used least so far, or -1: results stay in their lane, so this
// balances the read ports.
func (s *groupScheduler) lane(free uint8) int {
	best := -1
	for l := range s.used {
		if free>>l&1 != 0 && (best < 0 || s.used[l] < s.used[best]) {
			best = l
		}
	}
	return best
}

// group is a group that is being filled.
type group struct {
	ops   []groupOp
	free  uint8
	words smallSet[uint32]
	pairs smallSet[int32]
	reads [4]smallSet[int32] // by lane
}

// smallSet is a small set of different values with room for some. n is the number of values, or one more
// than there is room for.
type smallSet[T comparable] struct {
	list [groupWords]T
	n    int
}

// add adds x and reports whether there is room for it among most values.
func (f *smallSet[T]) add(x T, most int) bool {
	switch {
	case f.n > most:
		return false
	case slices.Contains(f.list[:f.n], x):
		return true
	}
	if f.n < most {
		f.list[f.n] = x
	}
	f.n++
	return f.n <= most
}

// takes puts operation i into slots if they are free and the group can read its operands. An empty
// group takes anything: what does not fit even there takes several groups on hardware, and is
// counted as one.
func (g *group) takes(i int32, slots uint8) bool {
	if g.free&slots != slots {
		return false
	}
	o, next := &g.ops[i], *g
	next.free &^= slots
	for _, x := range o.words {
		next.words.add(x, groupWords)
	}
	for _, x := range o.pairs {
		next.pairs.add(x, groupPairs)
	}
	fits := next.words.n <= groupWords && next.pairs.n <= groupPairs
	for _, r := range o.reads {
		if x := &g.ops[r]; x.place == anySlot || x.place == functions {
			fits = next.reads[x.lane].add(r, groupReads) && fits
		}
	}
	if !fits && g.free != wholeGroup {
		return false
	}
	*g = next
	return true
}

// union is a with what of b is not in it. It does not change a.
func union[T comparable](a, b []T) []T {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a[:len(a):len(a)], x)
		}
	}
	return a
}

// with is a with x in it, which may change a.
func with[T comparable](a []T, x T) []T {
	if slices.Contains(a, x) {
		return a
	}
	return append(a, x)
}
