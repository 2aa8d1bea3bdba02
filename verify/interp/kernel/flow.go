package kernel

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
)

// flow executes a statement of control flow, whose operands have been computed, by masks of lanes, as
// the branch stack of R600 does (R600-Family Instruction Set Architecture, chapter 3): lanes that leave
// wait in a mask until control comes to where they go on. So both sides of a branch that is not uniform
// are executed, one after the other. The masks, all sets of lanes of a batch, are
//
//	cur        active: they execute the next statement
//	broken     left the loop or switch around this place
//	continued  wait for the next trip of the loop
//	returned   left the function
//	live       have neither ended nor been discarded
//
// A block ends when no lane is active. settle has to follow every change of cur.
func (m *machine) flow(s *stmt) error {
	switch s.kind {
	case sIf:
		return m.runIf(s)
	case sLoop:
		return m.loop(s)
	case sSwitch:
		return m.runSwitch(s)
	case sCall:
		return m.call(s)
	case sBreak:
		m.leave(s, m.broken)
	case sContinue:
		m.leave(s, m.continued)
	case sReturn:
		m.leave(s, m.returned)
	case sDiscard:
		m.discard(s)
	// Threads that have returned are not live and do not count.
	case sBarrier:
		if !m.cur.contains(m.live) {
			return asm.Errorf(s.pos, "barrier-divergence", "some threads of a group do not meet at this barrier")
		}
	}
	return nil
}

// test returns the active lanes in which a condition holds, in a mask that the caller releases.
func (m *machine) test(c *condition) mask {
	t := m.mask()
	if c.kind == condAlways {
		copy(t, m.cur)
		return t
	}
	a, b := m.vec(c.s[0]), m.vec(c.s[0])
	if c.kind == condRel {
		b = m.vec(c.s[1])
	}
	for k := range t {
		// Each bit that is set, from the lowest on.
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
					holds = holds || float(m.vec(s)[i]) < 0
				}
			}
			if holds {
				t[k] |= 1 << bit
			}
		}
	}
	return t
}

// related compares floats as IEEE 754 does: a NaN is unequal to everything.
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

// leave moves the lanes in which the condition holds from the active ones to those that wait. In the
// main program of a compute kernel a return ends the thread: what its registers hold matters no more.
// Of a pixel kernel the outputs do, so that its lanes stay live.
func (m *machine) leave(s *stmt, to mask) {
	t := m.test(&s.cond)
	to.add(t)
	m.cur.remove(t)
	if m.calls == 0 && s.kind == sReturn && m.p.stage == il.Compute {
		m.live.remove(t)
	}
	m.release(t)
	m.updateFull()
}

// discard ends lanes, unless their neighbours look at them: in a kernel that takes derivatives they go
// on, and only what they leave is dropped.
func (m *machine) discard(s *stmt) {
	t := m.test(&s.cond)
	m.discarded.add(t)
	if !m.p.quads {
		m.cur.remove(t)
		m.live.remove(t)
	}
	m.release(t)
	m.updateFull()
}

// runIf runs both sides of an if, each in its lanes, and joins the lanes that reach the end of
// either.
func (m *machine) runIf(s *stmt) error {
	yes, no := m.test(&s.cond), m.mask()
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

// loop runs a body until all lanes have left it. Lanes that continue join again at the end of each
// trip. Each trip costs a step, so that an endless loop runs out of them.
func (m *machine) loop(s *stmt) error {
	broken, continued := m.broken, m.continued
	m.broken, m.continued = m.mask(), m.mask()
	for n := int64(0); ; n++ {
		if s.counter != noSlot {
			m.count(s.counter, n)
		}
		if m.cur.empty() {
			break
		}
		if err := m.step(s, 1); err != nil {
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

// count lets the lanes leave that have run a loop n times if that is often enough.
func (m *machine) count(counter slot, n int64) {
	times := m.vec(counter)
	for i := range m.active {
		if int64(int32(times[i])) <= n {
			m.broken.set(i)
		}
	}
	m.cur.remove(m.broken)
	m.updateFull()
}

// runSwitch runs a switch. Lanes are sorted to the labels first; then the cases run in the order of
// the text, each with the lanes that fall through into it and those that join at its label.
func (m *machine) runSwitch(s *stmt) error {
	broken, first := m.broken, len(m.labels)
	waiting := m.mask() // for their label
	m.broken = m.mask()
	for range s.cases {
		m.labels = append(m.labels, m.mask())
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
	// Behind the switch: lanes at its end (cur), those that broke, and those that no label took.
	m.cur.add(m.broken)
	m.cur.add(waiting)
	m.updateFull()
	m.release(waiting, m.broken)
	m.release(labels...)
	m.broken, m.labels = broken, m.labels[:first]
	return nil
}

// dispatch moves the lanes that wait to the labels of a switch they go to, if there are any.
func (m *machine) dispatch(s *stmt, waiting mask, labels []mask) {
	on := m.vec(s.cond.s[0])
	for i := range waiting.each {
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

// call runs a function in the lanes in which its condition holds. Lanes that return, wherever, join
// the others behind the call.
func (m *machine) call(s *stmt) error {
	if m.calls == maxCalls {
		return asm.Errorf(s.pos, "call-depth", "calls are nested more than %d deep", maxCalls)
	}
	t := m.test(&s.cond)
	if t.empty() {
		m.release(t)
		return nil
	}
	rest, returned := m.mask(), m.returned
	copy(rest, m.cur)
	rest.remove(t)
	m.returned = m.mask()
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
