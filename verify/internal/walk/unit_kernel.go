package walk

import (
	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// Kernel is a lifted kernel.
type Kernel struct {
	Func
	stage il.Stage
	// levels has the resources that may have several levels of detail, because their coordinates are
	// normalized. Samples of them depend on neighbouring invocations.
	levels map[uint8]bool
	sizes  map[uint16]uint32 // of arrays of temporaries
	locals map[uint16]uint32 // sizes of local memories, in bytes
	// threads, if set, makes walks execute all invocations of a group ([ExecuteGroups]).
	threads *words.Threads
	// divisions are the statements before which phases are divided ([GroupAccesses]).
	divisions map[*ir.Instr]bool
	waits     bool            // a version has barriers ([ExecuteGroups])
	readOnly  map[ir.Reg]bool // views whose memory no invocation stores to ([Restrict])
}

// LiftKernel lifts k with the known constants inserted, and collects its declarations.
func LiftKernel(k *il.Kernel, known map[ir.Reg]uint32) (*Kernel, error) {
	fn, err := amdil.Lift(k)
	if err != nil {
		return nil, err
	}
	p := &Kernel{stage: k.Stage, levels: map[uint8]bool{}, sizes: map[uint16]uint32{}, locals: map[uint16]uint32{}}
	if p.Func, err = NewFunc(fn, 2+uint64(k.Stage), known); err != nil {
		return nil, err
	}
	for i := range k.Insts {
		switch in := &k.Insts[i]; in.Op {
		case il.OpDclResource:
			p.levels[uint8(in.Ctl.ID)] = !in.Ctl.Unnorm
		case il.OpDclIndexedTempArray:
			p.sizes[in.Dst.Num] = in.Imm[0]
		case il.OpDclLds:
			p.locals[in.Ctl.ID] = in.Imm[0]
		}
	}
	return p, nil
}

// Restrict makes loads through views that neither version writes read the initial memory, since no other view is bound to
// it.
func Restrict(versions ...*Kernel) {
	written, readOnly := map[ir.Reg]bool{}, map[ir.Reg]bool{}
	each := func(visit func(fn *ir.Func, in *ir.Instr)) {
		for _, p := range versions {
			p.Fn.Walk(func(in *ir.Instr) { visit(p.Fn, in) })
		}
	}
	each(func(_ *ir.Func, in *ir.Instr) {
		written[in.Base] = written[in.Base] || in.Op == ir.OpMemStore || in.Op == ir.OpMemAtomic
	})
	each(func(fn *ir.Func, in *ir.Instr) {
		if in.Op == ir.OpMemLoad && isShared(in.Base) && !written[in.Base] {
			in.Args[0], readOnly[in.Base] = fn.Leaf(ir.Input, in.Args[0].Home), true
		}
	})
	for _, p := range versions {
		p.readOnly = readOnly
	}
}

// isShared reports whether a memory is g[] or a view, which outlive a group.
func isShared(base ir.Reg) bool { return base.File == amdil.View || il.File(base.File) == il.Global }

// Indexed returns the register that a direct read of the same element of a constant buffer has.
func (p *Kernel) Indexed(in *ir.Instr, k uint32) (ir.Reg, bool) {
	const most = 1 << 12 // elements
	buffer := il.Reg{File: il.File(in.Base.File), Num: in.Base.Index}
	return amdil.ComponentReg(buffer, k, 0), k < most && in.Base.Index < 16
}

// Gated reports whether the result of in depends on which invocations of a quad run it. This holds for
// samples in pixel kernels, of resources with levels of detail, because levels follow from differences within
// the quad.
func (p *Kernel) Gated(in *ir.Instr) bool {
	switch {
	case !in.Op.Has(ir.Convergent):
		return false
	case in.Op.Has(ir.IsFetch):
		return p.stage == il.Pixel && p.levels[in.Res.Unit]
	case in.Op == ir.OpFence:
		return p.Waits(in) // else it only orders the accesses of each invocation
	}
	return true
}

// Array returns the size and the kind of an array. x# is private; g[] and the persistent memory are shared
// and have no declared size.
func (p *Kernel) Array(in *ir.Instr) (n uint32, private, ok bool) {
	switch il.File(in.Base.File) {
	case il.TempArray:
		return p.sizes[in.Base.Index], true, true
	case il.Global, il.Persistent:
		return 0, false, true
	}
	return 0, false, false
}

// ByWords reports whether in loads or stores words side by side, from a byte address on: in raw views, arenas of double
// words and unstructured local memory. A word ends with the address 4 bytes behind, or with memory (see
// verify/interp/kernel).
func (p *Kernel) ByWords(in *ir.Instr) bool {
	if in.Op != ir.OpMemLoad && in.Op != ir.OpMemStore || in.Base.File != amdil.View && in.Base.File != amdil.Local {
		return false
	}
	var how il.Inst
	amdil.Access(in.Imm).Apply(&how)
	switch how.Op {
	case il.OpUavRawLoad, il.OpUavRawStore, il.OpLdsLoad, il.OpLdsStore:
		return true
	case il.OpUavArenaLoad, il.OpUavArenaStore:
		return how.Ctl.Size != il.SizeByte && how.Ctl.Size != il.SizeShort
	}
	return false
}

// Waits reports whether a fence synchronizes threads. A fence of memory alone does not.
func (p *Kernel) Waits(in *ir.Instr) bool { return il.Fence(in.Imm)&il.FenceThreads != 0 }

// Alike reports whether key is a group number, which all threads of a group share.
func (p *Kernel) Alike(key uint64) bool {
	file := il.File(uint8(key >> 32))
	return file == il.GroupID || file == il.GroupFlat
}

func (p *Kernel) Exact(r ir.Reg) bool { return il.File(r.File) == il.Depth }
