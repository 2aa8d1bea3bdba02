package kernel

import (
	"github.com/shaderlift/shaderlift/asm/il"
)

// view is a declared unordered-access view. Views with the same number share their memory.
type view struct {
	id     int
	kind   viewKind
	typ    il.TexType // of a typed one
	stride uint32     // of a structured one
}

type viewKind uint8

const (
	byByte viewKind = iota // raw views and arenas
	byElement
	byStructure
)

// declareView records a declaration of a view.
func (c *compiler) declareView(in *il.Inst) {
	v := view{id: int(in.Ctl.ID)}
	switch in.Op {
	case il.OpDclUav:
		v.kind, v.typ = byElement, in.Ctl.Tex
		if dimensions(v.typ) == 0 {
			c.fail(in, "unsupported-resource", "a view of type %s cannot be accessed", v.typ)
		}
	case il.OpDclStructUav:
		v.kind, v.stride = byStructure, in.Imm[0]
	}
	c.views = append(c.views, v)
}

// accessedView returns the view that a statement accesses, by its number and the kind of access.
func (l *lowering) accessedView() view {
	kind := -1
	switch l.in.Op {
	case il.OpUavLoad, il.OpUavStore:
		kind = int(byElement)
	case il.OpUavStructLoad, il.OpUavStructStore:
		kind = int(byStructure)
	case il.OpUavRawLoad, il.OpUavRawStore, il.OpUavArenaLoad, il.OpUavArenaStore:
		kind = int(byByte)
	}
	for _, v := range l.views {
		if v.id == int(l.in.Ctl.ID) && (kind < 0 || kind == int(v.kind)) {
			return v
		}
	}
	l.fail(l.in, "view-kind", "view %d is not declared for %s", l.in.Ctl.ID, l.in.Op)
	return view{}
}

// viewMemory is the memory of a view in a launch: w*h*d elements of four words.
type viewMemory struct {
	w, h, d  int
	words    []uint32
	appended uint32 // of append_buf_alloc
}

// viewAddress puts the components of an address in s[0] to s[2] of a step: a byte, or coordinates, or the
// number of a structure and a byte in it. Missing components repeat the last.
func (l *lowering) viewAddress(v view, u *uop) {
	n := 1
	switch v.kind {
	case byElement:
		n = dimensions(v.typ)
	case byStructure:
		n = 2
	}
	at := l.operand(0, il.Lanes(1)<<n-1)
	for c := range 3 {
		u.s[c] = at[min(c, n-1)]
	}
	u.ns = 3
}

// place returns the first byte of an address. ok is false for an element or a structure out of range. load
// and store check bytes beyond the end.
func (v *view) place(mem *viewMemory, x, y, z uint32) (byte uint64, ok bool) {
	switch v.kind {
	case byByte:
		return uint64(x), true
	case byStructure:
		return uint64(x)*uint64(v.stride) + uint64(y), y < v.stride
	}
	size := [3]int{mem.w, mem.h, mem.d}
	if v.typ == il.TexBuffer {
		size = [3]int{mem.w * mem.h * mem.d, 1, 1}
	}
	k, stride := uint64(0), uint64(1)
	at := [3]uint32{x, y, z}
	for c, w := range at[:dimensions(v.typ)] {
		if uint64(w) >= uint64(size[c]) {
			return 0, false
		}
		k += stride * uint64(w)
		stride *= uint64(size[c])
	}
	return 16 * k, true
}

// loadWord returns the word at a byte address, or 0 beyond the end.
func loadWord(words []uint32, byte uint64) uint32 {
	if k := byte / 4; k < uint64(len(words)) {
		return words[k]
	}
	return 0
}

// store sets the word at a byte address; beyond the end it has no effect.
func store(words []uint32, byte uint64, w uint32) {
	if k := byte / 4; k < uint64(len(words)) {
		words[k] = w
	}
}

// accessSize returns the number of bytes in an access to an arena, and their mask in a word.
func accessSize(size il.MemSize) (bytes uint64, mask uint32) {
	switch size {
	case il.SizeByte:
		return 1, 0xff
	case il.SizeShort:
		return 2, 0xffff
	}
	return 4, allOnes
}

