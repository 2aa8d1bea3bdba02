package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// savings estimates how many pixel slots a selection of candidates saves: those of
// the instructions that nothing reads any more.
type savings struct {
	f     *ir.Func
	uses  []int32           // readers by value, less those of what is selected
	alive map[*ir.Instr]int // written lanes that are still read
}

func newSavings(f *ir.Func) *savings {
	s := &savings{f: f, uses: f.Uses(), alive: map[*ir.Instr]int{}}
	f.Walk(func(in *ir.Instr) {
		for _, v := range in.Out {
			if v != nil && s.uses[v.ID] > 0 {
				s.alive[in]++
			}
		}
	})
	return s
}

// take removes the readers of c (by = -1) or puts them back (by = 1) and returns
// the slots of the instructions that die or come back, moves of inputs included.
func (s *savings) take(c *candidate, by int32) (slots int) {
	slots = c.moves
	for range c.uses {
		for _, l := range c.lanes {
			if l.V != nil {
				slots += s.count(l.V, by)
			}
		}
	}
	return slots
}

func (s *savings) count(v *ir.Value, by int32) (slots int) {
	was := s.uses[v.ID]
	s.uses[v.ID] += by
	in := v.Def
	if in == nil || (was > 0) == (s.uses[v.ID] > 0) {
		return 0
	}
	before := s.alive[in]
	s.alive[in] += int(by)
	if (before > 0) == (s.alive[in] > 0) {
		return 0 // other lanes keep it
	}
	slots = s.f.Dialect.Slots(in)
	for k := range in.Src {
		for _, l := range in.Src[k] {
			if l.V != nil {
				slots += s.count(l.V, by)
			}
		}
	}
	return slots
}

// worth orders candidates by what each adds for the components it takes when
// chosen greedily, drops those that add nothing even with all others, and keeps
// the order of the program among equals.
func (s *savings) worth(all []*candidate) []*candidate {
	for _, c := range all {
		s.take(c, -1)
	}
	var keep []*candidate
	for _, c := range all {
		if s.take(c, 1) > 0 {
			keep = append(keep, c)
		}
		s.take(c, -1)
	}
	for _, c := range all {
		s.take(c, 1)
	}
	slices.SortStableFunc(keep, func(a, b *candidate) int { return s.density(b) - s.density(a) })
	return keep
}

// density is the savings of c alone, a hundredth slot a component.
func (s *savings) density(c *candidate) int {
	n := s.take(c, -1)
	s.take(c, 1)
	return 100 * n / len(c.distinct())
}

// without drops from a selection the candidate that contributes least for the
// components it takes.
func (s *savings) without(pick []*candidate) []*candidate {
	for _, c := range pick {
		s.take(c, -1)
	}
	worst, least := 0, 1<<30
	for i := len(pick) - 1; i >= 0; i-- {
		c := pick[i]
		n := 100 * s.take(c, 1) / len(c.distinct())
		s.take(c, -1)
		if n < least {
			worst, least = i, n
		}
	}
	for _, c := range pick {
		s.take(c, 1)
	}
	return slices.Delete(slices.Clone(pick), worst, worst+1)
}
