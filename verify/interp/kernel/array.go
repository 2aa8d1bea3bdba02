package kernel

import (
	"github.com/shaderlift/shaderlift/asm/il"
)

// Arrays with computed indices: constant buffers, x#[] and g[]. Reads beyond the end return 0 and writes
// there have no effect, as for buffers in Direct3D 11. Elements have four components. The index is the
// offset plus the index register, if any, modulo 2^32.

// isLoad reports whether reading a register takes a separate step: its element is unknown before the
// launch, or other invocations may have written it.
func (l *lowering) isLoad(src *il.Src) bool {
	switch src.File {
	case il.Global:
		return true
	case il.ConstBuf, il.ImmConstBuf, il.TempArray:
		return src.Rel != nil
	}
	return false
}

// loadElement adds a step that reads each component of an element that sels selects once, and records their slots
// in have. All lanes read, active or not. Inactive lanes may have any index, which the bounds checks allow.
func (l *lowering) loadElement(src *il.Src, sels [4]il.Sel, have *[4]slot) {
	u := uop{ns: 1, s: [6]slot{l.index(src.Addr)}}
	var comps [4]int
	for _, sel := range sels {
		if sel <= il.SelW && have[sel] == noSlot {
			have[sel] = l.allocateTemp()
			u.d[u.nd], comps[u.nd] = have[sel], int(sel)
			u.nd++
		}
	}
	// The closures below capture these; they run at every launch.
	offset, reg := src.Offset, src.Reg
	// x#[] is a range of registers, each a vector of lanes.
	if reg.File == il.TempArray {
		first, n := l.regs[reg], uint32(l.sizes[reg])
		u.ext = func(m *machine, u *uop) {
			for k, c := range comps[:u.nd] {
				d, at := m.slotWords(u.d[k]), m.slotWords(u.s[0])
				for i := range d {
					w := uint32(0)
					if e := at[i] + offset; e < n {
						w = m.r[m.wordIndex(first+slot(4*e)+slot(c))+i]
					}
					d[i] = w
				}
			}
		}
		l.emit(u)
		return
	}
	if reg.File == il.Global {
		l.Program.global = true
	}
	if reg.File == il.ConstBuf && reg.Num >= Banks {
		l.fail(l.in, "register-range", "constant buffers are cb0 to cb%d", Banks-1)
		return
	}
	u.ext = func(m *machine, u *uop) {
		// The memory of the launch, by element; g[] can change between steps.
		words := m.array(reg)
		n := uint32(len(words) / 4)
		for k, c := range comps[:u.nd] {
			d, at := m.slotWords(u.d[k]), m.slotWords(u.s[0])
			for i := range d {
				w := uint32(0)
				if e := at[i] + offset; e < n {
					w = words[4*int(e)+c]
				}
				d[i] = w
			}
		}
	}
	l.emit(u)
}

// addStore adds a step that stores to memory. The step has the index in s[0], and the results that are not
// noSlot from s[1] on. f receives the components of these results.
func (l *lowering) addStore(results [4]slot, f func(m *machine, u *uop, comps []int)) {
	u := uop{ns: 1, s: [6]slot{l.index(l.in.Dst.Addr)}, masked: true}
	var comps []int
	for c, at := range results {
		if at != noSlot {
			u.s[u.ns] = at
			u.ns++
			comps = append(comps, c)
		}
	}
	u.ext = func(m *machine, u *uop) { f(m, u, comps) }
	l.emit(u)
}

// scatter stores to an element of x#[] in the active lanes.
func (l *lowering) scatter(results [4]slot) {
	reg, offset := l.in.Dst.Reg, l.in.Dst.Offset
	first, n := l.regs[reg], uint32(l.sizes[reg])
	l.addStore(results, func(m *machine, u *uop, comps []int) {
		at := m.slotWords(u.s[0])
		for i := range m.active {
			if e := at[i] + offset; e < n {
				for k, c := range comps {
					m.r[m.wordIndex(first+slot(4*e)+slot(c))+i] = m.slotWords(u.s[1+k])[i]
				}
			}
		}
	})
}

// storeGlobal stores to an element of g[] in the order of the lanes, so the last lane wins if several write
// to one element. This interpreter chose that order.
func (l *lowering) storeGlobal(results [4]slot) {
	l.Program.global, l.stores = true, true
	offset := l.in.Dst.Offset
	l.addStore(results, func(m *machine, u *uop, comps []int) {
		at := m.slotWords(u.s[0])
		n := uint32(len(m.global) / 4)
		for i := range m.writers {
			if e := at[i] + offset; e < n {
				for k, c := range comps {
					m.global[4*int(e)+c] = m.slotWords(u.s[1+k])[i]
				}
			}
		}
	})
}
