package words

import (
	"slices"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Local memory belongs to a work group. Barriers divide an execution into phases. The accesses of a phase obey
// these rules, which package walk checks for all invocations of a group:
//
//   - One invocation at most stores to a word.
//   - If another one loads the word in that phase, it does so before.
//
// A load therefore returns the last value that its own invocation stored in the phase, or else the value at the
// beginning of the phase. Beginnings are named by the contents of memory: the contents before, and the words
// that the phase stored as functions of the invocation. All invocations run one program, so two versions with
// equal functions leave equal memories.

// link is a step from the state of a local memory to the state before.
type link[T any] struct {
	state T
	at    []uint32 // byte address of a store, for each invocation
	data  T
	// writer, in the link of a barrier, has one more than the invocation that stored to a word in the phase
	// before it, or 0.
	writer []int32
}

// StoreLocal returns the state after a store to state.
func (w *Words[T]) StoreLocal(state T, at []uint32, data T) T {
	x := w.Opaque(symbolic.TagLocal, 2, []T{state, w.function(at), data})
	w.links[w.ID(x)] = &link[T]{state: state, at: at, data: data}
	return x
}

// Stores are the stores of a phase to one address, a function of the number of the invocation. May holds for
// the invocations that may make one of them.
type Stores struct{ At, May []uint32 }

// Barrier returns the state behind a barrier. state is the state before it, and begin the one at the beginning
// of the phase. writer is described in link.
func (w *Words[T]) Barrier(state, begin T, stores []Stores, writer []int32) T {
	type entry struct {
		at, may int
		value   T
	}
	var list []entry
	for _, s := range stores {
		value := w.LoadLocal(state, s.At)
		if w.Same(value, w.LoadLocal(begin, s.At)) {
			continue
		}
		list = append(list, entry{w.Threads.number(s.At), w.Threads.number(s.May), value})
	}
	if len(list) == 0 {
		return begin
	}
	slices.SortFunc(list, func(a, b entry) int { return a.at - b.at })
	args := []T{begin}
	for _, e := range list {
		args = append(args, w.Literal(uint32(e.at)), w.Literal(uint32(e.may)), e.value)
	}
	x := w.Opaque(symbolic.TagLocal, 1, args)
	w.links[w.ID(x)] = &link[T]{state: state, writer: writer}
	return x
}

// LoadLocal returns the word of state at a byte address, for each invocation.
func (w *Words[T]) LoadLocal(state T, at []uint32) T {
	return w.loadFor(state, at, slices.Repeat([]uint32{1}, len(at)))
}

// loadFor returns the word at an address for the invocations in mask; for the others, its value does not matter.
func (w *Words[T]) loadFor(state T, at, mask []uint32) T {
	for {
		l := w.links[w.ID(state)]
		if l == nil {
			f := w.Recipe(state)
			if f == nil || f.Tag != symbolic.TagChoose {
				break
			}
			if c, ok := w.Condition(f.Cond); ok {
				yes, no := both(mask, c), both(mask, inverted(c))
				switch {
				case !slices.Contains(yes, 1):
					state = f.B
				case !slices.Contains(no, 1):
					state = f.A
				default:
					return w.Choose(f.Cond, w.loadFor(f.A, at, yes), w.loadFor(f.B, at, no))
				}
				continue
			}
			return w.Choose(f.Cond, w.loadFor(f.A, at, mask), w.loadFor(f.B, at, mask))
		}
		if l.writer != nil {
			if l.foreign(at) {
				break
			}
			state = l.state
			continue
		}
		same, other := make([]uint32, len(at)), make([]uint32, len(at))
		for t := range at {
			if mask[t] != 0 && at[t] == l.at[t] {
				same[t] = 1
			} else {
				other[t] = mask[t]
			}
		}
		switch {
		case !slices.Contains(other, 1):
			return l.data
		case slices.Contains(same, 1):
			return w.Choose(w.holdsFor(same), l.data, w.loadFor(l.state, at, other))
		}
		state = l.state
	}
	return w.Opaque(symbolic.TagLocal, 0, []T{state, w.function(at)})
}

// foreign reports whether the phase before a barrier stored to one of these words of another invocation. Only
// invocations that do not load have addresses outside the memory.
func (l *link[T]) foreign(at []uint32) bool {
	for t, a := range at {
		if int(a/4) >= len(l.writer) {
			continue
		}
		if by := l.writer[a/4]; by != 0 && by != int32(t+1) {
			return true
		}
	}
	return false
}
