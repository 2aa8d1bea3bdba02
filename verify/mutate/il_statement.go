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

func (m *ilSite) insertedLive() bool {
	at, ok := m.lane()
	if !ok {
		return false
	}
	m.insert(m.i+1, il.Inst{Op: il.OpINot, HasDst: true, Dst: to(at.Num, int(at.Swz.At(0))), NSrc: 1, Src: [4]il.Src{at}})
	return true
}

func (m *ilSite) insertedDead() bool {
	at, ok := m.lane()
	if !ok {
		return false
	}
	m.insert(m.i+1, il.Inst{Op: il.OpIAdd, HasDst: true, Dst: to(m.freeTemp(), 0), NSrc: 2, Src: [4]il.Src{at, at}})
	return true
}
