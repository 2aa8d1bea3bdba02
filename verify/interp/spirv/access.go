package spirv

import "math/bits"

// BufferSize is the size in bytes of a buffer that ends in an array without a length.
const BufferSize = 4096

// storeKey names a word that an invocation has stored.
type storeKey struct {
	lane, resource int32
	address        uint32
}

// loadSlots copies slots of a variable.
func (m *machine) loadSlots(in *instr) {
	m.copyWords(in.dst, in.from.v.slot+int32(in.from.offset), in.n)
}

// storeSlots copies slots to a variable.
func (m *machine) storeSlots(in *instr) {
	m.copyWords(in.to.v.slot+int32(in.to.offset), in.a, in.n)
}

// copySlots copies the operand.
func (m *machine) copySlots(in *instr) { m.copyWords(in.dst, in.a, in.n) }

// copyWords copies n slots in the active lanes.
func (m *machine) copyWords(dst, src, n int32) {
	for k := range n {
		d, s := &m.s[dst+k], &m.s[src+k]
		if m.mask == allLanes {
			*d = *s
			continue
		}
		for w := m.mask; w != 0; w &= w - 1 {
			l := bits.TrailingZeros64(w) & (Lanes - 1)
			d[l] = s[l]
		}
	}
}

// loadUniform loads words of a read-only buffer at a fixed address.
func (m *machine) loadUniform(in *instr) {
	for k := range in.n {
		lane := bits.TrailingZeros64(m.mask) & (Lanes - 1)
		w, ok := m.bufferWord(in.from.v, in.from.offset+uint32(in.args[k]), lane)
		for mask := m.mask; mask != 0; mask &= mask - 1 {
			l := bits.TrailingZeros64(mask) & (Lanes - 1)
			if m.s[in.dst+k][l] = w; !ok {
				m.s[in.dst+k][l] = m.undefined(in.dst+k, l)
			}
		}
	}
}

// resolve returns the variable and the address of a pointer in a lane.
func (m *machine) resolve(p *pointer, lane int) (*variable, uint32) {
	v, at := p.v, p.offset
	if v == nil {
		v = m.p.variables[int(m.s[p.number][lane])%len(m.p.variables)]
	}
	if p.dyn >= 0 {
		at += m.s[p.dyn][lane]
	}
	return v, at
}

// word returns the word at an address, or false if the address is out of range.
func (m *machine) word(v *variable, at uint32, lane int) (uint32, bool) {
	if !pointsToSlots(v.class) {
		return m.bufferWord(v, at, lane)
	}
	if at >= uint32(v.t.slots) {
		return 0, false
	}
	if v.class == classWorkgroup {
		lane = 0 // all lanes share its words
	}
	return m.s[v.slot+int32(at)][lane], true
}

// bufferWord returns a word of a buffer: the last one that the invocation stored, or the one of the environment.
func (m *machine) bufferWord(v *variable, at uint32, lane int) (uint32, bool) {
	if at >= badAddress || at&(1<<elementShift-1)+4 > v.size {
		return 0, false
	}
	if !v.readOnly {
		if w, ok := m.stores[storeKey{int32(lane), int32(v.index), at}]; ok {
			return w, true
		}
	}
	if m.env.Word == nil {
		return 0, true
	}
	r := v.resource
	r.Element = at >> elementShift
	return m.env.Word(r, at&(1<<elementShift-1)), true
}

// setWord stores a word. Helper invocations store nothing in buffers.
func (m *machine) setWord(v *variable, at uint32, lane int, w uint32) {
	switch {
	case pointsToSlots(v.class):
		if v.class == classWorkgroup {
			lane = 0
		}
		if at < uint32(v.t.slots) {
			m.s[v.slot+int32(at)][lane] = w
		}
	case m.helpers>>lane&1 == 0 && at < badAddress && at&(1<<elementShift-1)+4 <= v.size:
		if m.stores == nil {
			m.stores = map[storeKey]uint32{}
		}
		m.stores[storeKey{int32(lane), int32(v.index), at}] = w
	}
}

// distance returns how far word k of an access lies behind its address.
func (in *instr) distance(k int32) uint32 {
	if in.args == nil {
		return uint32(k)
	}
	return uint32(in.args[k])
}

