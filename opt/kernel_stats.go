package opt

import (
	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/ir/tile"
	"github.com/shaderlift/shaderlift/machine/sched"
)

// kernelStats prices a kernel without changes.
func kernelStats(in Input, o job, res *Result) error {
	k, f, s, err := compile(in, o)
	if err != nil {
		return err
	}
	if err := o.promise(res); err != nil {
		return err
	}
	list, err := o.launches(k, f, s, o.allLaunches)
	if err != nil {
		return err
	}
	for i := range list {
		l := &list[i]
		c, _ := o.kernelCost(s, simLaunch(k, l.c))
		if l.before = c.Cycles; i == 0 {
			o.unported(&c, f, s.Target)
			res.Kernel = &KernelCosts{Target: s.Target.Name, Before: c}
		}
		res.Launches = append(res.Launches, l.record(tile.Tile{}, 0, 0))
	}
	return o.spend.whole.Err()
}

// kernelListing returns a possible machine program of a kernel.
func kernelListing(in Input, o job) ([]byte, error) {
	_, _, s, err := compile(in, o)
	if err != nil {
		return nil, err
	}
	return r600.Print(s.Program), nil
}

// compile reads and lifts a kernel and compiles it for the target of o.
func compile(in Input, o job) (k *il.Kernel, f *ir.Func, s *sched.Scheduled, err error) {
	if _, err = o.machine(); err != nil {
		return
	}
	if k, err = readKernel(in); err != nil {
		return
	}
	if f, err = amdil.Lift(k); err != nil {
		return
	}
	s, err = o.schedule(f)
	return
}
