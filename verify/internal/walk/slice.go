package walk

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// slice computes a value in the body of a loop from its dependences, as a program over words (program
// slicing: Weiser, 1981). Running it trip by trip finds the trip on which a break is taken, without executing
// the rest of the body. One slice serves several values in turn and keeps its analysis, because the tests of
// many breaks depend on each other.
type slice struct {
	in      *ir.Instr
	literal func(v *ir.Value) (uint32, bool) // value of a definition outside the loop
	inside  func(v *ir.Value) bool
	param   map[*ir.Value]int
	// open are the values that do not follow from literals. closed are those that do, if the carried values
	// in reached do too. followed counts the reached values that were followed to the next trip.
	open, closed map[*ir.Value]bool
	reached      []int
	followed     int

	slots   map[*ir.Value]int
	words   []uint32    // by slot
	code    []*ir.Value // in order of computation
	carried []int       // numbers of the carried values in code
	given   []uint32    // literals from which it starts
}

func newSlice(in *ir.Instr, inside func(*ir.Value) bool, literal func(*ir.Value) (uint32, bool)) *slice {
	s := &slice{in: in, literal: literal, inside: inside, param: map[*ir.Value]int{}, open: map[*ir.Value]bool{},
		closed: map[*ir.Value]bool{}}
	for k, p := range in.Sub[0].Params {
		s.param[p] = k
	}
	return s
}

// extractFor makes s a program for v on this trip and later ones, and reports whether v follows from literals alone.
// A carried value does so only if its initial value and its next value do, which of assumes at first. If that
// fails, the value is open and the search starts over, at most once for each carried value.
func (s *slice) extractFor(v *ir.Value) bool {
	body := s.in.Sub[0]
	for s.follows(v) {
		some := false
		for ; s.followed < len(s.reached); s.followed++ {
			if k := s.reached[s.followed]; !s.follows(body.Results[k]) {
				s.open[body.Params[k]], some = true, true
			}
		}
		if !some {
			s.slots, s.words, s.code, s.carried, s.given = map[*ir.Value]int{}, nil, nil, nil, nil
			s.visit(v)
			for i := 0; i < len(s.carried); i++ {
				s.visit(body.Results[s.carried[i]])
			}
			return true
		}
		clear(s.closed) // values that reach these are open
		s.reached, s.followed = s.reached[:0], 0
	}
	return false
}

// follows reports whether v follows from literals, if the carried values that it reaches do. Ops must not
// have modifiers, predicates or immediates, or read neighbours.
func (s *slice) follows(v *ir.Value) bool {
	if s.closed[v] || s.open[v] {
		return s.closed[v]
	}
	k, carried := s.param[v]
	ok := true
	switch {
	case carried:
		_, ok = s.literal(s.in.Args[k])
		s.reached = append(s.reached, k)
	case !s.inside(v):
		_, ok = s.literal(v)
	default:
		in := v.Def
		ok = plain(v) && !in.Op.Has(ir.Convergent)
		if ok {
			eachRead(v, func(_, _ int, l *ir.Lane) { ok = ok && l.Mod&ir.Not == 0 && s.follows(l.V) })
		}
	}
	if ok {
		s.closed[v] = true
	} else {
		s.open[v] = true
	}
	return ok
}

// visit adds v and its dependences to the program, operands first. v must follow from literals.
func (s *slice) visit(v *ir.Value) {
	if _, ok := s.slots[v]; ok {
		return
	}
	k, carried := s.param[v]
	switch from := v; {
	case carried:
		from = s.in.Args[k]
		s.carried = append(s.carried, k)
		fallthrough
	case !s.inside(v):
		bits, _ := s.literal(from)
		s.given = append(s.given, bits)
		s.add(v, bits)
	default:
		eachRead(v, func(_, _ int, l *ir.Lane) { s.visit(l.V) })
		s.code = append(s.code, v)
		s.add(v, 0)
	}
}

// eachRead visits the lanes that the instruction of v reads to compute v.
func eachRead(v *ir.Value, visit func(src, lane int, l *ir.Lane)) {
	for i := range v.Def.Src {
		reads := v.Def.ReadsFor(i, 1<<v.Lane)
		v.Def.Src[i].EachLane(func(lane int, l *ir.Lane) {
			if reads>>lane&1 != 0 {
				visit(i, lane, l)
			}
		})
	}
}

func (s *slice) add(v *ir.Value, bits uint32) {
	s.slots[v] = len(s.words)
	s.words = append(s.words, bits)
}

// evaluateTrip computes the values of a trip. It reports whether nothing was rounded, so that the result is the same
// under any numerics: a float sum counts only if it is exact.
func (s *slice) evaluateTrip() bool {
	w := ir.Words{Fold: true}
	for _, v := range s.code {
		in := v.Def
		var bits [4][4]uint32
		eachRead(v, func(i, lane int, l *ir.Lane) { bits[i][lane] = modified(s.words[s.slots[l.V]], l.Mod) })
		if in.Op != ir.OpMov && !in.Op.Has(ir.OnWords) && !words.Exact(in.Op, int(v.Lane), &bits) {
			return false
		}
		s.words[s.slots[v]] = ir.Eval(&w, in.Op, int(v.Lane), func(i, lane int) uint32 { return bits[i][lane] })
	}
	return w.Fold
}

// modified applies the modifiers of a source to a word.
func modified(bits uint32, m ir.LaneMod) uint32 {
	if m&ir.Abs != 0 {
		bits &^= symbolic.SignBit
	}
	if m&ir.Neg != 0 {
		bits ^= symbolic.SignBit
	}
	return bits
}

// count runs the loop until test holds, or until pay refuses a trip. It records in e the number of trips and
// the values at the start of each. It returns false if the loop makes more than maxTrips, or rounds.
func (s *slice) count(e *exactLoop, test ir.Lane, pay func(cells int) error) bool {
	e.keys = s.carried
	for ; e.trips <= maxTrips; e.trips++ {
		for _, k := range s.carried {
			e.start = append(e.start, s.words[s.slots[s.in.Sub[0].Params[k]]])
		}
		if pay(len(s.code)) != nil || !s.evaluateTrip() {
			return false
		}
		if s.words[s.slots[test.V]] != 0 == (test.Mod&ir.Not == 0) {
			return true
		}
		s.advance()
	}
	return false
}

// advance assigns the carried values for the next trip.
func (s *slice) advance() {
	body := s.in.Sub[0]
	next := make([]uint32, len(s.carried))
	for i, k := range s.carried {
		next[i] = s.words[s.slots[body.Results[k]]]
	}
	for i, k := range s.carried {
		s.words[s.slots[body.Params[k]]] = next[i]
	}
}
