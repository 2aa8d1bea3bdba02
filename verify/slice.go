package verify

import "github.com/shaderlift/shaderlift/ir"

// slice is what a value depends on in the body of a loop, as a program over words.
type slice struct {
	in      *ir.Instr
	literal func(v *ir.Value) (uint32, bool) // of what is defined outside the loop
	inside  map[*ir.Value]bool
	slots   map[*ir.Value]int
	words   []uint32    // by slot
	code    []*ir.Value // computed in this order
	carried []int       // the carried values among them
	given   []uint32    // the literals that it starts from
}

func newSlice(in *ir.Instr, literal func(*ir.Value) (uint32, bool)) *slice {
	s := &slice{in: in, literal: literal, inside: map[*ir.Value]bool{}, slots: map[*ir.Value]int{}}
	in.Sub[0].Walk(func(x *ir.Instr) {
		x.EachDef(func(v *ir.Value) { s.inside[v] = true })
		for _, sub := range x.Sub {
			for _, p := range sub.Params {
				s.inside[p] = true
			}
		}
	})
	return s
}

// of makes s a program for v, on this trip and later ones, and reports whether it is one.
func (s *slice) of(v *ir.Value) bool {
	body := s.in.Sub[0]
	param := map[*ir.Value]int{}
	for k, p := range body.Params {
		param[p] = k
	}
	ok := s.visit(v, param)
	for i := 0; ok && i < len(s.carried); i++ {
		ok = s.visit(body.Results[s.carried[i]], param)
	}
	return ok
}

func (s *slice) visit(v *ir.Value, param map[*ir.Value]int) bool {
	if _, ok := s.slots[v]; ok {
		return true
	}
	k, carried := param[v]
	switch from := v; {
	case carried:
		from = s.in.Args[k]
		s.carried = append(s.carried, k)
		fallthrough
	case !s.inside[v]:
		bits, ok := s.literal(from)
		s.given = append(s.given, bits)
		s.add(v, bits)
		return ok
	}
	in := v.Def
	ok := in != nil && in.Op.HasFormula() && in.Mods == 0 && in.Imm == 0 && !in.IsPredicated() && !in.Op.Has(ir.Convergent)
	for i := 0; ok && i < len(in.Src); i++ {
		reads := in.ReadsFor(i, 1<<v.Lane)
		in.Src[i].Each(func(lane int, l *ir.Lane) {
			if reads>>lane&1 != 0 {
				ok = ok && l.Mod&ir.Not == 0 && s.visit(l.V, param)
			}
		})
	}
	if ok {
		s.code = append(s.code, v)
		s.add(v, 0)
	}
	return ok
}

func (s *slice) add(v *ir.Value, bits uint32) {
	s.slots[v] = len(s.words)
	s.words = append(s.words, bits)
}

// run computes the values of a trip and reports whether nothing was rounded.
func (s *slice) run() bool {
	w := ir.Words{Fold: true}
	for _, v := range s.code {
		in := v.Def
		var bits [4][4]uint32
		for i := range in.Src {
			reads := in.ReadsFor(i, 1<<v.Lane)
			in.Src[i].Each(func(lane int, l *ir.Lane) {
				if reads>>lane&1 != 0 {
					bits[i][lane] = modified(s.words[s.slots[l.V]], l.Mod)
				}
			})
		}
		if in.Op != ir.OpMov && !in.Op.Has(ir.OnWords) && !exact(in.Op, int(v.Lane), &bits) {
			return false
		}
		s.words[s.slots[v]] = ir.Eval(&w, in.Op, int(v.Lane), func(i, lane int) uint32 { return bits[i][lane] })
	}
	return w.Fold
}

// modified applies the modifiers of a source to a word.
func modified(bits uint32, m ir.LaneMod) uint32 {
	if m&ir.Abs != 0 {
		bits &^= signBit
	}
	if m&ir.Neg != 0 {
		bits ^= signBit
	}
	return bits
}

// count runs the loop until test holds. It notes in e how many trips that are and how
// each starts.
func (s *slice) count(e *exactLoop, test ir.Lane) bool {
	body := s.in.Sub[0]
	e.keys = s.carried
	next := make([]uint32, len(s.carried))
	for ; e.trips <= maxTrips; e.trips++ {
		for _, k := range s.carried {
			e.start = append(e.start, s.words[s.slots[body.Params[k]]])
		}
		if !s.run() {
			return false
		}
		if s.words[s.slots[test.V]] != 0 == (test.Mod&ir.Not == 0) {
			return true
		}
		for i, k := range s.carried {
			next[i] = s.words[s.slots[body.Results[k]]]
		}
		for i, k := range s.carried {
			s.words[s.slots[body.Params[k]]] = next[i]
		}
	}
	return false
}
