package interp

import (
	"math"

	"github.com/shaderlift/shaderlift/internal/budget"
)

// Seen records the kinds of numbers that statements have computed in any invocation, and the ways in which
// conditions fell. It measures how much of a program the inputs have exercised. Programs branch where
// numbers change their kind: a texkill drops and a cmp chooses below zero, a saturation clamps above one.
type Seen struct {
	// kinds maps operations to the kinds of their results. falls maps statements to the ways in which their
	// condition fell.
	kinds map[*uop]uint8
	falls map[*stmt]uint8
	// Fresh counts the events that were new.
	Fresh int
	// Left holds digests of the final values of temporary registers, one per component, the vertex program
	// first.
	Left []uint64
	// Wild marks the pixels or invocations that computed a number that isWild reports. WildVertex is set if
	// the vertex program of a draw did.
	Wild       map[int]bool
	WildVertex bool

	lanes uint64 // wild lanes of this batch
}

// Forget clears the data about a single execution.
func (s *Seen) Forget() { s.Left, s.Wild, s.WildVertex = s.Left[:0], nil, false }

// recordWild records that a pixel or invocation was wild.
func (s *Seen) recordWild(at int) {
	if s.Wild == nil {
		s.Wild = map[int]bool{}
	}
	s.Wild[at] = true
}

// NewSeen returns an empty record.
func NewSeen() *Seen { return &Seen{kinds: map[*uop]uint8{}, falls: map[*stmt]uint8{}} }

// leave adds the final registers of a batch to a hash per component (FNV-1a, of words). The hash covers all
// batches of a program in order.
func (s *Seen) leave(m *machine) {
	first, end := m.sh.temps[0], m.sh.temps[1]
	if !m.digested {
		m.digested, m.digests = true, len(s.Left)
		s.Left = append(s.Left, make([]uint64, end-first)...)
	}
	for k := range s.Left[m.digests : m.digests+int(end-first)] {
		h := s.Left[m.digests+k]
		for _, x := range &m.r[first+slot(k)] {
			h = (h ^ uint64(math.Float32bits(x))) * 0x100000001b3
		}
		s.Left[m.digests+k] = h
	}
}

// The kinds of numbers.
const (
	kindZero uint8 = 1 << iota
	kindBelow
	kindInside // of 0..1
	kindOne
	kindAbove
	kindOther // infinite or NaN
)

func kindOf(x float32) uint8 {
	const one, infinite = 0x3f800000, 0x7f800000
	switch b := math.Float32bits(x); {
	case b<<1 == 0:
		return kindZero
	case b<<1 >= infinite<<1:
		return kindOther
	case b>>31 != 0:
		return kindBelow
	case b < one:
		return kindInside
	case b == one:
		return kindOne
	}
	return kindAbove
}

// isWild reports whether x is NaN, infinite, or so large or small that a division by zero may have produced
// it or nearly follows. An interpreter may take 1/0 for the largest number.
func isWild(x float32) bool {
	const low, high = (127 - 60) << 23, (127 + 60) << 23
	b := math.Float32bits(x) &^ (1 << 31)
	return b >= high || b != 0 && b < low
}

// numbers records the results of ops in the lanes of on. Scratch values may be wild, but their kinds do not
// count.
func (s *Seen) numbers(m *machine, ops []uop, on uint64) {
	for i := range ops {
		u := &ops[i]
		if u.code == uSetp || u.code == uKill || u.code == uFetch || u.code == uDiv {
			continue
		}
		kinds := uint8(0)
		for lane, x := range &m.r[u.dst] {
			if on>>lane&1 == 0 {
				continue
			}
			// The norm factor of a zero vector is a special case.
			if kinds |= kindOf(x); isWild(x) || u.code == uNormFactor && isWild(1/m.r[u.src[0]][lane]) {
				s.lanes |= 1 << lane
			}
		}
		if u.dst < scratchSlots {
			continue // an intermediate result
		}
		if old := s.kinds[u]; kinds&^old != 0 {
			s.kinds[u] = old | kinds
			s.Fresh++
		}
	}
}

// recordBranch records the lanes of on in which a condition held.
func (s *Seen) recordBranch(at *stmt, on, holds uint64) {
	way := uint8(0)
	if on&holds != 0 {
		way |= 1
	}
	if on&^holds != 0 {
		way |= 2
	}
	if old := s.falls[at]; way&^old != 0 {
		s.falls[at] = old | way
		s.Fresh++
	}
}

// DrawSeen draws within a budget and records the behaviour of the programs in s.
func DrawSeen(vs, ps *Shader, c *Case, n Numerics, b *budget.Budget, s *Seen) (*Image, error) {
	return drawWithin(vs, ps, c, n, bounds{steps: runSteps, budget: b, seen: s})
}
