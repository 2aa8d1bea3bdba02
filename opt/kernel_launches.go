package opt

import (
	"fmt"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/ir/tile"
	"github.com/shaderlift/shaderlift/machine/sim"
)

// launch returns launch i for versions of tile t, in the form of package sim.
func (k *kernel) launch(i int, t tile.Tile) *sim.Launch {
	return simLaunch(k.kernel, tiledCase(k.launches[i].c, t, k.outputs()))
}

// outputs returns the number of outputs of the input kernel.
func (k *kernel) outputs() int { return int(amdil.Outputs(k.kernel)) }

// cyclesOn returns the cycles of version v, of tile t, on launch i.
func (k *kernel) cyclesOn(i int, v *timedKernel, t tile.Tile) float64 {
	if i == 0 {
		return v.cost.Cycles
	}
	c, _ := k.z.o.kernelCost(v.program, k.launch(i, t))
	return c.Cycles
}

// slower names the first launch on which version v, of tile t, takes more than Threshold longer than
// the input, and the difference. It returns an empty string if there is no such launch.
func (k *kernel) slower(v *timedKernel, t tile.Tile) string {
	for i, l := range k.launches {
		after := k.cyclesOn(i, v, t)
		if after > l.before*(1+Threshold) {
			return fmt.Sprintf("on launch %q, a version that is faster on launch %q takes %.1f %% more cycles than the input: %.0f, not %.0f",
				l.name, k.launches[0].name, percent(l.before, after), after, l.before)
		}
	}
	return ""
}

// recorded returns the launches in their report form, with the times of candidate c, or of the input if
// c is nil.
func (k *kernel) recorded(c *candidate) (list []Launch) {
	for i := range k.launches {
		l := &k.launches[i]
		if c == nil {
			list = append(list, l.record(tile.Tile{}, 0, l.before))
		} else {
			list = append(list, l.record(c.tile, k.outputs(), k.cyclesOn(i, c.timed, c.tile)))
		}
	}
	return list
}
