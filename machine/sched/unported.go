package sched

import "github.com/shaderlift/shaderlift/budget"

// Unported is how many groups s would have without the read ports of registers and constants
// ([Options.NoPorts]), found out at the expense of b.
func (s *Scheduled) Unported(b *budget.Budget) (int, error) {
	o := Options{NoPorts: true, Budget: b}
	o.fill()
	free, err := schedule(s.Code, s.Target, o)
	if err != nil {
		return 0, err
	}
	return min(free.Stats.Groups, s.Stats.Groups), nil
}
