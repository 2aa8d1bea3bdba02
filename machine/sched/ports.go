package sched

import (
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

// reservation says which register each bank delivers in each cycle, plus one; 0 is free.
type reservation [readCycles][readBanks]int32

// reserve adds the reads of op in the given order, or reports that a port is taken.
func (r *reservation) reserve(op *portOp, order r600.Swizzle, trans bool) bool {
	cycles := order.Cycles()
	consts := uint8(0)
	if trans {
		for j := range op {
			if op[j].kind == portConst {
				consts++
			}
		}
	}
	for j := range op {
		read := &op[j]
		switch read.kind {
		case portForward:
			if consts > cycles[j] {
				return false
			}
		case portRegister:
			if consts > cycles[j] {
				return false
			}
			// The second source, equal to the first, is served with it.
			if !trans && j == 1 && *read == op[0] {
				continue // served with the first source
			}
			port := &r[cycles[j]][read.ch]
			// Several slots may read the same register in the same cycle.
			if *port != 0 && *port != read.reg+1 {
				return false
			}
			*port = read.reg + 1
		}
	}
	return true
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
	var todo [r600.NumSlots]int
	n := 0
	for s := r600.NumSlots - 1; s >= 0; s-- {
		if s == r600.T {
			orders[s] = r600.Scl210
		}
		if usesPorts(&ops[s], s == r600.T) {
			todo[n] = s
			n++
		}
	}
	return orders, searchOrders(ops, &orders, todo[:n], reservation{})
}

// searchOrders tries the orders of the first slot and, for each that fits, those of the others.
func searchOrders(ops *[r600.NumSlots]portOp, orders *[r600.NumSlots]r600.Swizzle, todo []int, r reservation) bool {
	if len(todo) == 0 {
		return true
	}
	s := todo[0]
	choices := vectorOrders[:]
	if s == r600.T {
		choices = transOrders[:]
	}
	for _, order := range choices {
		with := r
		if with.reserve(&ops[s], order, s == r600.T) {
			orders[s] = order
			if searchOrders(ops, orders, todo[1:], with) {
				return true
			}
		}
	}
	return false
}

// usesPorts reports whether the order of op's reads matters.
func usesPorts(op *portOp, trans bool) bool {
	for j := range op {
		switch op[j].kind {
		case portRegister:
			return true
		case portForward:
			if trans {
				return true
			}
		}
	}
	return false
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
