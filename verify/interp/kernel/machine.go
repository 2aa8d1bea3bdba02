package kernel

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/asm"
)

// machine runs batches of one program in one launch. Several machines can share the batches of a launch.
//
// A lane has not started, is active (in cur), waits (in broken, continued, returned or a mask of an
// executing statement), or is discarded. The mask live holds the lanes whose registers still matter. If cur
// contains all of live, instructions may write to all lanes without checking masks.
type machine struct {
	p *Program
	*launch
	n int      // lanes
	r []uint32 // the register file, slot after slot
	// local are the local memories of the group.
	local [][]uint32

	// started holds the lanes with an invocation. Lanes that only complete a quad do not write. Neither do
	// discarded lanes, which continue if they have neighbours.
	started, real, discarded mask
	live                     mask // lanes whose registers still matter
	cur                      mask // active
	full                     bool // all live lanes are active
	// Waiting lanes, which have left the innermost loop or switch, the body of the innermost loop, or the
	// function.
	broken, continued, returned mask

	steps  int // remaining
	taken  int
	calls  int
	free   []mask
	labels []mask // of the executing switches
	seen   []bool // executed statements, by number; nil if not needed
	kinds  *Seen  // nil if not needed
	trace  *Trace // nil if not needed
	lane   int    // traced lane, or -1
	by     int    // lane that wrote the watched word, or -1
	// The operands of a step on doubles. They are fields because calls through a table make them escape.
	to   [2][]uint32
	from [6][]uint32
}

// maxCalls bounds the depth of calls.
const maxCalls = 1024

func newMachine(p *Program, l *launch, lanes int) *machine {
	m := &machine{p: p, launch: l, n: lanes, r: make([]uint32, p.slots*lanes)}
	m.started, m.real, m.discarded, m.live, m.cur = m.newMask(), m.newMask(), m.newMask(), m.newMask(), m.newMask()
	for _, s := range p.literals {
		// Constants do not change during a launch, so each machine fills them in once.
		m.fill(s.at, s.word)
	}
	for _, s := range p.constants {
		words := l.array(s.reg)
		if at := 4*uint64(s.index) + uint64(s.comp); at < uint64(len(words)) {
			m.fill(s.at, words[at])
		}
	}
	for _, part := range p.local {
		words := make([]uint32, part.words)
		if s := l.c.share(part.id); s != nil && part.global {
			copy(words, s.Data.words(s.Words, false))
		}
		m.local = append(m.local, words)
	}
	return m
}

// wordIndex returns the index of a slot's vector in the register file.
func (m *machine) wordIndex(s slot) int { return int(s) * m.n }

// slotWords returns the words of a slot.
func (m *machine) slotWords(s slot) []uint32 {
	at := int(s) * m.n
	return m.r[at : at+m.n : at+m.n]
}

// fill sets a slot in all lanes.
func (m *machine) fill(s slot, w uint32) {
	d := m.slotWords(s)
	for i := range d {
		d[i] = w
	}
}

// newMask returns an empty mask; release returns it to the pool.
func (m *machine) newMask() mask {
	if n := len(m.free); n > 0 {
		a := m.free[n-1]
		m.free = m.free[:n-1]
		clear(a)
		return a
	}
	return make(mask, (m.n+63)/64)
}

func (m *machine) release(masks ...mask) { m.free = append(m.free, masks...) }

// updateFull updates full after a change of the active lanes.
func (m *machine) updateFull() { m.full = m.cur.contains(m.live) }

// active iterates over the active lanes, writers over those whose stores take effect.
func (m *machine) active(f func(lane int) bool) { m.cur.eachLane(f) }

func (m *machine) writers(f func(lane int) bool) {
	for i, w := range m.cur {
		for w &= m.real[i] &^ m.discarded[i]; w != 0; w &= w - 1 {
			if !f(64*i + bits.TrailingZeros64(w)) {
				return
			}
		}
	}
}

