package draw

import (
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/internal/budget"
)

// firstLanes is the number of lanes that are tried for the first value, and fewLanes the number if
// those give equal results.
const (
	firstLanes = 4
	fewLanes   = 2
)

// schedules returns the average number of groups over schedules that differ in the lanes of values,
// rounded. The compiler assigns lanes in turn, also to values that only it knows. The result is
// luck, and varies by several groups in a long program.
func (t *groups) schedules(p groupProgram, m *memory, budget *budget.Poller) int {
	s := &m.groups
	s.t, s.budget, s.groupProgram, s.start = t, budget, p, s.start[:0]
	for i := range p.values {
		v := &p.values[i]
		s.start = append(s.start, started{v.lane, v.hold, v.unread})
	}
	for i := range p.gathers {
		s.start = append(s.start, started{unread: int32(p.gathers[i].lanes)})
	}
	sum, tried := 0, 0
	for tried < firstLanes {
		s.again(int8(tried))
		n := s.schedule()
		sum += n
		if tried++; tried == fewLanes && sum == fewLanes*n {
			break
		}
	}
	return (2*sum + tried) / (2 * tried)
}

// started is the state of a value, or of the lanes of a gather, that a schedule changes.
type started struct {
	lane   int8
	hold   hold
	unread int32
}

// again restores the program to its state before the first schedule, with loose values moved by r
// lanes.
func (s *groupScheduler) again(r int8) {
	for i := range s.ops {
		s.ops[i].waits, s.ops[i].priority = 0, 0
	}
	for i := range s.values {
		v, was := &s.values[i], s.start[i]
		v.lane, v.hold, v.unread = was.lane, was.hold, was.unread
		if v.hold == loose {
			v.lane = (v.lane + r) & 3
		}
	}
	for i := range s.gathers {
		s.gathers[i].lanes = uint8(s.start[len(s.values)+i].unread)
	}
}

// schedule returns the number of groups. Blocks are scheduled separately, as no group crosses
// control flow.
func (s *groupScheduler) schedule() (count int) {
	for from := 0; from < len(s.ops); {
		to := from + 1
		for to < len(s.ops) && s.ops[to].block == s.ops[from].block {
			to++
		}
		s.begin(from, to)
		count += s.fillGroups()
		from = to
	}
	return count
}

// window is the number of pending operations, by place, that are searched for ready ones. These are
// the compiler's limits, without which the time would be quadratic in long blocks.
var window = [numPlaces]int{anySlot: 64, functions: 16, manySlots: 16, fetches: 16}

// groupScheduler is a list scheduler for one block that imitates Mesa's. It packs ready operations
// greedily into groups, in order of the registers that they free. Successive blocks reuse its
// lists.
type groupScheduler struct {
	groupProgram
	t       *groups
	to      int // end of the block
	left    int
	pending [numPlaces]waiting // in program order
	ready   [numPlaces][]int32
	stirred [numPlaces]bool // a pending operation may have become ready
	filled  group
	start   []started // by value, then by gather
	budget  *budget.Poller
}

// waiting is a list of operations that are removed in any order: those from first on remain.
type waiting struct {
	list  []int32
	first int
}

// begin starts a block of the operations from from to to. Operands of operations with several slots
// stay in their lanes.
func (s *groupScheduler) begin(from, to int) {
	s.to, s.left = to, 0
	for p := range s.pending {
		s.pending[p] = waiting{list: s.pending[p].list[:0]}
		s.ready[p] = s.ready[p][:0]
		s.stirred[p] = true
	}
	for i := from; i < to; i++ {
		s.budget.Poll()
		o := &s.ops[i]
		if o.gone {
			continue
		}
		s.left++
		s.pending[o.place].list = append(s.pending[o.place].list, int32(i))
		for k, x := range o.sources {
			if x.value < 0 || reads(o.sources[:k], x.value) {
				continue
			}
			v := &s.values[x.value]
			if int(v.op) >= from && int(v.op) < i {
				o.waits++
			}
			if o.place == manySlots {
				v.hold |= inLane
			}
		}
	}
}

// reads reports whether a value is among operands.
func reads(list []operand, value int32) bool {
	for i := range list {
		if list[i].value == value {
			return true
		}
	}
	return false
}

