package verify

import "github.com/shaderlift/shaderlift/ir"

// memory executes an instruction on memory. What it reads and the states that it leaves
// are functions of the states it finds, of where and what: which states those are
// under control flow is told by the constructs that hand them on. So a load is not the
// one before or after a store to the same memory, wherever that goes, and stores stay in
// order: between them another invocation may look. Only of an array that is the
// invocation's own does a load depend on no more than what it reads.
func (w *walker[T]) memory(in *ir.Instr) {
	if in.Op == ir.OpFence {
		w.barrier(in)
	}
	live := false
	in.EachDef(func(v *ir.Value) { live = live || w.live.value[v.ID] })
	if !live {
		return
	}
	for s := range in.Src {
		in.Src[s].Each(func(i int, l *ir.Lane) { w.src[s][i] = w.lane(*l) })
	}
	size, private, isArray := w.prog.array(in)
	var at T
	if isArray {
		at = w.words.plus(w.src[0][0], in.Imm)
		w.src[0][0] = at
		plain := *in
		plain.Imm = 0
		w.operands(&plain)
	} else {
		w.operands(in)
	}
	if w.depends(in) {
		w.args = append(w.args, w.gate)
	}
	states := make([]T, len(in.Args))
	for k, v := range in.Args {
		states[k] = w.value(v)
	}
	if private && in.Op == ir.OpMemLoad {
		states[0] = w.words.before(states[0], at)
	}
	args := append(append([]T(nil), w.args...), states...)
	aux := uint64(in.Op) | uint64(in.Base.File)<<8 | uint64(in.Base.Index)<<16
	for i, v := range in.Out {
		if v == nil || !w.live.value[v.ID] {
			continue
		}
		x, ok := at, false
		if private {
			x, ok = w.words.stored(states[0], at, i, size)
		}
		if !ok {
			x = w.dom.call(tagMemory, aux|uint64(i)<<32, args)
		}
		if in.Mods&ir.Sat != 0 {
			x = w.dom.saturate(x)
		}
		w.set(v, x)
	}
	for k, v := range in.Results {
		if !w.live.value[v.ID] {
			continue
		}
		x := w.dom.call(tagMemory, aux|uint64(k)<<32|1<<48, args)
		if private && in.Op == ir.OpMemStore {
			w.words.store(x, states[0], at, in, &w.src[1])
		}
		w.set(v, x)
	}
}

// discard collects the condition under which the invocation is dropped, after which it
// changes memory no more.
func (w *walker[T]) discard(in *ir.Instr) {
	c := w.condition(in.Src[0][0])
	if holds, known := w.dom.truth(c); known && !holds {
		for k, v := range in.Results {
			if w.live.value[v.ID] {
				w.set(v, w.value(in.Args[k]))
			}
		}
		return
	}
	w.args = append(w.args[:0], w.dom.and(w.gate, c))
	w.kills = append(w.kills, w.dom.call(tagKill, 2, w.args))
	for k, v := range in.Results {
		if w.live.value[v.ID] {
			state := w.value(in.Args[k])
			w.args = append(w.args[:0], c, state)
			w.set(v, w.dom.call(tagMemory, uint64(in.Op)|1<<48, w.args))
		}
	}
}

// written is a store to an element of a private array.
type written[T any] struct {
	state T // before
	at    T
	data  [4]T
	lanes uint8
}

// maxStores bounds how many stores a load looks past.
const maxStores = 64

// store notes what the state x was made by.
func (w *words[T]) store(x, state, at T, in *ir.Instr, data *[4]T) {
	s := &written[T]{state: state, at: at, data: *data}
	in.Src[1].Each(func(i int, _ *ir.Lane) { s.lanes |= 1 << i })
	w.stores[w.id(x)] = s
}

// before is the state before those stores that went to other elements than at.
func (w *words[T]) before(state, at T) T {
	for range maxStores {
		s := w.stores[w.id(state)]
		if s == nil {
			break
		}
		if d, ok := w.bits(w.combine(at, 1, s.at, negative1)); !ok || d == 0 {
			break
		}
		state = s.state
	}
	return state
}

// stored is lane i of element at, if state was made by storing it. Elements beyond the
// end of an array hold nothing, so it must be known to be one of n.
func (w *words[T]) stored(state, at T, i int, n uint32) (x T, ok bool) {
	if k, isBits := w.bits(at); !isBits || k >= n {
		return x, false
	}
	for range maxStores {
		s := w.stores[w.id(state)]
		if s == nil || !w.same(s.at, at) {
			break
		}
		if s.lanes>>i&1 != 0 {
			return s.data[i], true
		}
		state = w.before(s.state, at)
	}
	return x, false
}
