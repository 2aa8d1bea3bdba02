package sched

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// A group reads its registers in three cycles. In each cycle, every channel's bank delivers one
// register; a slot's bank swizzle assigns operands to cycles. Forwarded operands, constants and
// literals take no port, but constants of t delay its register reads. See "GPR Read Port
// Restrictions" and "Cycle Restrictions" in R600-Family Instruction Set Architecture, and
// check_vector and check_scalar in Mesa's r600_asm.c.
type portKind uint8

const (
	portNone     portKind = iota
	portRegister          // a general register or clause temporary
	portForward           // the result of the previous group
	portConst             // a constant, a literal or an inline constant
)

// portRead is a source operand from the view of the read ports. Two values that are live in one
// channel at the same time have two registers, so before allocation a value represents its
// register. reg is its number among the registers of its bank that the group reads.
type portRead struct {
	kind portKind
	ch   uint8
	reg  uint8
}

// portOp holds the operands of one slot.
type portOp [3]portRead

// readCycles and readBanks are the dimensions of the ports: in each cycle each bank, which is a
// channel, delivers one register.
const (
	readCycles = 3
	readBanks  = 4
)

// transConsts is the maximum number of constants of any kind that t can read. With n of them, its
// registers and forwarded results must come in cycle n or later.
const transConsts = 2

var (
	vectorOrders = [...]r600.Swizzle{r600.Vec012, r600.Vec021, r600.Vec120, r600.Vec102, r600.Vec201, r600.Vec210}
	transOrders  = [...]r600.Swizzle{r600.Scl210, r600.Scl122, r600.Scl212, r600.Scl221}
)

// choices returns the orders to try for a slot, by the set of operands whose order matters. If
// several orders read these in the same cycles, only the first is listed.
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

// portSet is the set of taken ports. Each port has three bits; at most one is set and identifies
// the register that the port delivers. A bank delivers at most three registers, as there are three
// cycles.
type portSet uint64

// portLow has the lowest bit of each port.
const portLow portSet = 0o111111111111

// port returns the set in which a bank delivers a register in a cycle.
func port(cycle, bank, reg uint8) portSet {
	return 1 << (readCycles*(readBanks*cycle+bank) + reg)
}

// clashes reports whether a port would have to deliver two registers. Several slots may read the
// same register in the same cycle.
func (s portSet) clashes() bool {
	return s&(s>>1)&(3*portLow)|s&(s>>2)&portLow != 0
}

// slotPorts holds the orders in which a slot can read its operands, with the ports that each takes.
type slotPorts struct {
	reads  uint64 // the operands, six bits each
	n      int
	orders [len(vectorOrders)]r600.Swizzle
	takes  [len(vectorOrders)]portSet
}

// computeOrders computes the orders for a slot that reads op, and reports whether there is one. The order
// matters for register reads. It also matters for forwarded results of t, which must wait for its
// constants. If it matters for no operand, busy is false: any order is valid.
func (w *slotPorts) computeOrders(op *portOp, slot int) (busy, ok bool) {
	mask, earliest := uint8(0), uint8(0)
	w.reads = 0
	for j := range op {
		w.reads = w.reads<<6 | uint64(op[j].kind)<<4 | uint64(op[j].ch)<<2 | uint64(op[j].reg)
		switch kind := op[j].kind; {
		case kind == portConst && slot == r600.T:
			earliest++
		case kind == portForward && slot == r600.T, kind == portRegister && (slot == r600.T || j != 1 || op[1] != op[0]):
			mask |= 1 << j // of two equal sources of a vector slot, one read serves both
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

// groupPorts holds the orders of the slots of a group. Entries of slots that are not busy are
// meaningless.
type groupPorts [r600.NumSlots]slotPorts

// assign returns a bank swizzle for every slot such that no bank delivers two registers in one
// cycle, or reports that there is none. It is an exhaustive search of up to 6 orders for each busy
// vector slot and 4 for t, which goes first. A slot that is not busy takes its default.
func (g *groupPorts) assign(busy uint8) (orders [r600.NumSlots]r600.Swizzle, ok bool) {
	orders[r600.T] = r600.Scl210
	return orders, g.tryOrders(busy, 0, &orders)
}

// tryOrders tries the orders of the last busy slot. For each order that fits the taken ports, it tries
// those of the slots before it.
func (g *groupPorts) tryOrders(busy uint8, taken portSet, orders *[r600.NumSlots]r600.Swizzle) bool {
	if busy == 0 {
		return true
	}
	slot := bits.Len8(busy) - 1
	w := &g[slot]
	for i, takes := range w.takes[:w.n] {
		if with := taken | takes; !with.clashes() && g.tryOrders(busy&^(1<<slot), with, orders) {
			orders[slot] = w.orders[i]
			return true
		}
	}
	return false
}

// portMemo is a direct-mapped cache of assigned orders: most groups of a program read like earlier
// ones. The hash of the key selects the entry to replace.
type portMemo [1 << 9]struct {
	key    [2]uint64
	orders [r600.NumSlots]r600.Swizzle
	ok     bool
}

// assign returns the result of [groupPorts.assign] from the cache.
func (m *portMemo) assign(g *groupPorts, busy uint8) (orders [r600.NumSlots]r600.Swizzle, ok bool) {
	if busy&(busy-1) == 0 {
		return g.assign(busy)
	}
	key := [2]uint64{uint64(busy)} // nonzero, because an empty entry has key 0
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

// bankRegs numbers the registers that a group reads from each bank.
type bankRegs struct {
	n    [readBanks]uint8
	vals [readBanks][readCycles]mir.Val
}

// number returns the number of value v in bank ch. It fails if the bank would deliver more
// registers than there are cycles.
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

// constPort is the occupant of a constant port of a group.
type constPort struct {
	bank  int16
	part  uint8
	index int32
	rel   mir.Val
}

// maxConstPorts is the largest number of constant ports in any family.
const maxConstPorts = 4

// constPorts holds the constants that a group reads.
type constPorts struct {
	n     int
	ports [maxConstPorts]constPort
}

// reserve reserves a port for constant a, unless one already delivers it. R600 has four ports, each for
// one channel of a constant. Later families have two, each for a pair of channels (xy or zw). For
// example, MUL of cb0[0] and cb0[1] in four lanes takes two groups on R700.
func (c *constPorts) reserve(t *chip.Target, a *mir.Arg) bool {
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