// shiftOf returns the bit offset of the part at a byte address in its word. It rounds addresses down to
// whole parts.
func shiftOf(byte, bytes uint64) uint64 { return byte &^ (bytes - 1) & 3 * 8 }

// viewLoad reads consecutive words, one for each lane. It zero-extends parts smaller than a word.
func viewLoad(l *lowering, lanes il.Lanes) (results [4]slot) {
	v := l.accessedView()
	u := uop{}
	l.viewAddress(v, &u)
	var comps []uint64
	for c := range 4 {
		if lanes.Has(c) {
			results[c] = l.allocateTemp()
			u.d[u.nd] = results[c]
			u.nd++
			comps = append(comps, uint64(c))
		}
	}
	bytes, mask := accessSize(l.in.Ctl.Size)
	u.ext = func(m *machine, u *uop) {
		mem := m.views[v.id]
		x, y, z := m.slotWords(u.s[0]), m.slotWords(u.s[1]), m.slotWords(u.s[2])
		for i := range x {
			at, ok := v.place(mem, x[i], y[i], z[i])
			for k, c := range comps {
				w := uint32(0)
				if byte := at + bytes*c; ok {
					w = loadWord(mem.words, byte) >> shiftOf(byte, bytes) & mask
				}
				m.slotWords(u.d[k])[i] = w
			}
		}
	}
	l.emit(u)
	return results
}

// storedLanes returns the lanes that a store writes: those of mem, including its constants. Without mem it
// returns x, or all four for a typed store.
func (l *lowering) storedLanes(data int) (comps []uint64, at []slot) {
	mask := il.Mask(il.Result)
	if l.in.HasDst {
		mask = l.in.Dst.Mask
	} else if l.in.Op == il.OpUavStore {
		mask = il.MaskAll
	}
	from := l.operand(data, mask.Computed())
	for c := range 4 {
		s := from[c]
		switch mask.WriteAt(c) {
		case il.Keep:
			continue
		case il.Zero:
			s = l.literal(0)
		case il.One:
			s = l.literal(oneBits)
		}
		comps, at = append(comps, uint64(c)), append(at, s)
	}
	return comps, at
}

// viewStore writes a word, or a part of one, for each lane, in the order of the lanes.
func viewStore(l *lowering, _ il.Lanes) (results [4]slot) {
	l.stores = true
	v := l.accessedView()
	comps, data := l.storedLanes(1)
	u := uop{masked: true}
	l.viewAddress(v, &u)
	bytes, mask := accessSize(l.in.Ctl.Size)
	u.ext = func(m *machine, u *uop) {
		mem := m.views[v.id]
		x, y, z := m.slotWords(u.s[0]), m.slotWords(u.s[1]), m.slotWords(u.s[2])
		for i := range m.writers {
			at, ok := v.place(mem, x[i], y[i], z[i])
			if !ok {
				continue
			}
			for k, c := range comps {
				byte := at + bytes*c
				shift := shiftOf(byte, bytes)
				old := loadWord(mem.words, byte)
				store(mem.words, byte, old&^(mask<<shift)|m.slotWords(data[k])[i]&mask<<shift)
			}
		}
	}
	l.emit(u)
	return results
}

// appended implements append_buf_alloc and append_buf_consume: it counts up or down, lane by lane. The
// result is the number of the allocated or released element.
func appended(l *lowering, lanes il.Lanes) [4]slot {
	l.stores = true
	v := l.accessedView()
	consume := l.in.Op == il.OpAppendConsume
	return l.replicate(lanes, func() slot {
		d := l.allocateTemp()
		l.emit(uop{d: [4]slot{d}, nd: 1, masked: true, ext: func(m *machine, u *uop) {
			mem, d := m.views[v.id], m.slotWords(u.d[0])
			for i := range m.writers {
				if consume {
					mem.appended--
				}
				d[i] = mem.appended
				if !consume {
					mem.appended++
				}
			}
		}})
		return d
	})
}
