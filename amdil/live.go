package amdil

import (
	"golang.org/x/tools/container/intsets"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// slots numbers what holds a value: register components, flags, memories. Numbers are
// dense, for bit sets.
type slots struct {
	// of and regs map registers to numbers and back; temps are one more than those of
	// temporaries, which most are.
	of     map[ir.Reg]int
	temps  [][4]int32
	regs   []ir.Reg
	shared []int // the memories that other invocations may see
}

// slot is the number of r, a new one when it is met first.
func (s *slots) slot(r ir.Reg) int {
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

// flagOf is the register of the flag of l: there is none in the language, as flags
// never reach it but as temporaries.
func flagOf(l *label) ir.Reg {
	return ir.Reg{File: flags, Index: uint16(l.index), Comp: uint8(l.index >> 16)}
}

// visitAccesses visits what the statement in reads and writes, lane by lane; more may be
// visited as read than is (all components of a short swizzle, whatever the mask), which
// makes liveness larger and never wrong.
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
	// A store to an array changes its state, which it has to read.
	if base, ok := spaceNamed(in.Dst.Reg); ok {
		read(s.slot(State(base)))
		write(s.slot(State(base)))
		return
	}
	for row := range rows(in) {
		r := in.Dst.Reg
		r.Num += uint16(row)
		for c := range 4 {
			if in.Dst.Mask.At(c) != il.Keep {
				write(s.slot(Reg(r, 0, c)))
			}
		}
	}
}

// rows is how many registers in writes.
func rows(in *il.Inst) int {
	if in.Op == il.OpTranspose {
		return 4
	}
	return 1
}

// source visits what an operand reads.
func (s *slots) source(src *il.Src, read func(slot int)) {
	s.index(src.Addr, read)
	if base, ok := spaceNamed(src.Reg); ok {
		read(s.slot(State(base)))
		return
	}
	if !isVariable(src.File) {
		return
	}
	if src.Swz.Len() == 0 {
		for c := range 4 {
			read(s.slot(Reg(src.Reg, 0, c)))
		}
		return
	}
	for k := range src.Swz.Len() {
		if sel := src.Swz.At(k); sel <= il.SelW {
			read(s.slot(Reg(src.Reg, 0, int(sel))))
		}
	}
}

// index visits the register that an address is computed from.
func (s *slots) index(a il.Addr, read func(slot int)) {
	if a.Rel != nil {
		s.source(a.Rel, read)
	}
}

// isVariable reports whether the registers of f change.
func isVariable(f il.File) bool {
	switch f {
	case il.Temp, il.Output, il.Depth, il.SampleMask, il.SharedTemp, il.Address:
		return true
	}
	return false
}

// spaceNamed is the array that an operand names, if the program can write it.
func spaceNamed(r il.Reg) (base ir.Reg, ok bool) {
	base = ir.Reg{File: ir.File(r.File), Index: r.Num}
	return base, IsState(State(base))
}

// accesses visits the memories that in reads and writes beside those in operands. A
// fence, or the end of an invocation, stands between all that it does to what others
// can see.
func (s *slots) accesses(in *il.Inst, read, write func(slot int)) {
	switch {
	case in.Op == il.OpFence, in.Op.Role() == il.Discard:
		for _, n := range s.shared {
			read(n)
			write(n)
		}
	case in.Op.Kind() == il.MemoryOp:
		n := s.slot(State(spaceOf(in)))
		read(n)
		if !isLoad(in.Op) {
			write(n)
		}
	}
}

// liveness finds what constructs have to hand over: backward dataflow over the tree
// ("Compilers: Principles, Techniques, and Tools", section 9.2.5), exact for structured
// code but for the loops, which are iterated until the set at the start of the body is
// stable. Every round adds a slot or ends, and nested loops start from what the round
// before found, so two or three rounds are usual.
type liveness struct {
	*slots
	// after holds what is live behind an if or loop, header what is at the start of the
	// body of a loop, written what the body writes; by the node's address.
	after, header, written map[*node]*intsets.Sparse
	loops                  []*node // around the code at hand
	// accesses are the slots that statements read and write, see node: code is walked over several
	// times.
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
	l.list(list, &live)
	return l
}

// isOutput reports whether r is what the invocation hands on to the hardware.
func isOutput(r ir.Reg) bool {
	switch il.File(r.File) {
	case il.Output, il.Depth, il.SampleMask:
		return true
	}
	return false
}

// number gives everything a slot, and finds what loops write.
func (l *liveness) number(list []node) {
	// Loops around note every slot written in them, however deep.
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
			written(l.slot(flagOf(n.to)))
		case nodeLoop:
			l.written[n] = &intsets.Sparse{}
			l.loops = append(l.loops, n)
			l.number(n.a)
			l.loops = l.loops[:len(l.loops)-1]
			continue
		}
		l.cond(n.cond, met)
		l.number(n.a)
		l.number(n.b)
	}
}

// cond visits what a condition reads.
func (l *liveness) cond(c *cond, read func(slot int)) {
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
			read(l.slot(flagOf(f)))
		}
	}
}

// list turns what is live behind code into what is live before it.
func (l *liveness) list(list []node, live *intsets.Sparse) {
	insert := func(slot int) { live.Insert(slot) }
	for i := len(list) - 1; i >= 0; i-- {
		n := &list[i]
		switch n.kind {
		// Writes before reads, going backwards: a statement may read what it overwrites.
		case nodeInst:
			for _, slot := range l.accesses[n.writes:n.end] {
				live.Remove(int(slot))
			}
			for _, slot := range l.accesses[n.reads:n.writes] {
				live.Insert(int(slot))
			}
		case nodeFlag:
			live.Remove(l.slot(flagOf(n.to)))
		// Either side may run: what is live before the branch is the union, and the condition.
		case nodeIf:
			l.after[n] = clone(live)
			other := clone(live)
			l.list(n.a, live)
			l.list(n.b, other)
			live.UnionWith(other)
			l.cond(n.cond, insert)
		// Behind a break that is always taken nothing runs: what is live is what the
		// loop leaves to its successor.
		case nodeBreak:
			after := l.after[l.loops[len(l.loops)-1]]
			if n.cond == nil {
				live.Copy(after)
				continue
			}
			live.UnionWith(after)
			l.cond(n.cond, insert)
		// The set at the start of the body is needed at its end, too.
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
				l.list(n.a, live)
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
