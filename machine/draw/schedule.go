package draw

import (
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/budget"
)

// firstLanes is how many lanes there are for the first value, and fewLanes how many are tried if these
// make no difference.
const (
	firstLanes = 4
	fewLanes   = 2
)

// schedules returns how many groups operations take on the average of schedules that differ in the
// lanes that values are in, in whole groups. The compiler gives them lanes in turn, also to values
// that only it knows of: what that comes to is luck, and is several groups in a long program.
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

// started is what of a value, or of the lanes of a gather, a schedule changes.
type started struct {
	lane   int8
	hold   hold
	unread int32
}

// again is the program as it was before the first schedule, with what has no place r lanes further.
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

// schedule returns how many groups operations take. Blocks are scheduled by themselves, as no group
// crosses control flow.
func (s *groupScheduler) schedule() (count int) {
	for from := 0; from < len(s.ops); {
		to := from + 1
		for to < len(s.ops) && s.ops[to].block == s.ops[from].block {
			to++
		}
		s.begin(from, to)
		count += s.run()
		from = to
	}
	return count
}

// window is how many pending operations, of each place, are searched for ready ones: the compiler's
// own limits, without which the time would be quadratic in long blocks.
var window = [numPlaces]int{anySlot: 64, functions: 16, manySlots: 16, fetches: 16}

// groupScheduler is a list scheduler for one block that imitates Mesa's: ready operations by how
// many registers they free, greedily packed into groups. Its lists serve one block after the other.
type groupScheduler struct {
	groupProgram
	t       *groups
	to      int // where the block ends
	left    int
	pending [numPlaces]waiting // in the order of the program
	ready   [numPlaces][]int32
	stirred [numPlaces]bool // something pending may have become ready
	filled  group
	start   []started // by value, and by gather
	budget  *budget.Poller
}

// waiting are operations in a list that others go from: those from the first on are left.
type waiting struct {
	list  []int32
	first int
}

// begin is the start of a block, the operations from one on, up to another one. What those read that are
// several slots wide stays in its lane.
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

// run fills groups as long as anything is left. Fetches run when more of them are ready than queue,
// or no arithmetic is, and then all that are ready.
func (s *groupScheduler) run() (count int) {
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
			s.ready[fetches] = slices.Delete(queued, 0, 1) // of no more than a window
			s.done(next)
		}
		s.collect()
	}
	return count
}

// done makes what operation i makes available.
func (s *groupScheduler) done(i int32) {
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
// operation that has waited for a slot grows by what it frees each time.
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
			copy(list[1:], list[:k]) // no more than a window of them
			list = list[1:]
			s.pending[p].first++
			s.stirred[p] = true // as others come into the window
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

// frees is how many registers an operation frees, less the one that it takes unless that is one of
// several. Constants count as such.
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

// group fills a group from the ready lists and reports whether anything was: with a wide operation
// first, then others by lane, then a function or what is left for the last slot.
func (s *groupScheduler) group() bool {
	g := &s.filled
	*g = group{groupScheduler: s}
	g.take(manySlots, 1, (*group).wide)
	g.take(anySlot, bits.OnesCount8(fourLanes&^g.slots), (*group).vector)
	g.take(functions, 1, (*group).last)
	if g.slots&lastSlot == 0 {
		g.take(anySlot, 1, (*group).last)
	}
	for p := anySlot; g.count == 0 && p < fetches; p++ { // what no group can read is counted as one
		g.take(p, 1, func(*group, int32) bool { return true })
	}
	for _, i := range g.taken[:g.count] {
		s.done(i)
	}
	return g.count > 0
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
