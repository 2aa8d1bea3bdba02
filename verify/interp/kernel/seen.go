package kernel

import "math/bits"

// Seen collects which statements have been executed in any lane, and which kinds of words they
// computed: what launches have exercised of a kernel. Words have no type, so kinds are ranges of
// words that differ as integers or as floats.
type Seen struct {
	stmts map[*stmt]bool
	kinds map[*uop]uint16
	// Fresh is how often something was met for the first time.
	Fresh int
	// Left are digests of what the registers held in the end, one of each component, and Wild
	// tells that something infinite or NaN was computed; both since they were forgotten last.
	Left []uint64
	Wild bool
}

// Forget forgets what is about one launch.
func (s *Seen) Forget() { s.Left, s.Wild = s.Left[:0], false }

// leave takes in what registers hold at the end of a batch.
func (s *Seen) leave(m *machine) {
	for len(s.Left) < m.p.registers {
		s.Left = append(s.Left, 0)
	}
	for k := range m.p.registers {
		h := s.Left[k]
		for _, w := range m.vec(slot(k)) {
			h = (h ^ uint64(w)) * 0x100000001b3
		}
		s.Left[k] = h
	}
}

// isWild reports whether a word is what arithmetic of floats makes of no number.
func isWild(w uint32) bool {
	return w&^(1<<31) == 0x7f7fffff || w == 0x7f800000 || w == 0xff800000 || w == 0x7fc00000 || w == 0xffc00000
}

// NewSeen is what nothing has been met by.
func NewSeen() *Seen { return &Seen{stmts: map[*stmt]bool{}, kinds: map[*uop]uint16{}} }

// kindOf is the kind of a word, as a bit.
func kindOf(w uint32) uint16 {
	switch {
	case w == 0:
		return 1 << 0
	case w == 1:
		return 1 << 1
	case w < 64:
		return 1 << 2
	case w < 1<<23: // subnormal as a float
		return 1 << 3
	case w < oneBits:
		return 1 << 4
	case w == oneBits:
		return 1 << 5
	case w < 0x7f800000:
		return 1 << 6
	case w < 1<<31:
		return 1 << 7
	case w == 1<<31:
		return 1 << 8
	case w < 0xff800000:
		return 1 << 9
	}
	return 1 << 10
}

func (s *Seen) stmt(at *stmt) {
	if !s.stmts[at] {
		s.stmts[at] = true
		s.Fresh++
	}
}

// words takes in what code has written in the active lanes. It is given the direct form of statements, whose
// steps name registers, whichever form was executed.
func (s *Seen) words(m *machine, code []uop) {
	for i := range code {
		u := &code[i]
		if u.fn == nil || int(u.d[0]) >= m.p.registers {
			continue
		}
		kinds, d := uint16(0), m.vec(u.d[0])
		for k, lanes := range m.cur {
			for ; lanes != 0; lanes &= lanes - 1 {
				w := d[64*k+bits.TrailingZeros64(lanes)]
				kinds |= kindOf(w)
				s.Wild = s.Wild || isWild(w)
			}
		}
		if old := s.kinds[u]; kinds&^old != 0 {
			s.kinds[u] = old | kinds
			s.Fresh++
		}
	}
}
