package amdil

import (
	"errors"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
)

// literals places the literals of operands in a register that the input declares, or in a new one. A register
// that nothing reads in the end is not declared. Registers are numbered by their position in regs.
type literals struct {
	regs     []literal
	of       map[uint16]int   // by number
	with     map[uint32][]int // registers with a word
	next     int              // the number of the next new one
	declared int              // regs from here on are new
}

// maxOpen bounds how many new registers are searched for room, so that placing n literals is linear in n.
const maxOpen = 8

// literal is a register of literals. In new registers, words beyond n are free; registers of the input are
// full.
type literal struct {
	num   uint16
	words [4]uint32
	n     int // words in use
	used  bool
}

// newLiterals returns a table of the literals that k declares.
func newLiterals(k *il.Kernel) *literals {
	p := &literals{of: map[uint16]int{}, with: map[uint32][]int{}}
	for i := range k.Insts {
		if in := &k.Insts[i]; in.Op == il.OpDclLiteral {
			p.add(literal{num: in.Dst.Num, words: in.Imm, n: 4})
		}
	}
	p.declared = len(p.regs)
	return p
}

// add adds a register and indexes its words, each once.
func (p *literals) add(l literal) int {
	n := len(p.regs)
	p.of[l.num] = n
	p.next = max(p.next, int(l.num)+1)
	p.regs = append(p.regs, l)
	for c, w := range l.words[:l.n] {
		if slices.Index(l.words[:], w) == c {
			p.with[w] = append(p.with[w], n)
		}
	}
	return n
}

// holds reports whether register num is known to have word w in component c.
func (p *literals) holds(num uint16, c uint8, w uint32) bool {
	n, ok := p.of[num]
	return ok && p.regs[n].words[c] == w
}

// isUsed reports whether an operand reads register num.
func (p *literals) isUsed(num uint16) bool {
	n, ok := p.of[num]
	return ok && p.regs[n].used
}

// useLiteral returns a register that has all of words and marks it as read. There are at most four words, all
// different. It prefers a register that is already read, so that few are declared; then one that the input
// declares, one with room, a new one.
func (p *literals) useLiteral(words []uint32) (il.Reg, error) {
	n, err := p.findLiteral(words)
	if err != nil {
		return il.Reg{}, err
	}
	p.regs[n].used = true
	return il.Reg{File: il.Literal, Num: p.regs[n].num}, nil
}

// findLiteral searches the registers that have the rarest of words, then the newest ones for room. Register numbers
// have 16 bits, which bounds the number of registers.
func (p *literals) findLiteral(words []uint32) (int, error) {
	rarest := words[0]
	for _, w := range words {
		if len(p.with[w]) < len(p.with[rarest]) {
			rarest = w
		}
	}
	best := -1
	for _, n := range p.with[rarest] {
		if l := &p.regs[n]; !l.lacks(words) {
			if l.used {
				return n, nil
			}
			if best < 0 {
				best = n
			}
		}
	}
	if best >= 0 {
		return best, nil
	}
	// Only the newest may have room.
	for n := max(p.declared, len(p.regs)-maxOpen); n < len(p.regs); n++ {
		l := &p.regs[n]
		missing := 0
		for _, w := range words {
			if slices.Index(l.words[:l.n], w) < 0 {
				missing++
			}
		}
		if l.n+missing <= 4 {
			for _, w := range words {
				if slices.Index(l.words[:l.n], w) < 0 {
					l.words[l.n] = w
					l.n++
					p.with[w] = append(p.with[w], n)
				}
			}
			return n, nil
		}
	}
	if p.next > math.MaxUint16 {
		return 0, errors.New("out of literals")
	}
	l := literal{num: uint16(p.next), n: len(words)}
	copy(l.words[:], words)
	return p.add(l), nil
}

// lacks reports whether l lacks one of words.
func (l *literal) lacks(words []uint32) bool {
	for _, w := range words {
		if slices.Index(l.words[:l.n], w) < 0 {
			return true
		}
	}
	return false
}

// wordComponent returns the component of literal num that has word w.
func (p *literals) wordComponent(num uint16, w uint32) uint8 {
	l := &p.regs[p.of[num]]
	return uint8(slices.Index(l.words[:l.n], w))
}
