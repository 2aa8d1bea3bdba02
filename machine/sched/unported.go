package sched

import (
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// Unported returns the number of groups that list scheduling packs c into without the read ports of registers
// and constants ([Options.NoPorts]). By chance it can exceed the number with them. The work counts against b.
func Unported(c *mir.Code, t *chip.Target, b *budget.Budget) (int, error) {
	free, err := scheduleOnce(c, t, Options{NoPorts: true, Budget: b})
	if err != nil {
		return 0, err
	}
	return free.Stats.Groups, nil
}
