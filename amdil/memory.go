package amdil

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// Access encodes in the Imm of a memory op, or of a rare kind of fetch, which statement of AMD IL it is.
// Memory ops on arrays (g[], x#[], p[]) have the offset of their index there instead. Passes treat it as an
// opaque number: accesses with equal numbers are the same operation.
//
// From the lowest bit, there are 10 bits for the op, 2 for the size, 4 for the atomic operation, and 2 for
// the gathered component. Then follow 1 bit for cached, uint or neighborExch, and 13 for the number in
// parentheses.
type Access uint32

// maxNumber is the largest number in parentheses that fits into Access.
const maxNumber = 1<<13 - 1

// cachedFlag is the bit of cached, uint or neighborExch.
const cachedFlag = 1 << 18

// accessOf encodes in. ok is false if a number is too large.
func accessOf(in *il.Inst) (Access, bool) {
	flag := in.Ctl.Cached || in.Ctl.Uint || in.Ctl.Neighbor
	a := Access(in.Op) | Access(in.Ctl.Size)<<10 | Access(in.Ctl.Atomic)<<12 | Access(in.Ctl.Comp)<<16 | Access(in.Ctl.Number)<<19
	if flag {
		a |= cachedFlag
	}
	return a, in.Ctl.Number <= maxNumber
}

// Op returns the op of the statement.
func (a Access) Op() il.Op { return il.Op(a & 1023) }

// size returns the size of the parts of an arena.
func (a Access) size() il.MemSize { return il.MemSize(a >> 10 & 3) }

// Apply sets the controls of in that a holds. The op determines the meaning of the flag bit.
func (a Access) Apply(in *il.Inst) {
	in.Op = a.Op()
	in.Ctl.Size, in.Ctl.Atomic, in.Ctl.Comp, in.Ctl.Number = a.size(), il.Atomic(a>>12&15), il.Sel(a>>16&3), uint32(a>>19)
	flag := a&cachedFlag != 0
	switch in.Op {
	case il.OpResInfo, il.OpSampleInfo, il.OpSamplePos:
		in.Ctl.Uint = flag
	case il.OpLdsReadVec:
		in.Ctl.Neighbor = flag
	default:
		in.Ctl.Cached = flag
	}
}

// spaceOf returns the memory that a memory statement other than a fence accesses. stateHome decides which
// spaces share states.
func spaceOf(in *il.Inst) ir.Reg {
	r := ir.Reg{File: View, Index: in.Ctl.ID}
	switch in.Op {
	case il.OpLdsReadVec, il.OpLdsWriteVec:
		return ir.Reg{File: LocalPerThread}
	case il.OpAppendAlloc, il.OpAppendConsume:
		r.File = counters
	case il.OpLdsAtomic, il.OpLdsCmp, il.OpLdsLoad, il.OpLdsLoadVec, il.OpLdsReadAtomic, il.OpLdsReadCmpXchg,
		il.OpLdsStore, il.OpLdsStoreVec:
		r.File = Local
	case il.OpGdsAtomic, il.OpGdsCmp, il.OpGdsLoad, il.OpGdsReadAtomic, il.OpGdsReadCmpXchg, il.OpGdsStore:
		r.File = Share
	case il.OpMemExport, il.OpMemImport:
		return ir.Reg{File: ir.File(il.Global)}
	}
	return r
}

// isLoad reports whether op does not change memory.
func isLoad(op il.Op) bool {
	switch op {
	case il.OpGdsLoad, il.OpLdsLoad, il.OpLdsLoadVec, il.OpLdsReadVec, il.OpUavArenaLoad, il.OpUavLoad, il.OpUavRawLoad,
		il.OpUavStructLoad, il.OpMemImport:
		return true
	}
	return false
}

// isStore reports whether op writes data and reads none.
func isStore(op il.Op) bool {
	switch op {
	case il.OpGdsStore, il.OpLdsStore, il.OpLdsStoreVec, il.OpLdsWriteVec, il.OpUavArenaStore, il.OpUavStore,
		il.OpUavRawStore, il.OpUavStructStore:
		return true
	}
	return false
}

// memory lifts a statement that accesses memory. Its sources become an address, in one operand, and data.
// Data have the lanes of the mask for stores, and the lowest written lane for atomics, whose operands are
// scalar.
func (l *lifter) memory(in *il.Inst) {
	switch in.Op {
	case il.OpMemExport, il.OpMemImport:
		l.unsupported(in)
		return
	}
	if in.Op == il.OpFence {
		m := l.instr(ir.OpFence)
		m.Imm = uint32(in.Ctl.Fence)
		l.threadMemories(m, l.live.shared)
		return
	}
	access, ok := accessOf(in)
	if !ok {
		l.unsupported(in)
		return
	}
	op := ir.OpMemAtomic
	switch {
	case isLoad(in.Op):
		op = ir.OpMemLoad
	case isStore(in.Op):
		op = ir.OpMemStore
	}
	m := &ir.Instr{Op: op, Base: spaceOf(in), Imm: uint32(access), Orig: l.at, Pos: in.Pos}
	data := in.Dst.Mask.Computed()
	if !in.HasDst {
		data = 1
		if in.Op == il.OpUavStore {
			data = il.AllLanes
		}
	} else if op == ir.OpMemAtomic {
		data = data & -data
	}
	// Sources in order: scalars are the parts of an address, a vector is a whole address, lane-wise ones are
	// data.
	var address ir.Operand
	at := 0
	for i := range in.Sources() {
		switch in.Op.SourceShape(i) {
		case il.Scalar:
			address[at] = l.operand(in, i, 1)[0]
			at++
		case il.Vector:
			lanes := il.Lanes(0b1111)
			switch in.Op {
			case il.OpLdsReadVec, il.OpUavStructLoad, il.OpUavStructStore:
				lanes = 0b0011
			}
			address = l.operand(in, i, lanes)
		default:
			if len(m.Src) == 0 {
				m.Src = append(m.Src, address)
			}
			o := l.operand(in, i, data)
			for c := 0; c < 4 && in.Dst.File == il.Memory; c++ {
				switch in.Dst.Mask.WriteAt(c) { // constants in the mask are also stored
				case il.Zero:
					o[c] = ir.Lane{V: l.f.Const(0)}
				case il.One:
					o[c] = ir.Lane{V: l.f.Const(one)}
				}
			}
			m.Src = append(m.Src, o)
		}
	}
	if len(m.Src) == 0 {
		m.Src = []ir.Operand{address}
	}
	// A load reads the state of its memory; stores and atomics define a new one, which orders them.
	*l.code = append(*l.code, m)
	state := []int{l.live.slotNumber(stateHome(m.Base))}
	if op == ir.OpMemLoad {
		m.Args = []*ir.Value{l.readSlot(state[0])}
	} else {
		l.threadMemories(m, state)
	}
	if in.HasDst && in.Dst.File != il.Memory {
		l.define(m, in)
	}
}

// threadMemories makes m read the states of these memories and define new ones.
func (l *lifter) threadMemories(m *ir.Instr, memories []int) {
	for _, slot := range memories {
		m.Args = append(m.Args, l.readSlot(slot))
	}
	for _, slot := range memories {
		v := l.f.NewValue(ir.Result, l.live.regs[slot])
		v.Def = m
		m.Results = append(m.Results, v)
		l.writeSlot(slot, v)
	}
}
