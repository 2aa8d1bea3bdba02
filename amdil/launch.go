package amdil

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// launch implements ir.Launch. The AMD IL Specification defines the registers for pixel programs (vWinCoord0)
// and for compute shaders (vaTid, vTid, vThreadGrpID and their flat forms).
type launch struct{}

// Coordinate implements ir.Launch: pixels have centres (vWinCoord0 is n + 0.5), threads have numbers. Flat
// numbers, and numbers across groups that are rows, continue from row to row, so only axis 0 is known for
// them.
func (launch) Coordinate(r ir.Reg) (axis int, half bool) {
	switch file := il.File(r.File); {
	case (file == il.WinCoord || file == il.AbsThreadID) && r.Comp < 2:
		return int(r.Comp), file == il.WinCoord
	case file == il.AbsThreadFlat && r.Comp == 0:
		return 0, false
	}
	return -1, false
}

// Alike implements ir.Launch: the group number is the same for all threads of a group.
func (launch) Alike(r ir.Reg) bool {
	file := il.File(r.File)
	return file == il.GroupID || file == il.GroupFlat
}

// Member implements ir.Launch.
func (launch) Member(r ir.Reg) (of ir.Reg, added, ok bool) {
	switch file := il.File(r.File); {
	case r.Comp != 0:
	case file == il.GroupThreadID, file == il.GroupThreadFlat:
		return of, false, true
	case file == il.AbsThreadID:
		return ir.Reg{File: ir.File(il.GroupID)}, true, true
	case file == il.AbsThreadFlat:
		return ir.Reg{File: ir.File(il.GroupFlat)}, true, true
	}
	return of, false, false
}

// Grouped implements ir.Launch.
func (launch) Grouped(r ir.Reg) bool { return r.File == Local }

// Waits implements ir.Launch: fence_threads is the barrier; the other fences order
// memory only.
func (launch) Waits(fence *ir.Instr) bool { return il.Fence(fence.Imm)&il.FenceThreads != 0 }

// Exports implements ir.Launch: eight colour outputs, as many as the render targets of the hardware.
func (launch) Exports(f ir.File) int {
	if il.File(f) == il.Output {
		return 8
	}
	return 1
}

// Everywhere implements ir.Launch: local memory belongs to one group, and arrays to one thread.
func (launch) Everywhere(r ir.Reg) bool { return r.File == device }

// Words implements ir.Launch. Arrays have elements of four words. Raw views, arenas of double words and unstructured
// local memory are addressed by bytes, whose two lowest bits do not count (verify/interp/kernel/view.go), and structured
// views by a structure and a byte in it.
func (launch) Words(in *ir.Instr) (unit, more uint32, ok bool) {
	if isArray(in.Base) {
		return 16, in.Imm, true
	}
	a := Access(in.Imm)
	switch a.Op() {
	case il.OpUavRawLoad, il.OpUavRawStore, il.OpLdsLoad, il.OpLdsStore, il.OpUavStructLoad,
		il.OpUavStructStore:
		return 1, 0, true
	case il.OpUavArenaLoad, il.OpUavArenaStore:
		return 1, 0, a.size() != il.SizeByte && a.size() != il.SizeShort
	}
	return 0, 0, false
}

// Raw implements ir.Launch.
func (launch) Raw(in *ir.Instr) bool {
	op := Access(in.Imm).Op()
	return in.Base.File == View && (op == il.OpUavRawLoad || op == il.OpUavRawStore)
}

// Elements implements ir.Launch: pixel programs have outputs, and their position is that of a pixel.
func (launch) Elements() (base, state, position ir.Reg) {
	base = ir.Reg{File: ir.File(il.Global)}
	return base, stateHome(base), ir.Reg{File: ir.File(il.WinCoord)}
}

// addedLocal is the number of a local memory that a pass adds.
const addedLocal = 1

// Local implements ir.Launch.
func (launch) Local() ir.LocalMemory {
	base := ir.Reg{File: Local, Index: addedLocal}
	return ir.LocalMemory{Base: base, State: stateHome(base), Member: ir.Reg{File: ir.File(il.GroupThreadFlat)},
		Load: uint32(il.OpLdsLoad), Store: uint32(il.OpLdsStore), Barrier: uint32(il.FenceThreads | il.FenceLds)}
}

// Kind implements ir.Launch.
func (launch) Kind(in *ir.Instr, op ir.Op) uint32 {
	if in.Op == op || isArray(in.Base) {
		return in.Imm
	}
	a := Access(in.Imm)
	for _, pair := range [...][2]il.Op{{il.OpUavRawLoad, il.OpUavRawStore}, {il.OpLdsLoad, il.OpLdsStore},
		{il.OpUavArenaLoad, il.OpUavArenaStore}, {il.OpUavStructLoad, il.OpUavStructStore}} {
		switch a.Op() {
		case pair[0]:
			return uint32(a&^cachedFlag - Access(pair[0]) + Access(pair[1]))
		case pair[1]:
			return uint32(a - Access(pair[1]) + Access(pair[0]))
		}
	}
	panic("amdil: no access like " + a.Op().String())
}
