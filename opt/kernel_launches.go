package opt

import (
	"fmt"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir/tile"
	"github.com/shaderlift/shaderlift/machine/sim"
)

// launch returns launch i for versions of tile t, in the form of package sim.
func (k *kernel) launch(i int, t tile.Tile) *sim.Launch {
	return simLaunch(k.kernel, tiledCase(k.launches[i].c, t, k.outputs()))
}

// outputs returns the number of outputs of the input kernel.
func (k *kernel) outputs() int { return int(amdil.Outputs(k.kernel)) }

// timeLaunches simulates version, of tile t, on all launches. v is its result on the typical one.
func (k *kernel) timeLaunches(v *timedKernel, version *il.Kernel, t tile.Tile) error {
	if v.launches != nil {
		return nil
	}
	s, err := k.programOf(version, meaningOf(version))
	if err != nil {
		return err
	}
	v.launches = append(v.launches, v.cost.Cycles)
	for i := range k.launches[1:] {
		c, _ := k.z.o.kernelCost(s, k.launch(1+i, t))
		v.launches = append(v.launches, c.Cycles)
	}
	return nil
}

// slower names the first launch on which version v takes more than Threshold longer than the input, and the
// difference. It returns an empty string if there is no such launch.
func (k *kernel) slower(v *timedKernel) string {
	for i, l := range k.launches {
		after := v.launches[i]
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
			list = append(list, l.record(c.tile, k.outputs(), c.timed.launches[i]))
		}
	}
	return list
}
