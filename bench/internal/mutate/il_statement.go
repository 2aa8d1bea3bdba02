package mutate

import "github.com/shaderlift/shaderlift/asm/il"

// ilStatementKinds remove, add and move statements.
var ilStatementKinds = []Kind{
	{Name: "removed", Dialect: IL, Doc: "an instruction is removed", il: func(m *ilSite) bool {
		if !computesIL(m.statement()) {
			return false
		}
		m.remove(m.i)
		return true
	}},
	{Name: "inserted-live", Dialect: IL, Doc: "a value that is used later is inverted", il: (*ilSite).insertedLive},
	{Name: "infinity-inserted", Dialect: IL,
		Doc: "an infinity times zero, which is no number, is added to a value that is used later", il: (*ilSite).infinityInserted},
	{Name: "inserted-dead", Dialect: IL, Doc: "a register that nothing reads is written", il: (*ilSite).insertedDead},
	{Name: "repeated", Dialect: IL, Doc: "an instruction is executed twice", il: func(m *ilSite) bool {
		if !computesIL(m.statement()) {
			return false
		}
		m.insert(m.i+1, *m.statement())
		return true
	}},
	{Name: "statements-exchanged", Dialect: IL, Doc: "two instructions in a row change places", il: func(m *ilSite) bool {
		if m.i+1 >= len(m.k.Insts) || !computesIL(m.statement()) || !computesIL(&m.k.Insts[m.i+1]) {
			return false
		}
		m.k.Insts[m.i], m.k.Insts[m.i+1] = m.k.Insts[m.i+1], m.k.Insts[m.i]
		return true
	}},
}

// insertedLive inverts the bits of the first computed lane.
func (m *ilSite) insertedLive() bool {
	at, ok := m.computedLane()
	if !ok {
		return false
	}
	m.insert(m.i+1, il.Inst{Op: il.OpINot, HasDst: true, Dst: writeTemp(at.Num, int(at.Swz.SelectionAt(0))), NSrc: 1,
		Src: [4]il.Src{at}})
	return true
}

// infinityInserted adds x/0 * 0, an infinity times zero, which is NaN instead of 0 with the control _ieee.
func (m *ilSite) infinityInserted() bool {
	at, ok := m.computedLane()
	if !ok || m.statement().Op.Kind() != il.Float {
		return false
	}
	zero, dcl := m.literal(0)
	t := m.freeTemp()
	dst := writeTemp(at.Num, int(at.Swz.SelectionAt(0)))
	product := il.Inst{Op: il.OpMad, Ctl: il.Controls{IEEE: true}, HasDst: true, Dst: dst, NSrc: 3,
		Src: [4]il.Src{readTemp(t, il.SelX), zero, at}}
	quotient := il.Inst{Op: il.OpDiv, Ctl: il.Controls{Zero: il.ZeroInfinity}, HasDst: true, Dst: writeTemp(t, 0),
		NSrc: 2, Src: [4]il.Src{at, zero}}
	m.insert(m.i+1, quotient, product)
	m.insert(0, dcl)
	return true
}

// insertedDead writes a register that nothing reads. The mutant is always equivalent.
func (m *ilSite) insertedDead() bool {
	at, ok := m.computedLane()
	if !ok {
		return false
	}
	m.insert(m.i+1, il.Inst{Op: il.OpIAdd, HasDst: true, Dst: writeTemp(m.freeTemp(), 0), NSrc: 2, Src: [4]il.Src{at, at}})
	return true
}
