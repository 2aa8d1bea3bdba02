package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// savings estimates how many pixel slots a selection of candidates saves: the slots of instructions that
// become dead. It is reference counting. Selecting a candidate removes its readers, and an instruction
// without readers dies, together with operands that only it reads. Taking and putting back are exact
// inverses, in any order.
type savings struct {
	f     *ir.Func
	uses  []int32           // readers by value, without the selected ones
	alive map[*ir.Instr]int // written lanes that are still read
}

// newSavings counts the readers in f with nothing selected.
func newSavings(f *ir.Func) *savings {
	s := &savings{f: f, uses: f.UseCounts(), alive: map[*ir.Instr]int{}}
	f.Walk(func(in *ir.Instr) {
		for _, v := range in.Out {
			if v != nil && s.uses[v.ID] > 0 {
				s.alive[in]++
			}
		}
	})
	return s
}

// adjustReaders removes the readers of c (by = -1) or puts them back (by = 1). It returns the slots of the
// instructions that die or come back, moves of inputs included.
func (s *savings) adjustReaders(c *candidate, by int32) (slots int) {
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

// count changes the readers of v, and returns the slots of the instructions that die or come back.
func (s *savings) count(v *ir.Value, by int32) (slots int) {
	old := s.uses[v.ID]
	s.uses[v.ID] += by
	in := v.Def
	if in == nil || (old > 0) == (s.uses[v.ID] > 0) {
		return 0
	}
	before := s.alive[in]
	// The instruction dies when none of its lanes is read.
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

// worth sorts candidates by greedy priority, their savings per component. It drops candidates that save
// nothing even with all others, and keeps program order among equals.
func (s *savings) worth(all []*candidate) []*candidate {
	for _, c := range all {
		s.adjustReaders(c, -1)
	}
	var keep []*candidate
	for _, c := range all {
		if s.adjustReaders(c, 1) > 0 {
			keep = append(keep, c)
		}
		s.adjustReaders(c, -1)
	}
	for _, c := range all {
		s.adjustReaders(c, 1)
	}
	slices.SortStableFunc(keep, func(a, b *candidate) int { return s.density(b) - s.density(a) })
	return keep
}

// density returns the savings of c alone, in hundredths of a slot per component.
func (s *savings) density(c *candidate) int {
	n := s.adjustReaders(c, -1)
	s.adjustReaders(c, 1)
	return 100 * n / len(c.distinct())
}

// contributions returns the marginal savings of each candidate in a selection: the slots it saves that the
// others do not. Candidates share producers.
func (s *savings) contributions(pick []*candidate) []int {
	for _, c := range pick {
		s.adjustReaders(c, -1)
	}
	list := make([]int, len(pick))
	for i, c := range pick {
		list[i] = s.adjustReaders(c, 1)
		s.adjustReaders(c, -1)
	}
	for _, c := range pick {
		s.adjustReaders(c, 1)
	}
	return list
}

// unread returns the components of inputs that nothing reads once a selection has moved.
func (s *savings) unread(pick []*candidate) map[ir.Reg]bool {
	regs := map[ir.Reg]bool{}
	see := func(v *ir.Value) {
		if v.Kind == ir.Input {
			regs[v.Home] = s.uses[v.ID] == 0
		}
	}
	for _, c := range pick {
		s.adjustReaders(c, -1)
	}
	indexed := false
	s.f.Walk(func(in *ir.Instr) {
		indexed = indexed || in.Op == ir.OpLoad
		in.EachUse(func(l *ir.Lane) { see(l.V) })
	})
	for _, o := range s.f.Outs {
		see(o.V)
	}
	for _, c := range pick {
		s.adjustReaders(c, 1)
	}
	if indexed { // it may read any of them
		return nil
	}
	return regs
}

// without drops from a selection the candidate that saves least per component.
func (s *savings) without(pick []*candidate) []*candidate {
	worst, least := 0, 1<<30
	saves := s.contributions(pick)
	for i := len(pick) - 1; i >= 0; i-- {
		if n := 100 * saves[i] / len(pick[i].distinct()); n < least {
			worst, least = i, n
		}
	}
	return slices.Delete(slices.Clone(pick), worst, worst+1)
}
