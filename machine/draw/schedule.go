package draw

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/internal/slab"
)

// schedule is how many groups operations take, of each block by itself.
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

// window is how many operations are looked at for such as are ready, of each place.
var window = [numPlaces]int{anySlot: 64, functions: 16, manySlots: 16, fetches: 16}

// groupScheduler fills groups with the operations of a block.
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

// run fills groups as long as anything is left. Fetches run when too many of them wait, or no
// arithmetic is ready, and then all that can.
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

func (s *groupScheduler) done(i int32) {
	for _, u := range s.ops[i].users {
		s.ops[u].waits--
	}
	for _, r := range s.ops[i].reads {
		s.ops[r].unread--
	}
}

// collect finds what is ready. What has waited for a slot counts again what it frees.
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

// group takes what fits into one.
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

// lane is the free one that was used least, or -1.
func (s *groupScheduler) lane(free uint8) int {
	best := -1
	for l := range s.used {
		if free>>l&1 != 0 && (best < 0 || s.used[l] < s.used[best]) {
			best = l
		}
	}
	return best
}

// group is one that is being filled.
type group struct {
	ops   []groupOp
	free  uint8
	words few[uint32]
	pairs few[int32]
	reads [4]few[int32] // by lane
}

// few are different values of which a group has room for some: there are n of them, or n is one
// more than there is room for.
type few[T comparable] struct {
	list [groupWords]T
	n    int
}

// add reports whether there is room for x among so many.
func (f *few[T]) add(x T, most int) bool {
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

// takes puts an operation into slots if they are free and the group can read what it reads, or
// holds nothing else.
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
