package mutate

import "github.com/shaderlift/shaderlift/asm/il"

// ilStatementKinds remove, add and move statements.
var ilStatementKinds = []Kind{
	{Name: "removed", Dialect: IL, Doc: "an instruction is removed", Equivalent: true, il: func(m *ilSite) bool {
		if !computesIL(m.in()) {
			return false
		}
		m.remove(m.i)
		return true
	}},
	{Name: "inserted-live", Dialect: IL, Doc: "a value that is used later is inverted", il: (*ilSite).insertedLive},
	{Name: "infinity-inserted", Dialect: IL, Doc: "an infinity times zero, which is no number, is added to a value that is used later", il: (*ilSite).infinityInserted},
	{Name: "inserted-dead", Dialect: IL, Doc: "a register that nothing reads is written", Equivalent: true, il: (*ilSite).insertedDead},
	{Name: "repeated", Dialect: IL, Doc: "an instruction is executed twice", Equivalent: true, il: func(m *ilSite) bool {
		if !computesIL(m.in()) {
			return false
		}
		m.insert(m.i+1, *m.in())
		return true
	}},
	{Name: "statements-exchanged", Dialect: IL, Doc: "two instructions in a row change places", Equivalent: true, il: func(m *ilSite) bool {
		if m.i+1 >= len(m.k.Insts) || !computesIL(m.in()) || !computesIL(&m.k.Insts[m.i+1]) {
			return false
		}
		m.k.Insts[m.i], m.k.Insts[m.i+1] = m.k.Insts[m.i+1], m.k.Insts[m.i]
		return true
	}},
}

// insertedLive inverts the bits of the first lane that was computed.
func (m *ilSite) insertedLive() bool {
	at, ok := m.lane()
	if !ok {
		return false
	}
	m.insert(m.i+1, il.Inst{Op: il.OpINot, HasDst: true, Dst: to(at.Num, int(at.Swz.At(0))), NSrc: 1, Src: [4]il.Src{at}})
	return true
}

// infinityInserted adds x/0 * 0, an infinity times zero, which the control _ieee makes NaN rather than 0.
func (m *ilSite) infinityInserted() bool {
	at, ok := m.lane()
	if !ok || m.in().Op.Kind() != il.Float {
		return false
	}
	zero, dcl := m.literal(0)
	t := m.freeTemp()
	dst := to(at.Num, int(at.Swz.At(0)))
	product := il.Inst{Op: il.OpMad, Ctl: il.Controls{IEEE: true}, HasDst: true, Dst: dst, NSrc: 3, Src: [4]il.Src{reg(t, il.SelX), zero, at}}
	quotient := il.Inst{Op: il.OpDiv, Ctl: il.Controls{Zero: il.ZeroInfinity}, HasDst: true, Dst: to(t, 0), NSrc: 2, Src: [4]il.Src{at, zero}}
	m.insert(m.i+1, quotient, product)
	m.insert(0, dcl)
	return true
}

// insertedDead writes a register that nothing reads: the mutant is always the same program.
func (m *ilSite) insertedDead() bool {
	at, ok := m.lane()
	if !ok {
		return false
	}
	m.insert(m.i+1, il.Inst{Op: il.OpIAdd, HasDst: true, Dst: to(m.freeTemp(), 0), NSrc: 2, Src: [4]il.Src{at, at}})
	return true
}
