package words

import "github.com/shaderlift/shaderlift/ir"

// written is a store to an element of a private array: a link from the state after it to the state before
// it. McCarthy's axioms of select and store apply to the chain (Towards a Mathematical Science of
// Computation, 1962).
type written[T any] struct {
	state T // before
	at    T
	data  [4]T
	lanes uint8
}

// maxStores bounds the number of stores that a load skips.
const maxStores = 64

// Store records the store that produced the state x.
func (w *Words[T]) Store(x, state, at T, in *ir.Instr, data *[4]T) {
	s := &written[T]{state: state, at: at, data: *data}
	in.Src[1].EachLane(func(i int, _ *ir.Lane) { s.lanes |= 1 << i })
	w.stores[w.ID(x)] = s
}

// Before returns the state before those stores that certainly wrote other elements than at: their index
// differs by a nonzero literal. The search ends at an index with an unknown difference.
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

// Stored returns lane i of element at, if the store of state wrote it. Elements beyond the end of an array
// hold nothing, so at must be a literal below n. It skips stores to other lanes.
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
