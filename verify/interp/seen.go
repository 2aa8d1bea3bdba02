package interp

import (
	"math"

	"github.com/shaderlift/shaderlift/budget"
)

// Seen collects what kinds of numbers statements have computed in any invocation, and which
// way conditions fell: what of a program inputs have exercised. Programs turn where numbers
// change their kind: below zero a texkill drops and a cmp chooses, above one a saturation
// cuts.
type Seen struct {
	// By operation, the kinds of what it has computed; by statement, the ways its condition fell.
	kinds map[*uop]uint8
	falls map[*stmt]uint8
	// Fresh is how often something was met for the first time.
	Fresh int
	// Left are digests of what the temporary registers held in the end, one of each
	// component, of the vertex program first.
	Left []uint64
	// Wild tells at which pixels or invocations something was computed that is no ordinary number, and
	// WildVertex that it was by the vertex program of a draw.
	Wild       map[int]bool
	WildVertex bool

	lanes uint64 // that are wild in this batch
}

// Forget forgets what is about one execution.
func (s *Seen) Forget() { s.Left, s.Wild, s.WildVertex = s.Left[:0], nil, false }

// wild notes that something was wild at a pixel or invocation.
func (s *Seen) wild(at int) {
	if s.Wild == nil {
		s.Wild = map[int]bool{}
	}
	s.Wild[at] = true
}

// NewSeen is what nothing has been met by.
func NewSeen() *Seen { return &Seen{kinds: map[*uop]uint8{}, falls: map[*stmt]uint8{}} }

// leave takes in what registers hold at the end of a batch, by a hash for each component (FNV-1a, of
// words). Batches of a program follow each other.
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

// isWild reports whether x is no number, or so large or small that it comes of a division by
// zero or nearly leads to one: an interpreter may take 1/0 for the largest number.
func isWild(x float32) bool {
	const low, high = (127 - 60) << 23, (127 + 60) << 23
	b := math.Float32bits(x) &^ (1 << 31)
	return b >= high || b != 0 && b < low
}

// numbers takes in what ops have written in the lanes of on. Numbers in scratch may be wild, but have no
// kind.
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
			// That of a vector of no length has a factor of its own.
			if kinds |= kindOf(x); isWild(x) || u.code == uNormFactor && isWild(1/m.r[u.src[0]][lane]) {
				s.lanes |= 1 << lane
			}
		}
		if u.dst < scratchSlots {
			continue // on the way to a result
		}
		if old := s.kinds[u]; kinds&^old != 0 {
			s.kinds[u] = old | kinds
			s.Fresh++
		}
	}
}

// fall takes in in which lanes of on a condition held.
func (s *Seen) fall(at *stmt, on, holds uint64) {
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

// DrawSeen is Draw at the expense of a budget, and adds to what of the programs has been seen.
func DrawSeen(vs, ps *Shader, c *Case, n Numerics, b *budget.Budget, s *Seen) (*Image, error) {
	return drawWithin(vs, ps, c, n, bounds{steps: DefaultSteps, budget: b, seen: s})
}
