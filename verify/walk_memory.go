package verify

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// memory executes an instruction on memory. A memory is in SSA form: an op takes the states that it
// finds as arguments and leaves others as results, and what it reads is a function of those states,
// of where and of what. Which states those are under control flow is told by the constructs that
// hand them on. So a load is not the one before or after a store to the same memory, wherever that
// goes, and stores stay in order: between them another invocation may look. Only of an array that
// is the invocation's own (x# of AMD IL) does a load depend on no more than what it reads, see
// words.Before and words.Stored.
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
	// The offset of x0[r0.x+4] becomes part of the index, so that indices compare as sums.
	if isArray {
		at = w.words.Plus(w.src[0][0], in.Imm)
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
	// Stores to other elements than at do not matter to the load.
	if private && in.Op == ir.OpMemLoad {
		states[0] = w.words.Before(states[0], at)
	}
	args := append(append([]T(nil), w.args...), states...)
	aux := uint64(in.Op) | uint64(in.Base.File)<<8 | uint64(in.Base.Index)<<16
	for i, v := range in.Out {
		if v == nil || !w.live.value[v.ID] {
			continue
		}
		// A load from an element that was stored is what was stored there.
		x, ok := at, false
		if private {
			x, ok = w.words.Stored(states[0], at, i, size)
		}
		if !ok {
			x = w.dom.Opaque(symbolic.TagMemory, aux|uint64(i)<<32, args)
		}
		if in.Mods&ir.Sat != 0 {
			x = w.dom.Saturate(x)
		}
		w.set(v, x)
	}
	for k, v := range in.Results {
		if !w.live.value[v.ID] {
			continue
		}
		x := w.dom.Opaque(symbolic.TagMemory, aux|uint64(k)<<32|1<<48, args)
		if private && in.Op == ir.OpMemStore {
			w.words.Store(x, states[0], at, in, &w.src[1])
		}
		w.set(v, x)
	}
}

// discard collects the condition under which the invocation is dropped, after which it changes memory
// no more: the state behind it depends on that condition. A discard that is known not to happen
// leaves the state alone.
func (w *walker[T]) discard(in *ir.Instr) {
	c := w.condition(in.Src[0][0])
	if holds, known := w.dom.Truth(c); known && !holds {
		for k, v := range in.Results {
			if w.live.value[v.ID] {
				w.set(v, w.value(in.Args[k]))
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
			x := w.dom.Opaque(symbolic.TagMemory, uint64(in.Op)|1<<48, w.args)
			w.set(v, x)
			if w.idle(in.Args[k]) {
				w.spared[w.dom.ID(x)] = true
			}
		}
	}
}

// idle reports whether v, a state, is as it was at first or spared.
func (w *walker[T]) idle(v *ir.Value) bool {
	return v.Kind == ir.Input || w.spared[w.dom.ID(w.value(v))]
}
