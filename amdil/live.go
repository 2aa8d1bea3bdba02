package amdil

import (
	"golang.org/x/tools/container/intsets"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// slots numbers the places that hold values: register components, flags, memories. Numbers are dense, for bit
// sets.
type slots struct {
	// of and regs map registers to numbers and back. Most registers are temporaries; temps holds their
	// numbers plus one.
	of     map[ir.Reg]int
	temps  [][4]int32
	regs   []ir.Reg
	shared []int // the memories that other invocations may see
}

// slotNumber returns the number of r, a new one at the first call.
func (s *slots) slotNumber(r ir.Reg) int {
	n := len(s.regs)
	if il.File(r.File) == il.Temp {
		for len(s.temps) <= int(r.Index) {
			s.temps = append(s.temps, [4]int32{})
		}
		known := &s.temps[r.Index][r.Comp]
		if *known > 0 {
			return int(*known) - 1
		}
		*known = int32(n + 1)
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
	return ir.Reg{File: flags, Index: uint16(l.index), Comp: uint8(l.index >> 16)}
}

// visitAccesses visits the slots that the statement in reads and writes, lane by lane. It may visit too many
// reads (all components of a short swizzle, for any mask), which makes liveness larger but never wrong.
func (s *slots) visitAccesses(in *il.Inst, read, write func(slot int)) {
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
func (s *slots) source(src *il.Src, read func(slot int)) {
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
func (s *slots) index(a il.Addr, read func(slot int)) {
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
func (s *slots) accesses(in *il.Inst, read, write func(slot int)) {
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

// liveness computes the slots that constructs have to carry. It is backward dataflow analysis over the tree
// ("Compilers: Principles, Techniques, and Tools", section 9.2.5). Structured code needs no iteration except
// for loops, which are iterated until the set at the start of the body is stable. Every round adds a slot or
// ends. Nested loops start from the previous result, so two or three rounds are usual.
type liveness struct {
	*slots
	// These maps are keyed by node address. The map after has the live set after an if or loop, header the
	// live set at the start of a loop body. The map written has the slots that the body writes.
	after, header, written map[*node]*intsets.Sparse
	loops                  []*node // enclosing loops
	// accesses are the slots that statements read and write, see node: the code is walked several times.
	accesses, writes []int32
}

// newLiveness analyses a whole kernel. Outputs and shared memories are live at its end.
func newLiveness(list []node, room *room) *liveness {
	l := &liveness{accesses: room.accesses[:0], writes: room.writes[:0], slots: &slots{of: map[ir.Reg]int{}},
		after: map[*node]*intsets.Sparse{}, header: map[*node]*intsets.Sparse{}, written: map[*node]*intsets.Sparse{}}
	l.number(list)
	room.accesses, room.writes = l.accesses, l.writes
	var live intsets.Sparse
	for n, r := range l.regs {
		if isOutput(r) || shared(r) {
			live.Insert(n)
		}
	}
	l.liveBefore(list, &live)
	return l
}

// isOutput reports whether r is an output of the invocation to the hardware.
func isOutput(r ir.Reg) bool {
	switch il.File(r.File) {
	case il.Output, il.Depth, il.SampleMask:
		return true
	}
	return false
}

// number gives a slot to everything, and collects the writes of loops.
func (l *liveness) number(list []node) {
	// All enclosing loops record each written slot.
	written := func(slot int) {
		for _, loop := range l.loops {
			l.written[loop].Insert(slot)
		}
	}
	write := func(slot int) {
		written(slot)
		l.writes = append(l.writes, int32(slot))
	}
	read := func(slot int) { l.accesses = append(l.accesses, int32(slot)) }
	met := func(int) {}
	for i := range list {
		n := &list[i]
		switch n.kind {
		case nodeInst:
			n.reads, l.writes = int32(len(l.accesses)), l.writes[:0]
			l.visitAccesses(n.inst, read, write)
			n.writes = int32(len(l.accesses))
			l.accesses = append(l.accesses, l.writes...)
			n.end = int32(len(l.accesses))
			continue
		case nodeFlag:
			written(l.slotNumber(flagOf(n.to)))
		case nodeLoop:
			l.written[n] = &intsets.Sparse{}
			l.loops = append(l.loops, n)
			l.number(n.a)
			l.loops = l.loops[:len(l.loops)-1]
			continue
		}
		l.visitCond(n.cond, met)
		l.number(n.a)
		l.number(n.b)
	}
}

// visitCond visits the slots that a condition reads.
func (l *liveness) visitCond(c *cond, read func(slot int)) {
	if c == nil {
		return
	}
	switch c.kind {
	case condWord, condCase:
		l.source(c.src, read)
	case condRel:
		for i := range c.rel.Sources() {
			l.source(&c.rel.Src[i], read)
		}
	case condFlags:
		for _, f := range c.flags {
			read(l.slotNumber(flagOf(f)))
		}
	}
}

// liveBefore turns the set live after code into the set live before it.
func (l *liveness) liveBefore(list []node, live *intsets.Sparse) {
	insert := func(slot int) { live.Insert(slot) }
	for i := len(list) - 1; i >= 0; i-- {
		n := &list[i]
		switch n.kind {
		// Writes before reads, going backwards: a statement may read a slot that it overwrites.
		case nodeInst:
			for _, slot := range l.accesses[n.writes:n.end] {
				live.Remove(int(slot))
			}
			for _, slot := range l.accesses[n.reads:n.writes] {
				live.Insert(int(slot))
			}
		case nodeFlag:
			live.Remove(l.slotNumber(flagOf(n.to)))
		// Either side may run: the union of both is live before the branch, and the condition.
		case nodeIf:
			l.after[n] = clone(live)
			other := clone(live)
			l.liveBefore(n.a, live)
			l.liveBefore(n.b, other)
			live.UnionWith(other)
			l.visitCond(n.cond, insert)
		// Code after an unconditional break does not run: the live set is the one after the loop.
		case nodeBreak:
			after := l.after[l.loops[len(l.loops)-1]]
			if n.cond == nil {
				live.Copy(after)
				continue
			}
			live.UnionWith(after)
			l.visitCond(n.cond, insert)
		// The set at the start of the body is needed at its end too.
		case nodeLoop:
			l.after[n] = clone(live)
			header := l.header[n]
			if header == nil {
				header = &intsets.Sparse{}
				l.header[n] = header
			}
			l.loops = append(l.loops, n)
			for {
				live.Copy(header)
				l.liveBefore(n.a, live)
				if !header.UnionWith(live) {
					break
				}
			}
			l.loops = l.loops[:len(l.loops)-1]
			live.Copy(header)
		}
	}
}

func clone(s *intsets.Sparse) *intsets.Sparse {
	c := &intsets.Sparse{}
	c.Copy(s)
	return c
}
