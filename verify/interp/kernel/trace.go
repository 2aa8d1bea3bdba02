package kernel

import (
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
)

// Trace records the values computed by one invocation.
type Trace struct {
	At int // the invocation: its element number, row by row
	// Known lists its inputs, the constants and the initial registers, Steps the computed values in order.
	Known []uint32
	Steps []Traced

	memory bool // a word of memory is watched, and At receives its writer
	name   string
	word   int
}

// Traced is a component that a statement wrote.
type Traced struct {
	Pos  asm.Pos
	Word uint32
}

// maxTrace bounds the recorded values.
const maxTrace = 1 << 16

// CompileTraced compiles a program that can be traced, and runs more slowly.
func CompileTraced(k *il.Kernel) (*Program, error) { return compileAs(k, true) }

// Writer runs p to find the last invocation that writes a word of the named memory (see [Result.Named]). It
// returns -1 if nothing changes the word.
func (p *Program) Writer(c *Case, o Options, name string, word int) (element int, err error) {
	o.Trace = &Trace{At: -1, memory: true, name: name, word: word}
	_, err = p.Run(c, o)
	return o.Trace.At, err
}

// begin records the initial values of the traced lane.
func (t *Trace) begin(m *machine) {
	t.Known, t.Steps = nil, nil
	know := func(s slot) { t.Known = append(t.Known, m.slotWords(s)[m.lane]) }
	for s := range m.p.registers {
		know(slot(s))
	}
	for i := range m.p.inputs {
		know(m.p.inputs[i].at)
	}
	for _, s := range m.p.literals {
		know(s.at)
	}
	for _, s := range m.p.constants {
		know(s.at)
	}
}

// traced executes an instruction and records the words that it wrote in the traced lane.
func (m *machine) traced(s *stmt) {
	code := s.masked
	switch word := m.watched(); {
	case s.effect && word != nil:
		m.oneByOne(s, word)
		return
	case m.full:
		code = s.direct
	}
	m.runSteps(code)
	if m.lane < 0 || !m.cur.has(m.lane) {
		return
	}
	for i := range code {
		u := &code[i]
		for _, d := range u.d[:u.nd] {
			if int(d) < m.p.registers && len(m.trace.Steps) < maxTrace {
				m.trace.Steps = append(m.trace.Steps, Traced{s.pos, m.slotWords(d)[m.lane]})
			}
		}
	}
}

// oneByOne executes an instruction in one active lane after the other, to find the lane that changes a word
// of memory.
func (m *machine) oneByOne(s *stmt, word *uint32) {
	cur, full, one := m.cur, m.full, m.newMask()
	old := *word
	for lane := range cur.eachLane {
		clear(one)
		one.set(lane)
		m.cur, m.full = one, false
		m.runSteps(s.masked)
		if *word != old {
			m.by, old = lane, *word
		}
	}
	m.cur, m.full = cur, full
	m.release(one)
}

// watched returns the watched word of memory, or nil.
func (m *machine) watched() *uint32 {
	t := m.trace
	if !t.memory {
		return nil
	}
	words := m.global
	if id, err := strconv.Atoi(strings.TrimPrefix(t.name, "u")); err == nil {
		v := m.views[id]
		if v == nil {
			return nil
		}
		words = v.words
	}
	if t.word >= len(words) {
		return nil
	}
	return &words[t.word]
}
