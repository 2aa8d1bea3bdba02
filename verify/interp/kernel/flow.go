package kernel

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
)

// runFlow executes a statement of control flow whose operands have been computed. It uses lane masks like the
// branch stack of R600 (R600-Family Instruction Set Architecture, chapter 3): lanes that leave wait in a
// mask until control reaches their continuation. Both sides of a divergent branch therefore run, one after
// the other. The masks, all sets of lanes of a batch, are
//
//	cur        active: they execute the next statement
//	broken     left the innermost loop or switch
//	continued  wait for the next trip of the loop
//	returned   left the function
//	live       have neither ended nor been discarded
//
// A block ends when no lane is active. settle must follow every change of cur.
func (m *machine) runFlow(s *stmt) error {
	switch s.kind {
	case sIf:
		return m.runIf(s)
	case sLoop:
		return m.runLoop(s)
	case sSwitch:
		return m.runSwitch(s)
	case sCall:
		return m.runCall(s)
	case sBreak:
		m.leave(s, m.broken)
	case sContinue:
		m.leave(s, m.continued)
	case sReturn:
		m.leave(s, m.returned)
	case sDiscard:
		m.discard(s)
	// Threads that have returned are not live and are not counted.
	case sBarrier:
		if !m.cur.contains(m.live) {
			return asm.Errorf(s.pos, "barrier-divergence", "some threads of a group do not meet at this barrier")
		}
	}
	return nil
}

// conditionLanes returns the active lanes in which a condition holds, in a mask that the caller releases.
func (m *machine) conditionLanes(c *condition) mask {
	t := m.newMask()
	if c.kind == condAlways {
		copy(t, m.cur)
		return t
	}
	a, b := m.slotWords(c.s[0]), m.slotWords(c.s[0])
	if c.kind == condRel {
		b = m.slotWords(c.s[1])
	}
	for k := range t {
		// Each set bit, from the lowest on.
		for w := m.cur[k]; w != 0; w &= w - 1 {
			bit := bits.TrailingZeros64(w)
			i := 64*k + bit
			holds := false
			switch c.kind {
			case condNotZero:
				holds = a[i] != 0
			case condZero:
				holds = a[i] == 0
			case condRel:
				holds = related(c.rel, float(a[i]), float(b[i]))
			case condNegative:
				for _, s := range c.s {
					holds = holds || float(m.slotWords(s)[i]) < 0
				}
			}
			if holds {
				t[k] |= 1 << bit
			}
		}
	}
	return t
}

// related compares floats as in IEEE 754: a NaN is unequal to everything.
func related(r il.RelOp, a, b float32) bool {
	switch r {
	case il.RelNE:
		return a != b
	case il.RelEQ:
		return a == b
	case il.RelGE:
		return a >= b
	case il.RelGT:
		return a > b
	case il.RelLE:
		return a <= b
	}
	return a < b
}

// leave moves the lanes in which the condition holds from the active to the waiting ones. A return in the
// main program of a compute kernel ends the thread, whose registers no longer matter. A pixel kernel still
// has outputs, so its lanes stay live.
func (m *machine) leave(s *stmt, to mask) {
	t := m.conditionLanes(&s.cond)
	to.add(t)
	m.cur.remove(t)
	if m.calls == 0 && s.kind == sReturn && m.p.stage == il.Compute {
		m.live.remove(t)
	}
	m.release(t)
	m.updateFull()
}

// discard ends lanes. In a kernel that takes derivatives they continue for their neighbours, and only their
// results are dropped.
func (m *machine) discard(s *stmt) {
	t := m.conditionLanes(&s.cond)
	m.discarded.add(t)
	if !m.p.quads {
		m.cur.remove(t)
		m.live.remove(t)
	}
	m.release(t)
	m.updateFull()
}