// loadWords loads words at an address that differs between lanes. Words out of range are undefined.
func (m *machine) loadWords(in *instr) {
	for mask := m.mask; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		v, at := m.resolve(&in.from, l)
		for k := range in.n {
			w, ok := m.word(v, at+in.distance(k), l)
			if !ok || at >= badAddress {
				w = m.undefined(in.dst+k, l)
			}
			m.s[in.dst+k][l] = w
		}
	}
}

// storeWords stores words. Stores out of range have no effect.
func (m *machine) storeWords(in *instr) {
	for mask := m.mask; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		v, at := m.resolve(&in.to, l)
		for k := range in.n {
			if at < badAddress {
				m.setWord(v, at+in.distance(k), l, m.s[in.a+k][l])
			}
		}
	}
}

// loadHandle loads descriptors: the number of the variable, and the number of the element in it.
func (m *machine) loadHandle(in *instr) {
	for mask := m.mask; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		v, at := m.resolve(&in.from, l)
		for k := range in.n {
			m.s[in.dst+k][l] = uint32(v.number)<<handleShift | at&(1<<handleShift-1)
		}
	}
}

// handleShift is the position of the variable's number in a descriptor.
const handleShift = 12

// pointerWords stores a pointer in two slots: the number of the variable, and the address.
func (m *machine) pointerWords(in *instr) {
	for mask := m.mask; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		v, at := m.resolve(&in.from, l)
		m.s[in.dst][l], m.s[in.dst+1][l] = uint32(v.number), at
	}
}

// address adds the dynamic terms of an address. An index out of range makes the address bad.
func (m *machine) address(in *instr) {
	for mask := m.mask; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		at := uint64(0)
		if in.a >= 0 {
			at = uint64(m.s[in.a][l])
		}
		for t := 0; t < len(in.args); t += 3 {
			k, stride, count := m.s[in.args[t]][l], uint32(in.args[t+1]), in.args[t+2]
			if count >= 0 && k >= uint32(count) {
				at = badAddress
			}
			if at < badAddress {
				at += uint64(k) * uint64(stride)
			}
		}
		m.s[in.dst][l] = uint32(min(at, badAddress))
	}
}

// arrayLength computes the number of elements of the array at the end of a buffer.
func (m *machine) arrayLength(in *instr) {
	for mask := m.mask; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		v, _ := m.resolve(&in.from, l)
		m.s[in.dst][l] = (max(v.size, uint32(in.args[0])) - uint32(in.args[0])) / uint32(in.args[1])
	}
}

// makeAtomicOps returns the new word of each atomic instruction, from the old one, the value and the comparator.
func makeAtomicOps() map[uint16]func(old, value, comparator uint32) uint32 {
	return map[uint16]func(old, value, comparator uint32) uint32{
		227: func(old, _, _ uint32) uint32 { return old },
		228: func(_, v, _ uint32) uint32 { return v },
		229: func(_, v, _ uint32) uint32 { return v },
		230: func(old, v, c uint32) uint32 {
			if old == c {
				return v
			}
			return old
		},
		232: func(old, _, _ uint32) uint32 { return old + 1 },
		233: func(old, _, _ uint32) uint32 { return old - 1 },
		234: func(old, v, _ uint32) uint32 { return old + v },
		235: func(old, v, _ uint32) uint32 { return old - v },
		236: func(old, v, _ uint32) uint32 { return uint32(min(int32(old), int32(v))) },
		237: func(old, v, _ uint32) uint32 { return min(old, v) },
		238: func(old, v, _ uint32) uint32 { return uint32(max(int32(old), int32(v))) },
		239: func(old, v, _ uint32) uint32 { return max(old, v) },
		240: func(old, v, _ uint32) uint32 { return old & v },
		241: func(old, v, _ uint32) uint32 { return old | v },
		242: func(old, v, _ uint32) uint32 { return old ^ v },
	}
}

// atomic executes an atomic instruction. Each invocation runs as if it were alone.
func (m *machine) atomic(in *instr) {
	for mask := m.mask; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		if in.to.texel != nil {
			m.atomicTexel(in, l)
			continue
		}
		v, at := m.resolve(&in.to, l)
		at += in.distance(0)
		old, ok := m.word(v, at, l)
		if !ok || at >= badAddress || m.helpers>>l&1 != 0 {
			m.s[in.dst][l] = m.undefined(in.dst, l)
			continue
		}
		m.setWord(v, at, l, in.total(old, m.s[in.a][l], m.s[in.b][l]))
		m.s[in.dst][l] = old
	}
}
