package words

import "github.com/shaderlift/shaderlift/ir"

// written is a store to an element of a private array: a link from the state that it leaves to the one
// that it found. The chain is what McCarthy's axioms of select and store (Towards a Mathematical
// Science of Computation, 1962) are applied to.
type written[T any] struct {
	state T // before
	at    T
	data  [4]T
	lanes uint8
}

// maxStores bounds how many stores a load looks past.
const maxStores = 64

// Store notes what the state x was made by.
func (w *Words[T]) Store(x, state, at T, in *ir.Instr, data *[4]T) {
	s := &written[T]{state: state, at: at, data: *data}
	in.Src[1].Each(func(i int, _ *ir.Lane) { s.lanes |= 1 << i })
	w.stores[w.ID(x)] = s
}

// Before is the state before those stores that went to other elements than at: whose index differs by a
// literal that is not 0. An index of which that is not known ends the search.
func (w *Words[T]) Before(state, at T) T {
	for range maxStores {
		s := w.stores[w.ID(state)]
		if s == nil {
			break
		}
		if d, ok := w.Bits(w.Combine(at, 1, s.at, MinusOne)); !ok || d == 0 {
			break
		}
		state = s.state
	}
	return state
}

// Stored is lane i of element at, if state was made by storing it. Elements beyond the end of an array
// hold nothing, so at must be a literal below n. A store to other lanes is looked past.
func (w *Words[T]) Stored(state, at T, i int, n uint32) (x T, ok bool) {
	if k, isBits := w.Bits(at); !isBits || k >= n {
		return x, false
	}
	for range maxStores {
		s := w.stores[w.ID(state)]
		if s == nil || !w.Same(s.at, at) {
			break
		}
		if s.lanes>>i&1 != 0 {
			return s.data[i], true
		}
		state = w.Before(s.state, at)
	}
	return x, false
}
