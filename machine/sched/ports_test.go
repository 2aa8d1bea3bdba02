package sched

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// bench is a block of independent units; the tests check how many groups they take.
type bench struct {
	c *mir.Code
	r [8][4]mir.Val // inputs: registers of four channels
}

func newBench() *bench {
	b := &bench{c: mir.NewCode("bench")}
	for reg := range b.r {
		for ch := range 4 {
			b.r[reg][ch] = b.c.Input(reg, ch)
		}
	}
	return b
}

// op adds an operation that writes channel ch.
func (b *bench) op(op r600.Op, ch int, args ...mir.Arg) {
	b.c.Body = append(b.c.Body, single(op, b.c.NewValAt(ch), args...))
}

// in reads channel ch of register reg.
func (b *bench) in(reg, ch int) mir.Arg { return mir.V(b.r[reg][ch]) }

// TestPortRules checks, for each rule, operations that just fit one group and operations that just
// do not.
func TestPortRules(t *testing.T) {
	const x, y, z, w = 0, 1, 2, 3
	f := func(bits uint32) mir.Arg { return mir.L(bits) }
	tests := []struct {
		name   string
		target string
		groups int
		build  func(b *bench)
	}{
		{"three registers of a bank", "rv670", 1, func(b *bench) {
			b.op(r600.OpMulAdd, x, b.in(0, x), b.in(1, x), b.in(2, x))
		}},
		{"a fourth register of a bank", "rv670", 2, func(b *bench) {
			b.op(r600.OpMulAdd, x, b.in(0, x), b.in(1, x), b.in(2, x))
			b.op(r600.OpMov, y, b.in(3, x))
		}},
		{"a shared read is free", "rv670", 1, func(b *bench) {
			b.op(r600.OpMulAdd, x, b.in(0, x), b.in(1, x), b.in(2, x))
			b.op(r600.OpMulAdd, y, b.in(1, x), b.in(2, x), b.in(0, x))
		}},
		{"the second source equal to the first needs no port", "rv670", 1, func(b *bench) {
			b.op(r600.OpMul, x, b.in(0, x), b.in(0, x))
			b.op(r600.OpMulAdd, y, b.in(1, x), b.in(2, x), b.in(0, y))
		}},
		{"the third source takes a cycle though the first reads the same", "rv670", 2, func(b *bench) {
			b.op(r600.OpMulAdd, x, b.in(0, x), b.in(1, x), b.in(0, x))
			b.op(r600.OpMov, y, b.in(2, x))
		}},
		{"t beside one constant reads a register late", "rv670", 1, func(b *bench) {
			b.op(r600.OpMulLit, x, mir.K(0, 0, x), b.in(0, x), b.in(1, x))
		}},
		{"t with two constants and one register", "rv670", 1, func(b *bench) {
			b.op(r600.OpMulLit, x, mir.K(0, 0, x), mir.K(0, 1, x), b.in(1, x))
		}},
		{"t with three constants takes a move", "rv670", 2, func(b *bench) {
			b.op(r600.OpMulLit, x, mir.K(0, 0, x), mir.K(0, 1, x), f(0x40400000))
		}},
		{"four constants on R600", "rv670", 1, func(b *bench) {
			for ch := range 4 {
				b.op(r600.OpMov, ch, mir.K(0, ch, uint8(ch)))
			}
		}},
		{"four constants on R700", "rv770", 2, func(b *bench) {
			for ch := range 4 {
				b.op(r600.OpMov, ch, mir.K(0, ch, uint8(ch)))
			}
		}},
		{"both halves of one constant on R700", "rv770", 1, func(b *bench) {
			for ch := range 4 {
				b.op(r600.OpMov, ch, mir.K(0, 0, uint8(ch)))
			}
		}},
		{"a fifth constant on R600", "rv670", 2, func(b *bench) {
			for ch := range 4 {
				b.op(r600.OpMov, ch, mir.K(0, ch, uint8(ch)))
			}
			b.op(r600.OpMov, x, mir.K(0, 5, 0))
		}},
		{"a product of two constant vectors, R600", "rv670", 2, func(b *bench) { constProduct(b) }},
		{"a product of two constant vectors, R700", "rv770", 2, func(b *bench) { constProduct(b) }},
		{"four literals", "rv670", 1, func(b *bench) {
			for ch := range 4 {
				b.op(r600.OpMov, ch, f(0x40000000+uint32(ch)))
			}
		}},
		{"five literals", "rv670", 2, func(b *bench) {
			for ch := range 4 {
				b.op(r600.OpMov, ch, f(0x40000000+uint32(ch)))
			}
			b.op(r600.OpMov, x, f(0x41000000))
		}},
		{"inline constants are no literals", "rv670", 1, func(b *bench) {
			for ch := range 4 {
				b.op(r600.OpMov, ch, f(0x40000000+uint32(ch)))
			}
			b.op(r600.OpMov, x, f(0xBF800000))
		}},
		{"minus one half of an integer is a literal", "rv670", 2, func(b *bench) {
			for ch := range 4 {
				b.op(r600.OpMov, ch, f(0x40000000+uint32(ch)))
			}
			b.op(r600.OpAddInt, x, b.in(0, x), f(0xBF000000))
		}},
		{"two operations for t", "rv670", 2, func(b *bench) {
			b.op(r600.OpSin, x, b.in(0, x))
			b.op(r600.OpCos, y, b.in(0, x))
		}},
		{"shifts are for t on R600", "rv670", 2, func(b *bench) {
			b.op(r600.OpLShlInt, x, b.in(0, x), b.in(1, y))
			b.op(r600.OpLShlInt, y, b.in(0, x), b.in(1, y))
		}},
		{"shifts go anywhere on R700", "rv770", 1, func(b *bench) {
			b.op(r600.OpLShlInt, x, b.in(0, x), b.in(1, y))
			b.op(r600.OpLShlInt, y, b.in(0, x), b.in(1, y))
		}},
		{"t beside a dot product", "rv670", 1, func(b *bench) {
			b.dot()
			b.op(r600.OpSin, y, b.in(2, x))
		}},
		{"a vector operation beside a dot product", "cypress", 2, func(b *bench) {
			b.dot()
			b.op(r600.OpBFRevInt, y, b.in(2, x))
			b.op(r600.OpFltToInt, x, b.in(2, y))
		}},
		{"two doubles", "rv670", 1, func(b *bench) { b.add64(); b.add64() }},
		{"three doubles", "rv670", 2, func(b *bench) { b.add64(); b.add64(); b.add64() }},
		{"one kill", "rv670", 1, func(b *bench) {
			b.c.Body = append(b.c.Body, single(r600.OpKillE, 0, b.in(0, x), f(0)))
			b.op(r600.OpMov, x, b.in(1, y))
		}},
		{"two kills", "rv670", 2, func(b *bench) {
			b.c.Body = append(b.c.Body, single(r600.OpKillE, 0, b.in(0, x), f(0)))
			b.c.Body = append(b.c.Body, single(r600.OpKillE, 0, b.in(1, y), f(0)))
		}},
		{"a write behind a kill", "cypress", 2, func(b *bench) {
			b.c.Body = append(b.c.Body, single(r600.OpKillE, 0, b.in(0, x), f(0)))
			store := single(r600.OpLDSWrite, 0, b.in(0, y), b.in(1, z))
			store.Mem = mir.Access{Space: 1, Write: true}
			b.c.Body = append(b.c.Body, store)
		}},
		{"one channel takes a result and t another", "rv670", 1, func(b *bench) {
			b.op(r600.OpMov, x, b.in(0, x))
			b.op(r600.OpMov, x, b.in(0, y))
		}},
		{"three results of one channel", "rv670", 2, func(b *bench) {
			for ch := range 3 {
				b.op(r600.OpMov, x, b.in(0, ch))
			}
		}},
		{"a relative constant waits for its address", "rv670", 2, func(b *bench) {
			a := mir.K(0, 0, x)
			a.Rel = b.r[0][x]
			b.op(r600.OpMov, x, a)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			target, err := chip.ByName(tt.target)
			if err != nil {
				t.Fatal(err)
			}
			b := newBench()
			tt.build(b)
			s, err := Schedule(b.c, target, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if s.Stats.Groups != tt.groups {
				t.Errorf("%d groups, want %d", s.Stats.Groups, tt.groups)
			}
			if err := machinetest.Obeys(s.Program, target); err != nil {
				t.Error(err)
			}
		})
	}
}

func constProduct(b *bench) {
	for ch := range 4 {
		b.op(r600.OpMul, ch, mir.K(0, 0, uint8(ch)), mir.K(0, 1, uint8(ch)))
	}
}

func (b *bench) dot() {
	u := &mir.ALU{Slots: make([]mir.Slot, 4)}
	for i := range u.Slots {
		u.Slots[i] = mir.Slot{Op: r600.OpDot4, Args: [3]mir.Arg{b.in(0, i), b.in(1, i)}}
	}
	u.Slots[0].Dst = b.c.NewVal()
	b.c.Body = append(b.c.Body, u)
}

func (b *bench) add64() {
	u := &mir.ALU{Slots: make([]mir.Slot, 2)}
	for i := range u.Slots {
		u.Slots[i] = mir.Slot{Op: r600.OpAdd64, Dst: b.c.NewVal(), Args: [3]mir.Arg{b.in(0, i), b.in(1, i)}}
	}
	b.c.Body = append(b.c.Body, u)
}

// firstOrders returns the first choice of orders that obeys two rules. No bank delivers two
// registers in a cycle. t reads no register or forwarded result before the cycles of its constants
// are over. Slots go from t down, as in groupPorts; those whose order does not matter keep the
// first.
func firstOrders(ops *[r600.NumSlots]portOp, slot int, ports map[[2]uint8]uint8) (orders [r600.NumSlots]r600.Swizzle,
	ok bool) {
	if slot < 0 {
		return orders, true
	}
	list := vectorOrders[:]
	if slot == r600.T {
		list = transOrders[:]
	}
	for _, order := range list {
		with, fits, consts := maps.Clone(ports), true, uint8(0)
		for _, read := range ops[slot] {
			if read.kind == portConst {
				consts++
			}
		}
		for j, read := range ops[slot] {
			at := order.Cycles()[j]
			if slot == r600.T && at < consts && (read.kind == portRegister || read.kind == portForward) {
				fits = false
			}
			if read.kind != portRegister || slot != r600.T && j == 1 && read == ops[slot][0] {
				continue
			}
			if have, taken := with[[2]uint8{at, read.ch}]; taken && have != read.reg {
				fits = false
			}
			with[[2]uint8{at, read.ch}] = read.reg
		}
		if slot == r600.T && consts > transConsts {
			fits = false
		}
		if !fits {
			continue
		}
		if orders, ok = firstOrders(ops, slot-1, with); ok {
			orders[slot] = order
			return orders, true
		}
	}
	return orders, false
}

// assigned returns the orders that groupPorts assigns to slots that read ops, with any register
// numbers.
func assigned(ops [r600.NumSlots]portOp, known *portMemo) (orders [r600.NumSlots]r600.Swizzle, ok bool) {
	var banks bankRegs
	var ports groupPorts
	busy := uint8(0)
	for s := range ops {
		for j := range ops[s] {
			if read := &ops[s][j]; read.kind == portRegister {
				if read.reg, ok = banks.number(read.ch, mir.Val(read.reg)); !ok {
					return orders, false
				}
			}
		}
		matters, ok := ports[s].computeOrders(&ops[s], s)
		if !ok {
			return orders, false
		}
		if matters {
			busy |= 1 << s
		}
	}
	return known.assign(&ports, busy)
}

// TestPortOrders checks that the pruned search finds the same as an exhaustive one.
func TestPortOrders(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	found := map[bool]int{}
	var known portMemo
	for range 6000 {
		var ops [r600.NumSlots]portOp
		banks := 1 + rnd.IntN(3)
		for s := range ops {
			for j := range rnd.IntN(4) {
				ops[s][j] = portRead{kind: portKind(1 + max(0, rnd.IntN(5)-2))}
				if ops[s][j].kind == portRegister {
					ops[s][j].ch, ops[s][j].reg = uint8(rnd.IntN(banks)), uint8(rnd.IntN(4))
				}
			}
		}
		want, can := firstOrders(&ops, r600.T, map[[2]uint8]uint8{})
		for range 2 { // the second time it is cached
			if got, ok := assigned(ops, &known); ok != can || ok && got != want {
				t.Fatalf("%v: %v %v, going through all: %v %v", ops, got, ok, want, can)
			}
		}
		found[can]++
	}
	if found[true] < 500 || found[false] < 500 {
		t.Errorf("%d groups can be read, %d cannot", found[true], found[false])
	}
}
