package sched

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// A group reads its registers in three cycles. In each, every channel's bank delivers one register;
// a slot's bank swizzle says in which cycle it reads which operand. Operands that are forwarded,
// constants and literals take no port, but constants of t delay its register reads. See "GPR Read
// Port Restrictions" and "Cycle Restrictions" in R600-Family Instruction Set Architecture, and
// check_vector and check_scalar in Mesa's r600_asm.c.
type portKind uint8

const (
	portNone     portKind = iota
	portRegister          // a general register or clause temporary
	portForward           // the result of the group before
	portConst             // a constant, a literal or an inline constant
)

// portRead is a source operand as the read ports see it. Two values alive in the same
// channel at the same time are two registers, so before registers are allocated a value
// stands for its register.
type portRead struct {
	kind portKind
	ch   uint8
	reg  int32
}

// portOp is the operands of one slot.
type portOp [3]portRead

// readCycles and readBanks are the ports: in each cycle each bank, which is a channel,
// delivers one register.
const (
	readCycles = 3
	readBanks  = 4
)

// transConsts is how many constants of any kind t can read. With n of them, its registers
// and forwarded results must come in cycle n or later.
const transConsts = 2

var (
	vectorOrders = [...]r600.Swizzle{r600.Vec012, r600.Vec021, r600.Vec120, r600.Vec102, r600.Vec201, r600.Vec210}
	transOrders  = [...]r600.Swizzle{r600.Scl210, r600.Scl122, r600.Scl212, r600.Scl221}
)

// choices are the orders to try for a slot, by which of its operands take part: of orders that
// read these in the same cycles, the first.
func choices(orders []r600.Swizzle) (by [8][]r600.Swizzle) {
	for mask := range by {
		seen := map[[3]uint8]bool{}
		for _, order := range orders {
			cycles := order.Cycles()
			for j := range cycles {
				if mask>>j&1 == 0 {
					cycles[j] = 0
				}
			}
			if !seen[cycles] {
				seen[cycles] = true
				by[mask] = append(by[mask], order)
			}
		}
	}
	return by
}

var vectorChoices, transChoices = choices(vectorOrders[:]), choices(transOrders[:])

// slotReads are the reads of a slot whose order matters.
type slotReads struct {
	slot     int
	mask     uint8 // of these operands
	earliest uint8 // cycle: of t, behind its constants
	n        int
	reads    [3]slotRead
}

// slotRead is one of them; reg is the register plus one, or 0 for what takes no port.
type slotRead struct {
	operand, bank uint8
	reg           int32
}

// readsOf finds the reads of a slot whose order matters: those of registers and, of t, which has to
// wait for its constants, of forwarded results.
func readsOf(op *portOp, slot int) (s slotReads) {
	s.slot = slot
	for j := range op {
		read := &op[j]
		switch {
		case read.kind == portConst && slot == r600.T:
			s.earliest++
			continue
		case read.kind == portForward && slot == r600.T:
			s.reads[s.n] = slotRead{operand: uint8(j)}
		case read.kind != portRegister, slot != r600.T && j == 1 && *read == op[0]:
			continue // the second source, equal to the first, is served with it
		default:
			s.reads[s.n] = slotRead{uint8(j), read.ch, read.reg + 1}
		}
		s.mask |= 1 << j
		s.n++
	}
	return s
}

// assignPorts finds a bank swizzle for every slot, such that no bank delivers two registers in one
// cycle, or reports that there is none. It is an exhaustive search, of 6 orders for each vector
// slot and 4 for t, cut short by a quick necessary condition and by leaving out slots that read no
// register.
func assignPorts(ops *[r600.NumSlots]portOp) (orders [r600.NumSlots]r600.Swizzle, ok bool) {
	if !banksSuffice(ops) {
		return orders, false
	}
	// The slot with the fewest orders goes first; a slot whose reads are all free of
	// ports takes its default.
	var q portSearch
	q.orders[r600.T] = r600.Scl210
	for s := r600.NumSlots - 1; s >= 0; s-- {
		if reads := readsOf(&ops[s], s); reads.n > 0 {
			q.todo[q.n] = reads
			q.n++
		}
	}
	ok = q.from(0)
	return q.orders, ok
}

// portSearch is a search for orders. ports says which register each bank delivers in each cycle,
// plus one; 0 is free.
type portSearch struct {
	todo   [r600.NumSlots]slotReads
	n      int
	ports  [readCycles * readBanks]int32
	orders [r600.NumSlots]r600.Swizzle
}

// from tries the orders of slot k and, for each that fits, those of the slots behind it.
func (q *portSearch) from(k int) bool {
	if k == q.n {
		return true
	}
	s := &q.todo[k]
	list := vectorChoices[s.mask]
	if s.slot == r600.T {
		list = transChoices[s.mask]
	}
	for _, order := range list {
		taken, ok := q.reserve(s, order.Cycles())
		if ok {
			q.orders[s.slot] = order
			if q.from(k + 1) {
				return true
			}
		}
		for ; taken != 0; taken &= taken - 1 {
			q.ports[bits.TrailingZeros16(taken)] = 0
		}
	}
	return false
}

// reserve takes the ports that a slot needs in the cycles given, and tells which; it stops at one
// that another register has taken. Several slots may read the same register in the same cycle.
func (q *portSearch) reserve(s *slotReads, cycles [3]uint8) (taken uint16, ok bool) {
	for i := range s.n {
		read := &s.reads[i]
		at := cycles[read.operand]
		if at < s.earliest {
			return taken, false
		}
		if read.reg == 0 {
			continue
		}
		port := at*readBanks + read.bank
		switch q.ports[port] {
		case 0:
			q.ports[port] = read.reg
			taken |= 1 << port
		case read.reg:
		default:
			return taken, false
		}
	}
	return taken, true
}

// banksSuffice is a quick necessary condition: no bank is asked for more registers than
// there are cycles, and t for no more constants than it can read.
func banksSuffice(ops *[r600.NumSlots]portOp) bool {
	var regs [readBanks][readCycles]int32
	var n [readBanks]int
	for s := range ops {
	reads:
		for j := range ops[s] {
			read := &ops[s][j]
			if read.kind != portRegister {
				continue
			}
			for _, have := range regs[read.ch][:n[read.ch]] {
				if have == read.reg {
					continue reads
				}
			}
			if n[read.ch] == readCycles {
				return false
			}
			regs[read.ch][n[read.ch]] = read.reg
			n[read.ch]++
		}
	}
	consts := 0
	for _, read := range ops[r600.T] {
		if read.kind == portConst {
			consts++
		}
	}
	return consts <= transConsts
}

// constPort is what occupies a constant port of a group.
type constPort struct {
	bank  int16
	part  uint8
	index int32
	rel   mir.Val
}

// maxConstPorts is the largest number of constant ports in any family.
const maxConstPorts = 4

// constPorts is the constants that a group reads.
type constPorts struct {
	n     int
	ports [maxConstPorts]constPort
}

// add reserves a port for constant a, unless one delivers it already. R600 has four, each for one
// channel of a constant; later families have two, each for a pair of channels (xy or zw). So MUL of
// cb0[0] and cb0[1] in four lanes takes two groups on R700.
func (c *constPorts) add(t *chip.Target, a *mir.Arg) bool {
	p := constPort{a.Bank, a.Chan, a.Index, a.Rel}
	if t.Family >= r600.R700 {
		p.part /= 2
	}
	for _, have := range c.ports[:c.n] {
		if have == p {
			return true
		}
	}
	if c.n >= min(t.ConstRead, maxConstPorts) {
		return false
	}
	c.ports[c.n] = p
	c.n++
	return true
}
