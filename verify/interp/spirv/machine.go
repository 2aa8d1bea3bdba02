package spirv

import (
	"math"
	"math/bits"
)

// Lanes is the number of invocations of a batch: 16 quads of fragments, or 64 vertices.
const Lanes = 64

// Vec is one word of each invocation of a batch.
type Vec [Lanes]uint32

const allLanes = math.MaxUint64

// machine runs a batch.
type machine struct {
	p       *Program
	env     *Env
	s       []Vec
	pending [][]uint64 // by function and block: lanes that wait there

	mask    uint64 // lanes that execute the current instruction
	running uint64 // lanes that have not ended
	helpers uint64 // lanes whose stores have no effect
	killed  uint64 // lanes whose fragment is discarded
	lost    uint64 // lanes that reached a point that they must not reach

	// steps remain before active lanes expire; limit is the number after the last expiry.
	steps, limit int
	unfinished   uint64

	x, y   [Lanes]int32 // pixels
	stores map[storeKey]uint32
	texels map[texelKey][4]uint32
	images map[uint32]*Image // by descriptor
	wild   uint64
}

// undefined returns the word of an undefined slot in a lane: 0, or a pseudo-random word under a filling. Random bits are
// mostly floats that a sum absorbs, so that two kinds of fillings have other words.
func (m *machine) undefined(slot int32, lane int) uint32 {
	if m.env.Fill == 0 {
		return 0
	}
	h := m.env.Fill*0x9e3779b97f4a7c15 + uint64(slot)<<8 + uint64(lane)
	h = (h ^ h>>31) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>29) * 0x94d049bb133111eb
	switch w := uint32(h >> 32); m.env.Fill & 3 {
	case FillFloats: // of a size from 1 to 2^16
		return w&(1<<31|1<<23-1) | (127+w>>23&15)<<23
	case FillSmall:
		return w & 15
	default:
		return w
	}
}

// fillSlots makes slots undefined.
func (m *machine) fillSlots(in *instr) { m.fill(in.dst, in.n) }

func (m *machine) fill(first, n int32) {
	for k := first; k < first+n; k++ {
		for mask := m.mask; mask != 0; mask &= mask - 1 {
			l := bits.TrailingZeros64(mask) & (Lanes - 1)
			m.s[k][l] = m.undefined(k, l)
		}
	}
}

// reset prepares the machine for a batch of n invocations.
func (m *machine) reset(n int) {
	m.mask, m.helpers, m.killed, m.lost, m.wild = allLanes, 0, 0, 0, 0
	m.running = allLanes >> (Lanes - n)
	m.stores, m.texels, m.images = nil, nil, nil
	m.unfinished = 0
	for _, s := range m.p.undefined {
		m.fill(s.first, s.n)
	}
	for _, v := range m.p.variables {
		if pointsToSlots(v.class) {
			m.initialize(v)
		}
	}
}

// initialize gives a variable its initial words.
func (m *machine) initialize(v *variable) {
	if v.initial >= 0 {
		m.copyWords(v.slot, v.initial, int32(v.t.slots))
	} else if v.class != classInput {
		m.fill(v.slot, int32(v.t.slots))
	}
}

// execute runs a function with the lanes of mask.
func (m *machine) execute(f *function, mask uint64) {
	m.mask = mask
	for _, v := range f.locals {
		m.initialize(v)
	}
	pending := m.pending[f.index]
	pending[0] = mask
	for at := 0; at < len(pending); {
		m.steps--
		mask := pending[at]
		pending[at] = 0
		if mask == 0 {
			at++
			continue
		}
		at = m.block(f, at, mask)
	}
}

// expire ends the active lanes because the steps are used up. Lanes that wait for them get new steps: half of the last
// ones.
func (m *machine) expire() {
	m.unfinished |= m.mask
	m.running &^= m.mask
	m.mask = 0
	m.limit /= 2
	m.steps = m.limit
}

// block executes a block and returns the lowest block that lanes can wait for.
func (m *machine) block(f *function, at int, mask uint64) int {
	m.mask = mask
	b := &f.blocks[at]
	for i := range b.code {
		in := &b.code[i]
		if m.steps -= int(in.cost); m.steps < 0 {
			m.expire()
		} else {
			in.run(m, in)
		}
		if m.mask == 0 {
			return at + 1
		}
	}
	if m.steps < 0 {
		m.expire()
		return at + 1
	}
	end := &b.end
	mask = m.mask
	next := at + 1
	switch end.op {
	case opBranch:
		next = min(next, m.follow(f, &end.edges[0], mask))
	case opBranchConditional:
		holds := m.lanesOf(end.slot)
		next = min(next, m.follow(f, &end.edges[0], mask&holds), m.follow(f, &end.edges[1], mask&^holds))
	case opSwitch:
		next = min(next, m.switchLanes(f, end, mask))
	case opReturnValue:
		m.copyWords(f.result.first, end.slot, f.result.n)
	case opReturn:
	case opUnreachable:
		m.lost |= mask
		m.running &^= mask
	default:
		m.killed |= mask
		m.running &^= mask
	}
	return next
}

// lanesOf returns the lanes in which a boolean holds.
func (m *machine) lanesOf(slot int32) (holds uint64) {
	for l, w := range &m.s[slot] {
		if w != 0 {
			holds |= 1 << l
		}
	}
	return holds
}

// switchLanes sends lanes to the targets of a switch.
func (m *machine) switchLanes(f *function, end *terminator, mask uint64) int {
	lowest := len(f.blocks)
	selector := m.s[end.slot] // phis may overwrite the slot
	for mask != 0 {
		k := end.cases[selector[bits.TrailingZeros64(mask)]] // 0 is the default
		same := uint64(0)
		for w := mask; w != 0; w &= w - 1 {
			l := bits.TrailingZeros64(w)
			if end.cases[selector[l]] == k {
				same |= 1 << l
			}
		}
		lowest = min(lowest, m.follow(f, &end.edges[k], same))
		mask &^= same
	}
	return lowest
}

// follow sends lanes along an edge and returns the number of its target.
func (m *machine) follow(f *function, e *edge, mask uint64) int {
	if mask == 0 {
		return len(f.blocks)
	}
	m.mask = mask
	for _, v := range e.moves {
		m.steps -= int(v.n)
		if v.staging >= 0 {
			m.copyWords(v.staging, v.src, v.n)
		}
	}
	for _, v := range e.moves {
		if v.staging >= 0 {
			m.copyWords(v.dst, v.staging, v.n)
		} else {
			m.copyWords(v.dst, v.src, v.n)
		}
	}
	m.pending[f.index][e.target] |= mask
	return e.target
}

// callFunction executes a function in the active lanes. Lanes that end in it do not come back.
func (m *machine) callFunction(in *instr) {
	mask := m.mask
	m.execute(in.call, mask)
	m.mask = mask & m.running
	m.copyWords(in.dst, in.call.result.first, in.n)
}

// demote makes the active lanes helper invocations and discards their fragments.
func (m *machine) demote(*instr) {
	m.helpers |= m.mask
	m.killed |= m.mask
}

// isHelper stores whether the lanes are helper invocations.
func (m *machine) isHelper(in *instr) {
	m.each(in, func(l int) uint32 { return boolWord(m.helpers>>l&1 != 0) })
}

// each sets the first slot of the result to the value of f in every active lane.
func (m *machine) each(in *instr, f func(lane int) uint32) {
	for mask := m.mask; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		m.s[in.dst][l] = f(l)
	}
}
