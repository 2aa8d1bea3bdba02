package flow

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/internal/container"
)

// Liveness finds the slots that conditionals and loops pass to later code: those that their code writes, and that later
// code may read. It is the usual backward analysis, with two changes for large programs. The live set exists once, and
// a journal restores it between the sides of a conditional, so that the work grows with the writes and not with the
// size of the set. The set at the head of a loop is the union of the reads of its body and of the set behind it
// without the writes; a first walk finds the reads, so a second walk needs no iteration.
type Liveness[T any] struct {
	// Visit calls Read and Write for the slots that the statements or the condition of a node access, in order. It gives
	// numbers to slots at their first use.
	Visit func(n *Node[T])
	Flag  func(l *Label) int32 // the slot of a flag

	// accesses are slots, doubled, plus 1 for a write.
	accesses []int32
	live     container.Bits
	journal  []int32 // slots whose liveness was flipped
	// heads are the slots that are live at the head of each loop, from the first walk.
	heads   map[*Node[T]][]int32
	final   bool
	carried int
	// killed are the slots that the code of the innermost construct stopped being live, with those of constructs
	// inside.
	killed []int32
	loops  []openLoop // innermost last
	work   int
	limit  *Limit[T]
}

// Limit describes a program with too many values.
type Limit[T any] struct {
	At   *Node[T]
	Text string
}

// openLoop is a loop around the code: the slots that are live behind it, and its start in Liveness.killed.
type openLoop struct {
	after  container.Bits
	killed int
}

// The limits of the analysis: the slots that constructs or breaks pass on, its steps, and the accesses of a program.
const (
	maxCarried  = 1 << 18
	maxWork     = 1 << 24
	maxAccesses = 1 << 22
)

// Read records that the visited node reads a slot.
func (l *Liveness[T]) Read(slot int32) { l.accesses = append(l.accesses, 2*slot) }

// Write records that the visited node writes a slot.
func (l *Liveness[T]) Write(slot int32) { l.accesses = append(l.accesses, 2*slot+1) }

// Full reports whether the program accesses too many slots. The accesses of further nodes are left out then.
func (l *Liveness[T]) Full() bool { return len(l.accesses) > maxAccesses }

// Collect finds the accesses of all nodes, in order.
func (l *Liveness[T]) Collect(list []Node[T]) {
	for i := range list {
		if l.Full() {
			return
		}
		n := &list[i]
		n.accesses[0] = int32(len(l.accesses))
		for _, to := range n.Flags {
			l.Read(l.Flag(to))
		}
		if n.Kind == Flag {
			l.Write(l.Flag(n.To))
		} else if n.Flags == nil {
			l.Visit(n)
		}
		n.accesses[1] = int32(len(l.accesses))
		l.Collect(n.A)
		l.Collect(n.B)
	}
}

// Analyse computes the slots that the constructs of list pass on, after Collect. n is the number of slots, and end are
// those that are live at the end.
func (l *Liveness[T]) Analyse(list []Node[T], n int, end []int32) *Limit[T] {
	if l.Full() {
		return &Limit[T]{&list[0], fmt.Sprintf("the instructions access more than %d values", maxAccesses)}
	}
	l.heads = map[*Node[T]][]int32{}
	for range 2 {
		l.journal, l.killed, l.live = l.journal[:0], l.killed[:0], container.NewBits(n)
		for _, slot := range end {
			l.set(slot, true)
		}
		l.before(list)
		l.final = true
	}
	return l.limit
}

// set changes the liveness of a slot.
func (l *Liveness[T]) set(slot int32, live bool) {
	if l.live.Has(slot) != live {
		l.flip(slot)
		l.journal = append(l.journal, slot)
	}
}

func (l *Liveness[T]) flip(slot int32) { l.live[slot>>6] ^= 1 << (slot & 63) }