// runIf runs both sides of an if, each in its lanes, and joins the lanes that reach the end of either side.
func (m *machine) runIf(s *stmt) error {
	yes, no := m.conditionLanes(&s.cond), m.newMask()
	copy(no, m.cur)
	no.remove(yes)
	if !yes.empty() {
		copy(m.cur, yes)
		m.updateFull()
		if err := m.block(s.body); err != nil {
			return err
		}
		copy(yes, m.cur)
	}
	if !no.empty() {
		copy(m.cur, no)
		m.updateFull()
		if err := m.block(s.other); err != nil {
			return err
		}
	} else {
		clear(m.cur)
	}
	m.cur.add(yes)
	m.updateFull()
	m.release(yes, no)
	return nil
}

// runLoop runs a body until all lanes have left it. Lanes that continue rejoin at the end of each trip. Each
// trip costs a step, so an endless loop exhausts the steps.
func (m *machine) runLoop(s *stmt) error {
	broken, continued := m.broken, m.continued
	m.broken, m.continued = m.newMask(), m.newMask()
	for n := int64(0); ; n++ {
		if s.counter != noSlot {
			m.count(s.counter, n)
		}
		if m.cur.empty() {
			break
		}
		if err := m.countSteps(s, 1); err != nil {
			return err
		}
		if err := m.block(s.body); err != nil {
			return err
		}
		m.cur.add(m.continued)
		clear(m.continued)
		m.updateFull()
	}
	copy(m.cur, m.broken)
	m.updateFull()
	m.release(m.broken, m.continued)
	m.broken, m.continued = broken, continued
	return nil
}

// count removes the lanes whose trip count is at most n.
func (m *machine) count(counter slot, n int64) {
	times := m.slotWords(counter)
	for i := range m.active {
		if int64(int32(times[i])) <= n {
			m.broken.set(i)
		}
	}
	m.cur.remove(m.broken)
	m.updateFull()
}

// runSwitch runs a switch. It first assigns lanes to labels. The cases then run in the order of the text,
// each with the lanes that fall through into it and those that join at its label.
func (m *machine) runSwitch(s *stmt) error {
	broken, first := m.broken, len(m.labels)
	waiting := m.newMask() // for their label
	m.broken = m.newMask()
	for range s.cases {
		m.labels = append(m.labels, m.newMask())
	}
	labels := m.labels[first:]
	copy(waiting, m.cur)
	clear(m.cur)
	m.dispatch(s, waiting, labels)
	for k := range s.cases {
		m.cur.add(labels[k])
		if m.cur.empty() {
			continue
		}
		m.updateFull()
		if err := m.block(s.cases[k].body); err != nil {
			return err
		}
	}
	// Behind the switch: lanes at its end (cur), lanes that broke, and lanes without a label.
	m.cur.add(m.broken)
	m.cur.add(waiting)
	m.updateFull()
	m.release(waiting, m.broken)
	m.release(labels...)
	m.broken, m.labels = broken, m.labels[:first]
	return nil
}

// dispatch moves the waiting lanes to their labels of a switch, if any.
func (m *machine) dispatch(s *stmt, waiting mask, labels []mask) {
	on := m.slotWords(s.cond.s[0])
	for i := range waiting.eachLane {
		for k := range s.cases {
			if c := &s.cases[k]; !c.isDefault && c.value == on[i] {
				labels[k].set(i)
				waiting.unset(i)
				break
			}
		}
	}
	for k := range s.cases {
		if s.cases[k].isDefault {
			copy(labels[k], waiting)
			clear(waiting)
		}
	}
}

// runCall runs a function in the lanes in which its condition holds. Lanes that return rejoin the others
// behind the call.
func (m *machine) runCall(s *stmt) error {
	if m.calls == maxCalls {
		return asm.Errorf(s.pos, "call-depth", "calls are nested more than %d deep", maxCalls)
	}
	t := m.conditionLanes(&s.cond)
	if t.empty() {
		m.release(t)
		return nil
	}
	rest, returned := m.newMask(), m.returned
	copy(rest, m.cur)
	rest.remove(t)
	m.returned = m.newMask()
	copy(m.cur, t)
	m.updateFull()
	m.calls++
	err := m.block(m.p.funcs[s.callee])
	m.calls--
	m.cur.add(m.returned)
	m.cur.add(rest)
	m.updateFull()
	m.release(t, rest, m.returned)
	m.returned = returned
	return err
}
