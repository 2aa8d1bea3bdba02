package kernel

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/asm"
)

// machine runs batches of one program in one launch. The batches of a launch can be divided among
// several machines.
//
// A lane is in one of these states: not started; active (in cur); waiting, in broken, continued or
// returned or in a mask of a statement under way; discarded. live are the lanes whose registers
// still matter. Where cur contains all of live, instructions may write to all lanes without looking
// at masks.
type machine struct {
	p *Program
	*launch
	n int      // lanes
	r []uint32 // the register file, slot after slot
	// local are the local memories of the group.
	local [][]uint32

	// started are the lanes that hold an invocation. Those of an unfinished quad do not
	// write; neither do discarded ones, which run on where they have neighbours.
	started, real, discarded mask
	live                     mask // whose registers still matter
	cur                      mask // active
	full                     bool // all that are live are active
	// Where lanes wait that have left: the innermost loop or switch, the body of the
	// innermost loop, the function.
	broken, continued, returned mask

	steps  int // left
	taken  int
	calls  int
	free   []mask
	labels []mask // of the switches under way
	seen   []bool // statements executed, by number; nil if nobody asks
	kinds  *Seen  // likewise
	trace  *Trace // likewise
	lane   int    // that is traced, or -1
	by     int    // that wrote what is watched, or -1
	// The operands of a step on doubles, kept here because calls through a table make
	// them escape.
	to   [2][]uint32
	from [6][]uint32
}

// maxCalls bounds the depth of calls.
const maxCalls = 1024

func newMachine(p *Program, l *launch, lanes int) *machine {
	m := &machine{p: p, launch: l, n: lanes, r: make([]uint32, p.slots*lanes)}
	m.started, m.real, m.discarded, m.live, m.cur = m.mask(), m.mask(), m.mask(), m.mask(), m.mask()
	for _, s := range p.literals {
		// Constants do not change during a launch, so they are filled in once for each machine.
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

// word is where the vector of a slot begins in the register file.
func (m *machine) word(s slot) int { return int(s) * m.n }

// vec is the words of a slot.
func (m *machine) vec(s slot) []uint32 {
	at := int(s) * m.n
	return m.r[at : at+m.n : at+m.n]
}

// fill sets a slot in all lanes.
func (m *machine) fill(s slot, w uint32) {
	d := m.vec(s)
	for i := range d {
		d[i] = w
	}
}

// mask takes an empty mask, which release gives back.
func (m *machine) mask() mask {
	if n := len(m.free); n > 0 {
		a := m.free[n-1]
		m.free = m.free[:n-1]
		clear(a)
		return a
	}
	return make(mask, (m.n+63)/64)
}

func (m *machine) release(masks ...mask) { m.free = append(m.free, masks...) }

// updateFull notes whether all lanes are active, after the active ones have changed.
func (m *machine) updateFull() { m.full = m.cur.contains(m.live) }

// active are the active lanes, writers those whose stores count.
func (m *machine) active(f func(lane int) bool) { m.cur.each(f) }

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
	d, s := m.vec(u.d[0]), m.vec(u.s[0])
	for k, w := range m.cur {
		for ; w != 0; w &= w - 1 {
			i := 64*k + bits.TrailingZeros64(w)
			d[i] = s[i]
		}
	}
}

// unwritten sets registers to what they hold before anything is written to them: 0, or with a seed
// a hash (the finalizer of SplitMix64) of seed, register, component and lane. Its two lowest bits
// choose the kind of words. Since words follow from the names of registers, two versions of a
// kernel find the same in a register.
func (m *machine) unwritten() {
	if m.seed == 0 {
		clear(m.r[:m.word(slot(m.p.registers))])
		return
	}
	for _, s := range m.p.named {
		name := m.seed ^ uint64(s.reg.File)<<48 ^ uint64(s.reg.Num)<<24
		for k := range s.n {
			d := m.vec(s.at + slot(k))
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

// batch runs the program in the lanes that are started, whose inputs have been stored.
func (m *machine) batch() error {
	m.unwritten()
	if m.lane >= 0 {
		m.trace.begin(m)
	}
	clear(m.discarded)
	copy(m.live, m.started)
	copy(m.cur, m.started)
	m.full = true
	m.returned = m.mask()
	err := m.block(m.p.main)
	if m.kinds != nil {
		m.kinds.leave(m)
	}
	m.release(m.returned)
	return err
}

// fewLanes is how many lanes an instruction counts for at least: fewer take no less time.
const fewLanes = 8

// step counts instructions, each for all lanes of the batch, against the limit.
func (m *machine) step(s *stmt, count int) error {
	lanes := max(m.n, fewLanes)
	m.taken += count * lanes
	if m.steps -= count * lanes; m.steps < 0 && !m.more() {
		return asm.Errorf(s.pos, "step-limit", "the kernel runs for too long")
	}
	return nil
}

// run executes the steps of a stretch.
func (m *machine) run(code []uop) {
	for i := range code {
		u := &code[i]
		switch {
		case u.fn != nil:
			u.fn(m.vec(u.d[0]), m.vec(u.s[0]), m.vec(u.s[1]), m.vec(u.s[2]))
		case u.pair != nil:
			m.to[0], m.to[1] = m.vec(u.d[0]), m.vec(u.d[1])
			for k, at := range u.s {
				m.from[k] = m.vec(at)
			}
			u.pair(&m.to, &m.from)
		default:
			u.ext(m, u)
		}
	}
}

// block runs statements in the active lanes. When it returns, those lanes are active that reached
// its end; it returns early if none is left.
func (m *machine) block(code []stmt) error {
	for i := range code {
		s := &code[i]
		if err := m.step(s, s.count); err != nil {
			return err
		}
		if m.seen != nil {
			m.seen[s.id] = true
		}
		if m.kinds != nil {
			m.kinds.stmt(s)
		}
		if s.kind == sCode {
			if m.trace != nil {
				m.traced(s)
			} else if m.full {
				m.run(s.direct)
			} else {
				m.run(s.masked)
			}
			if m.kinds != nil {
				m.kinds.words(m, s.direct)
			}
			continue
		}
		m.run(s.direct)
		if err := m.flow(s); err != nil {
			return err
		}
		if m.cur.empty() {
			return nil
		}
	}
	return nil
}
