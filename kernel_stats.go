package shaderlift

import (
	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/sched"
)

// kernelStats prices a kernel as it is.
func kernelStats(in Input, o job, res *Result) error {
	k, _, s, err := compile(in, o)
	if err != nil {
		return err
	}
	res.Kernel = &KernelCosts{Target: s.Target.Name, Before: o.costOf(k, s)}
	return nil
}

// kernelListing is the program that a compiler might make of a kernel.
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
