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
// stands for its register; reg is its number among those that the group reads of its bank.
type portRead struct {
	kind portKind
	ch   uint8
	reg  uint8
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

// portSet says which ports are taken, and by what: of each port three bits, of which at most one is
// set, that of the register that it delivers. A bank delivers three at most, as there are three cycles.
type portSet uint64

// portLow has the lowest bit of each port.
const portLow portSet = 0o111111111111

// port is the set in which a bank delivers a register in a cycle.
func port(cycle, bank, reg uint8) portSet {
	return 1 << (readCycles*(readBanks*cycle+bank) + reg)
}

// clashes reports whether a port would have to deliver two registers. Several slots may read the
// same register in the same cycle.
func (s portSet) clashes() bool {
	return s&(s>>1)&(3*portLow)|s&(s>>2)&portLow != 0
}

// slotPorts are the orders in which a slot can read its operands, with the ports that each takes.
type slotPorts struct {
	reads  uint64 // the operands, each in six bits
	n      int
	orders [len(vectorOrders)]r600.Swizzle
	takes  [len(vectorOrders)]portSet
}

// set finds the orders for a slot that reads op, and reports whether there is one. Reads whose order
// matters are those of registers and, of t, which has to wait for its constants, of forwarded
// results. If none of them does, busy is false: any order will do.
func (w *slotPorts) set(op *portOp, slot int) (busy, ok bool) {
	mask, earliest := uint8(0), uint8(0)
	w.reads = 0
	for j := range op {
		w.reads = w.reads<<6 | uint64(op[j].kind)<<4 | uint64(op[j].ch)<<2 | uint64(op[j].reg)
		switch kind := op[j].kind; {
		case kind == portConst && slot == r600.T:
			earliest++
		case kind == portForward && slot == r600.T, kind == portRegister && (slot == r600.T || j != 1 || op[1] != op[0]):
			mask |= 1 << j // but of two equal sources of a vector slot the second is served with the first
		}
	}
	if mask == 0 {
		return false, earliest <= transConsts
	}
	list := vectorChoices[mask]
	if slot == r600.T {
		list = transChoices[mask]
	}
	w.n = 0
orders:
	for _, order := range list {
		cycles, takes := order.Cycles(), portSet(0)
		for j := range op {
			if mask>>j&1 == 0 {
				continue
			}
			if cycles[j] < earliest {
				continue orders
			}
			if op[j].kind == portRegister {
				takes |= port(cycles[j], op[j].ch, op[j].reg)
			}
		}
		if !takes.clashes() {
			w.orders[w.n], w.takes[w.n] = order, takes
			w.n++
		}
	}
	return true, w.n > 0 && earliest <= transConsts
}

// groupPorts are the orders of the slots of a group. What stands for a slot that is not in busy is
// of no account.
type groupPorts [r600.NumSlots]slotPorts

// assign finds a bank swizzle for every slot, such that no bank delivers two registers in one
// cycle, or reports that there is none. It is an exhaustive search, of up to 6 orders for each
// vector slot in busy and 4 for t, which goes first; a slot that is not in busy takes its default.
func (g *groupPorts) assign(busy uint8) (orders [r600.NumSlots]r600.Swizzle, ok bool) {
	orders[r600.T] = r600.Scl210
	return orders, g.from(busy, 0, &orders)
}

// from tries the orders of the last slot in busy and, for each that fits what is taken, those of the
// slots before it.
func (g *groupPorts) from(busy uint8, taken portSet, orders *[r600.NumSlots]r600.Swizzle) bool {
	if busy == 0 {
		return true
	}
	slot := bits.Len8(busy) - 1
	w := &g[slot]
	for i, takes := range w.takes[:w.n] {
		if with := taken | takes; !with.clashes() && g.from(busy&^(1<<slot), with, orders) {
			orders[slot] = w.orders[i]
			return true
		}
	}
	return false
}

// portMemo has the orders that were found for groups, by what decides them: most groups of a program
// read as others do. A group takes the place of one that has the same number by the last bits.
type portMemo [1 << 9]struct {
	key    [2]uint64
	orders [r600.NumSlots]r600.Swizzle
	ok     bool
}

// assign is [groupPorts.assign].
func (m *portMemo) assign(g *groupPorts, busy uint8) (orders [r600.NumSlots]r600.Swizzle, ok bool) {
	if busy&(busy-1) == 0 {
		return g.assign(busy)
	}
	key := [2]uint64{uint64(busy)} // not 0, which is that of an empty place
	for slots := busy; slots != 0; slots &= slots - 1 {
		slot := bits.TrailingZeros8(slots)
		if slot < 2 {
			key[0] = key[0]<<18 | g[slot].reads
		} else {
			key[1] = key[1]<<18 | g[slot].reads
		}
	}
	hi, lo := bits.Mul64(key[0]^0x9E3779B97F4A7C15, key[1]^0xD1B54A32D192ED03)
	known := &m[(hi^lo)%uint64(len(m))]
	if known.key != key {
		known.key = key
		known.orders, known.ok = g.assign(busy)
	}
	return known.orders, known.ok
}

// bankRegs numbers the registers that a group reads of each bank.
type bankRegs struct {
	n    [readBanks]uint8
	vals [readBanks][readCycles]mir.Val
}

// number is the number of value v in bank ch. There are no more of them than cycles.
func (b *bankRegs) number(ch uint8, v mir.Val) (reg uint8, ok bool) {
	for reg < b.n[ch] {
		if b.vals[ch][reg] == v {
			return reg, true
		}
		reg++
	}
	if reg == readCycles {
		return 0, false
	}
	b.vals[ch][reg] = v
	b.n[ch]++
	return reg, true
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
