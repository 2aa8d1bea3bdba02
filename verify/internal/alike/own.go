package alike

import (
	"github.com/shaderlift/shaderlift/asm/il"
)

// ownMemory is a local memory in which each invocation of a group accesses only bytes of its own: those from
// factor*t on, where t is its number in the group. Such a word is a register.
//
//	imul r0.x, vTidInGrpFlat.x, 8         lds_store_id(1) r0.x, r1.x   becomes   mov r9.x, r1.x
//	iadd r0.y, r0.x, 4                    lds_load_id(1) r2.x, r0.y              mov r2.x, r10.x
type ownMemory struct {
	bytes    uint32 // its size
	factor   uint32 // bytes of an invocation, 0 until an access is met
	accesses int
	shared   bool // an access may be to bytes of another invocation
	words    map[uint32]il.Reg
}

// ownLocals returns k with own words of local memories in registers and without these memories, and the number of
// accesses that it replaced. The contents of local memory are not known when a group begins, so these registers are
// unwritten then.
func ownLocals(k *il.Kernel) (*il.Kernel, int, error) {
	h := newHolder(k)
	memories, n := h.ownMemories(), 0
	word := func(m *ownMemory, at uint32) il.Reg {
		if _, known := m.words[at]; !known {
			m.words[at] = il.Reg{File: il.Temp, Num: h.temps}
			h.temps++
		}
		return m.words[at]
	}
	var out []il.Inst
	for i := range h.insts {
		in := &h.insts[i]
		m := memories[in.Ctl.ID]
		switch {
		case m == nil || !isLocal(in):
			out = append(out, *in)
			continue
		case in.Op == il.OpDclLds: // nothing accesses it any more
			continue
		}
		at, _ := h.addressSum(i, &in.Src[0])
		for c, accessed := range written(in) {
			if !accessed {
				continue
			}
			w := word(m, at.more+4*uint32(c))
			to, comp, data := in.Dst.Reg, il.Sel(c), il.Src{Reg: w, Swz: il.MakeSwizzle(il.SelX)}
			if in.Op == il.OpLdsStore {
				to, comp, data = w, il.SelX, in.Src[1]
				data.Swz = il.MakeSwizzle(in.Reads(1)[c])
			}
			switch in.Dst.Mask.WriteAt(c) { // a constant of the mask
			case il.Zero:
				data = il.Src{Reg: w, Swz: il.MakeSwizzle(il.Sel0)}
			case il.One:
				data = il.Src{Reg: w, Swz: il.MakeSwizzle(il.Sel1)}
			}
			out = append(out, moveWord(to, comp, data))
		}
		n++
	}
	if len(out) == len(h.insts) && n == 0 {
		return k, 0, nil
	}
	h.insts = out
	k, err := h.kernel(k)
	return k, n, err
}

// moveWord returns a move to one component of a register.
func moveWord(to il.Reg, comp il.Sel, from il.Src) il.Inst {
	in := il.Inst{Op: il.OpMov, HasDst: true, NSrc: 1}
	var writes [4]il.Write
	writes[comp] = il.Result
	in.Dst.Reg, in.Dst.Mask, in.Src[0] = to, il.MakeMask(writes[0], writes[1], writes[2], writes[3]), from
	return in
}

// isLocal reports whether in declares or accesses a numbered local memory.
func isLocal(in *il.Inst) bool {
	switch in.Op {
	case il.OpDclLds, il.OpDclStructLds, il.OpLdsLoad, il.OpLdsStore, il.OpLdsAtomic, il.OpLdsCmp, il.OpLdsLoadVec,
		il.OpLdsReadAtomic, il.OpLdsReadCmpXchg, il.OpLdsStoreVec:
		return true
	}
	return false
}

// ownMemories lists the local memories whose words belong to one invocation each.
func (h *holder) ownMemories() map[uint16]*ownMemory {
	list := map[uint16]*ownMemory{}
	threads, row := uint64(0), false
	for i := range h.insts {
		in := &h.insts[i]
		if in.Op == il.OpDclNumThreadPerGroup {
			threads, row = 1, in.NImm == 1
			for _, n := range in.Immediates() {
				threads *= uint64(n)
			}
		}
		if !isLocal(in) {
			continue
		}
		m := list[in.Ctl.ID]
		if m == nil {
			m = &ownMemory{words: map[uint32]il.Reg{}}
			list[in.Ctl.ID] = m
		}
		switch in.Op {
		case il.OpDclLds:
			m.shared = m.shared || m.bytes != 0
			m.bytes = in.Imm[0]
		case il.OpLdsLoad, il.OpLdsStore:
			m.accesses++
			m.shared = m.shared || !h.isOwn(i, m, row)
		default:
			m.shared = true
		}
	}
	for id, m := range list {
		if m.shared || threads == 0 || threads*uint64(m.factor) > uint64(m.bytes) {
			delete(list, id)
		}
	}
	return list
}

// isOwn reports whether statement i accesses whole words of the invocation's own bytes. In a row, the first coordinate is
// the number of an invocation.
func (h *holder) isOwn(i int, m *ownMemory, row bool) bool {
	in := &h.insts[i]
	at, ok := h.addressSum(i, &in.Src[0])
	factor, flat := at.times[word{il.Reg{File: il.GroupThreadFlat}, il.SelX, -1}]
	if !flat && row {
		factor, flat = at.times[word{il.Reg{File: il.GroupThreadID}, il.SelX, -1}]
	}
	if !ok || !flat || len(at.times) != 1 || m.factor != 0 && m.factor != factor {
		return false
	}
	m.factor = factor
	for c, accessed := range written(in) {
		if accessed && uint64(at.more)+4*uint64(c)+4 > uint64(factor) {
			return false
		}
	}
	plain := in.Op != il.OpLdsStore || in.Src[1].Neg == 0 || in.Src[1].Neg == il.AllLanes
	return at.more%4 == 0 && factor%4 == 0 && plain && !in.Dst.Sat && in.Dst.Shift == 0 && !in.Dst.File.IsArray()
}