// before turns the set of slots that are live after list into the set before it.
func (l *Liveness[T]) before(list []Node[T]) {
	for i := len(list) - 1; i >= 0 && l.limit == nil; i-- {
		n := &list[i]
		if l.work += 1 + int(n.accesses[1]-n.accesses[0]); l.work > maxWork {
			l.limit = &Limit[T]{n, "too many values cross the control flow of the program"}
		}
		switch n.Kind {
		case If:
			l.branch(n)
		case Loop:
			l.loop(n)
		case Break:
			// Slots that the body writes behind the break are live here if code behind the loop reads them.
			loop := l.loops[len(l.loops)-1]
			for _, slot := range l.killed[loop.killed:] {
				l.set(slot, l.live.Has(slot) || loop.after.Has(slot))
			}
			l.work += len(l.killed) - loop.killed
		}
		l.step(n)
	}
}

// step applies the accesses of a node itself, backwards.
func (l *Liveness[T]) step(n *Node[T]) {
	for k := n.accesses[1] - 1; k >= n.accesses[0]; k-- {
		slot, write := l.accesses[k]>>1, l.accesses[k]&1 != 0
		if write && l.live.Has(slot) {
			l.killed = append(l.killed, slot)
		}
		l.set(slot, !write)
	}
}

// branch handles a conditional: the slots that either side needs are live before it.
func (l *Liveness[T]) branch(n *Node[T]) {
	start, killed := len(l.journal), len(l.killed)
	l.before(n.A)
	a := l.undo(start)
	l.before(n.B)
	b := l.undo(start)
	l.carry(n, killed, func(slot int32) bool { return l.live.Has(slot) })
	// A slot that one side does not change is live on this side if it is live behind the branch.
	for len(a) > 0 || len(b) > 0 {
		var slot int32
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			slot, a = a[0], a[1:]
		case len(a) == 0 || b[0] < a[0]:
			slot, b = b[0], b[1:]
		default: // both sides change it
			slot, a, b = a[0], a[1:], b[1:]
			l.set(slot, !l.live.Has(slot))
			continue
		}
		l.set(slot, true)
	}
}

// loop handles a loop.
func (l *Liveness[T]) loop(n *Node[T]) {
	start := len(l.journal)
	loop := openLoop{after: l.live.Clone(), killed: len(l.killed)}
	l.work += len(loop.after)
	for _, slot := range l.heads[n] {
		l.set(slot, true)
	}
	l.loops = append(l.loops, loop)
	l.before(n.A)
	l.loops = l.loops[:len(l.loops)-1]
	if !l.final {
		for _, slot := range l.flipped(start) {
			if l.live.Has(slot) {
				l.heads[n] = append(l.heads[n], slot)
			}
		}
		l.work += len(l.heads[n])
	}
	l.carry(n, loop.killed, func(slot int32) bool { return loop.after.Has(slot) || l.live.Has(slot) })
}

// carry stores the slots that a construct passes on: the killed ones from start on that are needed.
func (l *Liveness[T]) carry(n *Node[T], start int, needed func(slot int32) bool) {
	list := slices.DeleteFunc(l.killed[start:], func(slot int32) bool { return !needed(slot) })
	slices.Sort(list)
	list = slices.Compact(list)
	l.killed = l.killed[:start+len(list)]
	if !l.final {
		return
	}
	n.carried = slices.Clone(list)
	if l.carried += len(list); l.carried > maxCarried && l.limit == nil {
		l.limit = &Limit[T]{n, fmt.Sprintf("more than %d values cross the control flow", maxCarried)}
	}
}

// flipped returns the slots that differ from their state when the journal had the length start, sorted. The journal
// keeps each of them once.
func (l *Liveness[T]) flipped(start int) []int32 {
	list := l.journal[start:]
	slices.Sort(list)
	kept := list[:0]
	for i := 0; i < len(list); {
		k := i
		for k < len(list) && list[k] == list[i] {
			k++
		}
		if (k-i)%2 != 0 {
			kept = append(kept, list[i])
		}
		i = k
	}
	l.journal = l.journal[:start+len(kept)]
	return kept
}

// undo restores the state of the time when the journal had the length start, and returns the slots that differed.
func (l *Liveness[T]) undo(start int) []int32 {
	list := slices.Clone(l.flipped(start))
	for _, slot := range list {
		l.flip(slot)
	}
	l.journal = l.journal[:start]
	return list
}
