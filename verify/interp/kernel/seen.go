package kernel

import "math/bits"

// Seen records the statements executed in any lane and the kinds of words that they computed. It measures
// how much of a kernel the launches have exercised. Words have no type, so kinds are ranges of words that
// differ as integers or as floats.
type Seen struct {
	stmts map[*stmt]bool
	kinds map[*uop]uint16
	// Fresh counts the events that were new.
	Fresh int
	// Left holds digests of the final values of registers, one per component. Wild reports that an infinity
	// or NaN was computed. Both cover the time since the last Forget.
	Left []uint64
	Wild bool
}

// Forget clears the data about a single launch.
func (s *Seen) Forget() { s.Left, s.Wild = s.Left[:0], false }

// leave records the final registers of a batch.
func (s *Seen) leave(m *machine) {
	for len(s.Left) < m.p.registers {
		s.Left = append(s.Left, 0)
	}
	for k := range m.p.registers {
		h := s.Left[k]
		for _, w := range m.slotWords(slot(k)) {
			h = (h ^ uint64(w)) * 0x100000001b3
		}
		s.Left[k] = h
	}
}

// isWild reports whether a word is an infinity, NaN or maximum that float arithmetic returns instead of a
// number.
func isWild(w uint32) bool {
	return w&^(1<<31) == 0x7f7fffff || w == 0x7f800000 || w == 0xff800000 || w == 0x7fc00000 || w == 0xffc00000
}

// NewSeen returns an empty record.
func NewSeen() *Seen { return &Seen{stmts: map[*stmt]bool{}, kinds: map[*uop]uint16{}} }

// kindOf returns the kind of a word as a bit.
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

func (s *Seen) recordStatement(at *stmt) {
	if !s.stmts[at] {
		s.stmts[at] = true
		s.Fresh++
	}
}

// words records the words that code wrote in the active lanes. code is always the direct form of a
// statement, whose steps name registers.
func (s *Seen) words(m *machine, code []uop) {
	for i := range code {
		u := &code[i]
		if u.fn == nil || int(u.d[0]) >= m.p.registers {
			continue
		}
		kinds, d := uint16(0), m.slotWords(u.d[0])
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
