package sched

import "github.com/shaderlift/shaderlift/internal/budget"

// Unported returns the number of groups that s would have without the read ports of registers and
// constants ([Options.NoPorts]). The work counts against b.
func (s *Scheduled) Unported(b *budget.Budget) (int, error) {
	o := Options{NoPorts: true, Budget: b}
	free, err := schedule(s.Code, s.Target, o)
	if err != nil {
		return 0, err
	}
	return min(free.Stats.Groups, s.Stats.Groups), nil
}
