package walk

import (
	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// memory executes an instruction on memory. Memories are in SSA form: an op takes states as arguments and
// returns others as results. Its result is a function of those states, of the address and of the stored
// value. Constructs pass states on under control flow. A load before a store to the same memory therefore
// differs from one behind it, at any address. Stores stay in order, because another invocation may read
// between them. Only for a private array (x# of AMD IL), a load depends on nothing but the element that it
// reads, see words.Before and words.Stored.
func (w *walker[T]) memory(in *ir.Instr) {
	if in.Op == ir.OpFence {
		w.barrier(in)
	}
	live := false
	in.EachDef(func(v *ir.Value) { live = live || w.live.value[v.ID] })
	switch {
	case w.group != nil && in.Op == ir.OpFence:
		w.localBarrier(in)
		return
	case !live:
		return
	case w.group != nil && in.Base.File == amdil.Local:
		w.local(in)
		return
	}
	for s := range in.Src {
		in.Src[s].EachLane(func(i int, l *ir.Lane) { w.src[s][i] = w.laneValue(*l) })
	}
	if w.byWords(in) {
		w.accessWords(in)
		return
	}
	size, private, isArray := w.prog.Array(in)
	var at T
	// The offset of x0[r0.x+4] becomes part of the index, so that indices compare as sums.
	if isArray {
		at = w.words.AddLiteral(w.src[0][0], in.Imm)
		w.src[0][0] = at
		plain := *in
		plain.Imm = 0
		w.operands(&plain, plain.Op)
	} else {
		w.operands(in, in.Op)
	}
	if w.depends(in) {
		w.args = append(w.args, w.gate)
	}
	if in.Op != ir.OpMemLoad && !private {
		w.pinAccess(in)
	}
	states := make([]T, len(in.Args))
	for k, v := range in.Args {
		states[k] = w.value(v)
	}
	if in.Op == ir.OpMemStore {
		states[0] = w.beforeStore(in, states[0])
	}
	// Stores to elements other than at do not affect the load.
	if private && in.Op == ir.OpMemLoad {
		states[0] = w.words.Before(states[0], at)
	}
	args := append(append([]T(nil), w.args...), states...)
	aux := uint64(in.Op) | uint64(in.Base.File)<<8 | uint64(in.Base.Index)<<16
	for i, v := range in.Out {
		if v == nil || !w.live.value[v.ID] {
			continue
		}
		// A load from a stored element returns the stored value.
		x, ok := at, false
		if private {
			x, ok = w.words.Stored(states[0], at, i, size)
		}
		if !ok {
			x = w.dom.Opaque(symbolic.TagMemory, aux|uint64(i)<<32, args)
			w.loaded(in, x)
		}
		if in.Mods&ir.Sat != 0 {
			x = w.dom.Saturate(x)
		}
		w.setValue(v, x)
	}
	for k, v := range in.Results {
		if !w.live.value[v.ID] {
			continue
		}
		x := w.dom.Opaque(symbolic.TagMemory, aux|uint64(k)<<32|1<<48, args)
		if private && in.Op == ir.OpMemStore {
			w.words.Store(x, states[0], at, in, &w.src[1])
		}
		w.setValue(v, x)
	}
}

// byWords reports whether in loads or stores words side by side in memory that others can see: from a byte address on,
// or in an element of an array.
func (w *walker[T]) byWords(in *ir.Instr) bool {
	if w.words == nil || in.Op != ir.OpMemLoad && in.Op != ir.OpMemStore {
		return false
	}
	_, private, isArray := w.prog.Array(in)
	return w.prog.ByWords(in) || isArray && !private
}

// accessWords executes a load or a store of words side by side. Each word is accessed alone, as [walker.wordOf] names
// it, and words are stored in the order of their lanes. Loads and stores are therefore the same whether they access
// words together or one by one.
func (w *walker[T]) accessWords(in *ir.Instr) {
	kind := w.dom.Literal(in.Imm)
	if _, _, isArray := w.prog.Array(in); isArray {
		kind = w.dom.Literal(0) // Imm is an offset
	}
	aux := uint64(in.Op) | uint64(in.Base.File)<<8 | uint64(in.Base.Index)<<16
	state := w.value(in.Args[0])
	if in.Op == ir.OpMemLoad {
		for i, v := range in.Out {
			if v == nil || !w.live.value[v.ID] {
				continue
			}
			word, lane := w.wordOf(in, w.src[0][0], i)
			x := w.dom.Opaque(symbolic.TagMemory, aux|uint64(lane)<<32, []T{word, kind, state})
			w.loaded(in, x)
			if in.Mods&ir.Sat != 0 {
				x = w.dom.Saturate(x)
			}
			w.setValue(v, x)
		}
		return
	}
	state = w.beforeStore(in, state)
	in.Src[1].EachLane(func(i int, _ *ir.Lane) {
		word, lane := w.wordOf(in, w.src[0][0], i)
		w.args = append(w.args[:0], word, w.src[1][i], kind)
		w.pinWord(in, i)
		state = w.dom.Opaque(symbolic.TagMemory, aux|uint64(lane)<<32|1<<48, append(w.args, state))
	})
	w.setValue(in.Results[0], state)
}

// wordOf returns the name of word i of an access at an address: an address and a lane. A word of an array is a lane of
// an element. Otherwise it is lane 0 of the byte address at + 4*i, if that sum does not wrap around, as a load or a
// store of several words does not. The remainder of a sum modulo a power of two that divides all its factors is known.
func (w *walker[T]) wordOf(in *ir.Instr, at T, i int) (word T, lane int) {
	if _, _, isArray := w.prog.Array(in); isArray {
		return w.words.AddLiteral(at, in.Imm), i
	}
	k, parts := w.words.Polynomial(at, 0)
	var factors uint32
	for _, p := range parts {
		factors |= p.By
	}
	room := uint64(1) << 32
	if factors != 0 {
		room = uint64(factors & -factors)
	}
	if uint64(k)%room+4*uint64(i) >= room {
		return at, i
	}
	return w.words.AddLiteral(at, 4*uint32(i)), 0
}

// discard collects the condition under which the invocation is dropped. A dropped invocation changes memory
// no more, so the later state depends on that condition. A discard that certainly does not happen leaves the
// state alone.
func (w *walker[T]) discard(in *ir.Instr) {
	c := w.condition(in.Src[0][0])
	if holds, known := w.dom.Truth(c); known && !holds {
		for k, v := range in.Results {
			if w.live.value[v.ID] {
				w.setValue(v, w.value(in.Args[k]))
			}
		}
		return
	}
	w.args = append(w.args[:0], w.dom.And(w.gate, c))
	w.kills = append(w.kills, w.dom.Opaque(symbolic.TagKill, 2, w.args))
	for k, v := range in.Results {
		if w.live.value[v.ID] {
			state := w.value(in.Args[k])
			w.args = append(w.args[:0], c, state)
			w.pinAccess(in)
			x := w.dom.Opaque(symbolic.TagMemory, uint64(in.Op)|1<<48, w.args)
			w.setValue(v, x)
			if w.isUnchanged(in.Args[k]) {
				w.spared[w.dom.ID(x)] = true
			}
		}
	}
}

// keeps reports whether x, the final state of a memory, is its initial state wherever that can be observed.
func (w *walker[T]) keeps(state ir.Reg, x T) bool {
	return w.dom.Same(x, w.leaf(ir.Input, state)) || w.spared[w.dom.ID(x)]
}

// isUnchanged reports whether v, a state, is the initial state or spared.
func (w *walker[T]) isUnchanged(v *ir.Value) bool {
	return v.Kind == ir.Input || w.spared[w.dom.ID(w.value(v))]
}
