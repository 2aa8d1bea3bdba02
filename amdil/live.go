package amdil

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/ir/flow"
)

// slots numbers the places that hold values: register components, flags, memories. Numbers are dense, for bit
// sets.
type slots struct {
	// of and regs map registers to numbers and back. Most registers are temporaries; temps holds their
	// numbers plus one.
	of     map[ir.Reg]int32
	temps  [][4]int32
	regs   []ir.Reg
	shared []int32 // the memories that other invocations may see
}

// slotNumber returns the number of r, a new one at the first call.
func (s *slots) slotNumber(r ir.Reg) int32 {
	n := int32(len(s.regs))
	if il.File(r.File) == il.Temp {
		for len(s.temps) <= int(r.Index) {
			s.temps = append(s.temps, [4]int32{})
		}
		known := &s.temps[r.Index][r.Comp]
		if *known > 0 {
			return *known - 1
		}
		*known = n + 1
	} else {
		if n, ok := s.of[r]; ok {
			return n
		}
		s.of[r] = n
	}
	s.regs = append(s.regs, r)
	if shared(r) {
		s.shared = append(s.shared, n)
	}
	return n
}

// flagOf returns the register of the flag of l. The language has no flags: they become temporaries.
func flagOf(l *label) ir.Reg {
	return ir.Reg{File: flags, Index: uint16(l.Index), Comp: uint8(l.Index >> 16)}
}

// visitAccesses visits the slots that the statement in reads and writes, lane by lane. It may visit too many
// reads (all components of a short swizzle, for any mask), which makes liveness larger but never wrong.
func (s *slots) visitAccesses(in *il.Inst, read, write func(slot int32)) {
	// Memory outside of operands first, then sources, then the destination.
	s.accesses(in, read, write)
	for i := range in.Sources() {
		s.source(&in.Src[i], read)
		if in.Op == il.OpTranspose {
			for row := uint16(1); row < 4; row++ {
				src := in.Src[i]
				src.Num += row
				s.source(&src, read)
			}
		}
	}
	if !in.HasDst || in.Dst.File == il.Memory {
		return
	}
	s.index(in.Dst.Addr, read)
	// A store to an array changes its state, so it also reads the state.
	if base, ok := spaceNamed(in.Dst.Reg); ok {
		read(s.slotNumber(stateHome(base)))
		write(s.slotNumber(stateHome(base)))
		return
	}
	for row := range rowsWritten(in) {
		r := in.Dst.Reg
		r.Num += uint16(row)
		for c := range 4 {
			if in.Dst.Mask.WriteAt(c) != il.Keep {
				write(s.slotNumber(ComponentReg(r, 0, c)))
			}
		}
	}
}

// rowsWritten returns the number of registers that in writes.
func rowsWritten(in *il.Inst) int {
	if in.Op == il.OpTranspose {
		return 4
	}
	return 1
}

// source visits the slots that an operand reads.
func (s *slots) source(src *il.Src, read func(slot int32)) {
	s.index(src.Addr, read)
	if base, ok := spaceNamed(src.Reg); ok {
		read(s.slotNumber(stateHome(base)))
		return
	}
	if !isVariable(src.File) {
		return
	}
	if src.Swz.Len() == 0 {
		for c := range 4 {
			read(s.slotNumber(ComponentReg(src.Reg, 0, c)))
		}
		return
	}
	for k := range src.Swz.Len() {
		if sel := src.Swz.SelectionAt(k); sel <= il.SelW {
			read(s.slotNumber(ComponentReg(src.Reg, 0, int(sel))))
		}
	}
}

// index visits the register that an address is computed from.
func (s *slots) index(a il.Addr, read func(slot int32)) {
	if a.Rel != nil {
		s.source(a.Rel, read)
	}
}

// isVariable reports whether the program can write the registers of f.
func isVariable(f il.File) bool {
	switch f {
	case il.Temp, il.Output, il.Depth, il.SampleMask, il.SharedTemp, il.Address:
		return true
	}
	return false
}

// spaceNamed returns the array that an operand names, if the program can write it.
func spaceNamed(r il.Reg) (base ir.Reg, ok bool) {
	base = ir.Reg{File: ir.File(r.File), Index: r.Num}
	return base, IsState(stateHome(base))
}

// accesses visits the memories that in reads and writes outside of its operands. A fence, or the end of an
// invocation, orders all accesses that others can see.
func (s *slots) accesses(in *il.Inst, read, write func(slot int32)) {
	switch {
	case in.Op == il.OpFence, in.Op.Role() == il.Discard:
		for _, n := range s.shared {
			read(n)
			write(n)
		}
	case in.Op.Kind() == il.MemoryOp:
		n := s.slotNumber(stateHome(spaceOf(in)))
		read(n)
		if !isLoad(in.Op) {
			write(n)
		}
	}
}

// liveness finds the slots that statements access.
type liveness struct {
	*slots
	*flow.Liveness[statement]
}

// newLiveness analyses a whole kernel. Outputs and shared memories are live at its end.
func newLiveness(list []node) (*liveness, *flow.Limit[statement]) {
	l := &liveness{slots: &slots{of: map[ir.Reg]int32{}}}
	l.Liveness = &flow.Liveness[statement]{Flag: l.flag, Visit: l.visit}
	l.Collect(list)
	var end []int32
	for n, r := range l.regs {
		if isOutput(r) || shared(r) {
			end = append(end, int32(n))
		}
	}
	return l, l.Analyse(list, len(l.regs), end)
}

// isOutput reports whether r is an output of the invocation to the hardware.
func isOutput(r ir.Reg) bool {
	switch il.File(r.File) {
	case il.Output, il.Depth, il.SampleMask:
		return true
	}
	return false
}

// flag returns the slot of a flag.
func (s *slots) flag(l *label) int32 { return s.slotNumber(flagOf(l)) }

// visit visits the slots that a node accesses.
func (l *liveness) visit(n *node) {
	if n.Kind == flow.Code {
		l.visitAccesses(n.Item.inst, l.Read, l.Write)
	} else if n.Kind != flow.Loop {
		l.visitCond(n.Item.cond)
	}
}

// visitCond visits the slots that a condition reads.
func (l *liveness) visitCond(c *cond) {
	switch {
	case c == nil:
	case c.kind == condRel:
		for i := range c.rel.Sources() {
			l.source(&c.rel.Src[i], l.Read)
		}
	default:
		l.source(c.src, l.Read)
	}
}
