package kernel

import (
	"github.com/shaderlift/shaderlift/asm/il"
)

// atomics maps an operation to its new value of a word. Both kinds of inc and dec wrap at the operand,
// which is unsigned, as in Direct3D 11 (and DS_INC_U32, DS_DEC_U32 of the hardware's manuals).
var atomics = [...]func(old, x uint32) uint32{
	il.AtomicAdd:  func(old, x uint32) uint32 { return old + x },
	il.AtomicSub:  func(old, x uint32) uint32 { return old - x },
	il.AtomicRSub: func(old, x uint32) uint32 { return x - old },
	il.AtomicMin:  imin,
	il.AtomicMax:  imax,
	il.AtomicUMin: umin,
	il.AtomicUMax: umax,
	il.AtomicAnd:  func(old, x uint32) uint32 { return old & x },
	il.AtomicOr:   func(old, x uint32) uint32 { return old | x },
	il.AtomicXor:  func(old, x uint32) uint32 { return old ^ x },
	il.AtomicInc:  increment,
	il.AtomicDec:  decrement,
	il.AtomicUInc: increment,
	il.AtomicUDec: decrement,
	il.AtomicXchg: func(_, x uint32) uint32 { return x },
}

// increment and decrement count between 0 and x inclusive.
func increment(old, x uint32) uint32 {
	if old >= x {
		return 0
	}
	return old + 1
}

func decrement(old, x uint32) uint32 {
	if old == 0 || old > x {
		return x
	}
	return old - 1
}

// atomicData returns the operands of an atomic access. Each is one word, from the first lane of the
// destination if there is one.
func (l *lowering) atomicData(lanes il.Lanes) (data []slot) {
	// The lowest set lane.
	lane := lanes & -lanes
	if lane == 0 {
		lane = 1
	}
	for i := 1; i < len(l.in.Sources()); i++ {
		at := l.operand(i, lane)
		for c := range at {
			if lane.Has(c) {
				data = append(data, at[c])
			}
		}
	}
	return data
}

// atomic adds a step that changes a word in each active lane, one lane after the other, and returns the old
// values. Real threads may run in this sequential order. place finds the word, or returns nil without one.
// Two data words are a new value and a comparison; valueFirst gives their order.
func (l *lowering) atomic(u uop, lanes il.Lanes, data []slot, valueFirst bool,
	place func(m *machine, u *uop, i int) *uint32) [4]slot {
	change := atomics[l.in.Ctl.Atomic]
	first := int(u.ns)
	u.ns += uint8(copy(u.s[first:], data))
	compares := len(data) == 2
	return l.replicate(lanes, func() slot {
		d := l.allocateTemp()
		u.d[0], u.nd, u.masked = d, 1, true
		u.ext = func(m *machine, u *uop) {
			d, x, y := m.slotWords(u.d[0]), m.slotWords(u.s[first]), m.slotWords(u.s[int(u.ns)-1])
			for i := range m.writers {
				w := place(m, u, i)
				a, b := x[i], y[i]
				if w == nil {
					d[i] = 0
					continue
				}
				d[i] = *w
				switch {
				case !compares:
					*w = change(d[i], a)
				case valueFirst && d[i] == b:
					*w = a
				case !valueFirst && d[i] == a:
					*w = b
				}
			}
		}
		l.emit(u)
		return d
	})
}

// wordAt returns the word that contains a byte, or nil beyond the end.
func wordAt(words []uint32, byte uint64) *uint32 {
	if k := byte / 4; k < uint64(len(words)) {
		return &words[k]
	}
	return nil
}

// viewAtomic executes an atomic access to a view. For cmp and cmp_xchg the new value precedes the
// comparison, the order that a compiler for these views emits.
func viewAtomic(l *lowering, lanes il.Lanes) [4]slot {
	l.stores = true
	v := l.accessedView()
	u := uop{}
	l.viewAddress(v, &u)
	return l.atomic(u, lanes, l.atomicData(lanes), true, func(m *machine, u *uop, i int) *uint32 {
		mem := m.views[v.id]
		at, ok := v.place(mem, m.slotWords(u.s[0])[i], m.slotWords(u.s[1])[i], m.slotWords(u.s[2])[i])
		if !ok {
			return nil
		}
		return wordAt(mem.words, at)
	})
}