// fillGroups fills groups until no operation is left. Fetches run if more than queue of them are ready, or
// if no arithmetic is. Then all ready fetches run.
func (s *groupScheduler) fillGroups() (count int) {
	s.collect()
	s.collect()
	for fetching := false; s.left > 0; {
		s.budget.Poll()
		queued := s.ready[fetches]
		if fetching = fetching || len(queued) > s.t.queue; !fetching {
			if s.group() {
				count++
				s.collect()
			} else {
				fetching = true
			}
			continue
		}
		if fetching = len(queued) > 0; fetching {
			next := queued[0]
			s.ready[fetches] = slices.Delete(queued, 0, 1) // at most a window
			s.completeOp(next)
		}
		s.collect()
	}
	return count
}

// completeOp makes the results of operation i available.
func (s *groupScheduler) completeOp(i int32) {
	s.left--
	o := &s.ops[i]
	for k, x := range o.sources {
		if x.value >= 0 && !reads(o.sources[:k], x.value) {
			s.values[x.value].unread--
		}
	}
	for v := o.value; v >= 0; v = s.values[v].next {
		for _, u := range s.values[v].users {
			if u > i && int(u) < s.to {
				if s.ops[u].waits--; s.ops[u].waits == 0 {
					s.stirred[s.ops[u].place] = true
				}
			}
		}
	}
}

// collect moves pending operations that have become ready into the ready lists. The priority of an
// operation that waits for a slot grows each time by the number of registers that it frees.
func (s *groupScheduler) collect() {
	for _, i := range s.ready[anySlot] {
		s.ops[i].priority += s.frees(i)
	}
	for p := range s.pending {
		if !s.stirred[p] {
			continue
		}
		s.stirred[p] = false
		list := s.pending[p].list[s.pending[p].first:]
		k := 0
		for range window[p] {
			if k == len(list) {
				break
			}
			if len(s.ready[p]) == window[p] {
				s.stirred[p] = true
				break
			}
			i := list[k]
			if s.ops[i].waits > 0 {
				k++
				continue
			}
			s.ops[i].priority = s.frees(i)
			s.ready[p] = append(s.ready[p], i)
			copy(list[1:], list[:k]) // at most a window of them
			list = list[1:]
			s.pending[p].first++
			s.stirred[p] = true // others enter the window
		}
	}
	list := s.ready[anySlot] // mostly in order
	for k := range list {
		i, at := list[k], s.ops[list[k]].priority
		for ; k > 0 && s.ops[list[k-1]].priority < at; k-- {
			list[k] = list[k-1]
		}
		list[k] = i
	}
}

// frees returns the number of registers that an operation frees, minus the one for its result
// unless a gather holds that. Constants count as registers.
func (s *groupScheduler) frees(i int32) (n int32) {
	o := &s.ops[i]
	if o.value >= 0 && s.values[o.value].gather < 0 {
		n--
	}
	for _, x := range o.sources {
		if x.pair >= 0 || x.value >= 0 && s.values[x.value].unread == 1 {
			n++
		}
	}
	return n
}

// group fills a group from the ready lists and reports whether it holds anything. A wide operation
// comes first, then others by lane, then a function or another operation for the last slot.
func (s *groupScheduler) group() bool {
	g := &s.filled
	*g = group{groupScheduler: s}
	g.takeReady(manySlots, 1, (*group).takeWide)
	g.takeReady(anySlot, bits.OnesCount8(fourLanes&^g.slots), (*group).vector)
	g.takeReady(functions, 1, (*group).takeLast)
	if g.slots&lastSlot == 0 {
		g.takeReady(anySlot, 1, (*group).takeLast)
	}
	for p := anySlot; g.count == 0 && p < fetches; p++ { // an operation with too many reads counts as one group
		g.takeReady(p, 1, func(*group, int32) bool { return true })
	}
	for _, i := range g.taken[:g.count] {
		s.completeOp(i)
	}
	return g.count > 0
}

// union returns a with the elements of b appended that it lacks. It does not change a.
func union[T comparable](a, b []T) []T {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a[:len(a):len(a)], x)
		}
	}
	return a
}

// appendUnique returns a with x appended if missing. It may change a.
func appendUnique[T comparable](a []T, x T) []T {
	if slices.Contains(a, x) {
		return a
	}
	return append(a, x)
}
