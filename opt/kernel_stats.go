package opt

import (
	"context"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
)

// kernelStats prices a kernel without changes, on the typical launch or on all generated launches.
func kernelStats(in Input, o job, all bool, res *Result) error {
	k, f, s, err := compile(in, o)
	if err != nil {
		return err
	}
	if o.known, err = o.promise(res); err != nil {
		return err
	}
	settings := o.kernelSettings()
	list, err := settings.WorkloadsOf(k, f, s, all)
	if err != nil {
		return err
	}
	for i := range list {
		l := &list[i]
		c, _ := settings.Cost(s, kernel.SimLaunch(k, l.Case))
		if l.Before = c.Cycles; i == 0 {
			settings.Unported(&c, f, s.Target)
			res.Kernel = &kernel.Costs{Target: s.Target.Name, Before: c}
		}
		res.Launches = append(res.Launches, l.Record(ir.Tile{}, 0, 0))
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

// Launches generates the launches on which Optimize prices a kernel, and prices the kernel on them.
func Launches(ctx context.Context, in Input, o Options) ([]kernel.Launch, error) {
	res, err := job{Options: o, ctx: ctx}.stats(in, true)
	if err != nil {
		return nil, err
	}
	if res.Kernel == nil {
		return nil, asm.Errorf(asm.Pos{File: in.Path()}, "needs-kernel", "launches are made up for an AMD IL kernel")
	}
	return res.Launches, nil
}

// compile reads and lifts a kernel and compiles it for the target of o.
func compile(in Input, o job) (k *il.Kernel, f *ir.Func, s *sched.Scheduled, err error) {
	if _, err = kernel.Machine(o.Target); err != nil {
		return
	}
	if k, err = input.ReadKernel(in); err != nil {
		return
	}
	if f, err = amdil.Lift(k); err != nil {
		return
	}
	settings := o.kernelSettings()
	s, err = settings.Compile(f)
	return
}