// blend copies in the active lanes.
func blend(m *machine, u *uop) {
	d, s := m.slotWords(u.d[0]), m.slotWords(u.s[0])
	for k, w := range m.cur {
		for ; w != 0; w &= w - 1 {
			i := 64*k + bits.TrailingZeros64(w)
			d[i] = s[i]
		}
	}
}

// unwritten sets registers to their initial values: 0, or with a seed a hash (the finalizer of SplitMix64)
// of seed, register, component and lane. The two lowest bits of the hash choose the kind of word. The words
// depend on the names of registers, so two versions of a kernel have the same initial values.
func (m *machine) unwritten() {
	if m.seed == 0 {
		clear(m.r[:m.wordIndex(slot(m.p.registers))])
		return
	}
	for _, s := range m.p.named {
		name := m.seed ^ uint64(s.reg.File)<<48 ^ uint64(s.reg.Num)<<24
		for k := range s.n {
			d := m.slotWords(s.at + slot(k))
			for lane := range d {
				x := (name + uint64(k)<<8 + uint64(lane) + 1) * 0x9e3779b97f4a7c15
				x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
				w := uint32((x ^ x>>27) * 0x94d049bb133111eb >> 32)
				switch m.seed & 3 {
				case 1:
					w &= 7
				case 2:
					w = oneBits | w>>9
				}
				d[lane] = w
			}
		}
	}
}

// batch runs the program in the started lanes, whose inputs have been stored.
func (m *machine) batch() error {
	m.unwritten()
	if m.lane >= 0 {
		m.trace.begin(m)
	}
	clear(m.discarded)
	copy(m.live, m.started)
	copy(m.cur, m.started)
	m.full = true
	m.returned = m.newMask()
	err := m.block(m.p.main)
	if m.kinds != nil {
		m.kinds.leave(m)
	}
	m.release(m.returned)
	return err
}

// fewLanes is the least number of lanes that an instruction counts for, since fewer lanes take no less
// time.
const fewLanes = 8

// countSteps counts instructions, each for all lanes of the batch, against the limit.
func (m *machine) countSteps(s *stmt, count int) error {
	lanes := max(m.n, fewLanes)
	m.taken += count * lanes
	if m.steps -= count * lanes; m.steps < 0 && !m.claimSteps() {
		return asm.Errorf(s.pos, "step-limit", "the kernel runs for too long")
	}
	return nil
}

// runSteps executes a list of steps.
func (m *machine) runSteps(code []uop) {
	for i := range code {
		u := &code[i]
		switch {
		case u.fn != nil:
			u.fn(m.slotWords(u.d[0]), m.slotWords(u.s[0]), m.slotWords(u.s[1]), m.slotWords(u.s[2]))
		case u.pair != nil:
			m.to[0], m.to[1] = m.slotWords(u.d[0]), m.slotWords(u.d[1])
			for k, at := range u.s {
				m.from[k] = m.slotWords(at)
			}
			u.pair(&m.to, &m.from)
		default:
			u.ext(m, u)
		}
	}
}

// block runs statements in the active lanes. On return the active lanes are those that reached its end. It
// returns early if no lane is left.
func (m *machine) block(code []stmt) error {
	for i := range code {
		s := &code[i]
		if err := m.countSteps(s, s.count); err != nil {
			return err
		}
		if m.seen != nil {
			m.seen[s.id] = true
		}
		if m.kinds != nil {
			m.kinds.recordStatement(s)
		}
		if s.kind == sCode {
			if m.trace != nil {
				m.traced(s)
			} else if m.full {
				m.runSteps(s.direct)
			} else {
				m.runSteps(s.masked)
			}
			if m.kinds != nil {
				m.kinds.words(m, s.direct)
			}
			continue
		}
		m.runSteps(s.direct)
		if err := m.runFlow(s); err != nil {
			return err
		}
		if m.cur.empty() {
			return nil
		}
	}
	return nil
}
