package opt

import (
	"context"
	"runtime"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// RunKernel interprets one launch of an AMD IL kernel. It returns the result and the case that it ran:
// Options.Kernel.Case, or else the one that kernel.DefaultCase generates from Options.Seed.
func RunKernel(ctx context.Context, in Input, o Options) (result *interpreter.Result, used *interpreter.Case,
	err error) {
	var res *Result
	j := job{Options: o, ctx: ctx}
	defer j.canceled(&res, &err)
	defer recovered(&Fault{Task: TaskRun, Input: in, Options: o}, &res, &err)
	defer j.begin()()
	if in.Kind() != input.KindKernel {
		return nil, nil, asm.Errorf(asm.Pos{File: in.Path()}, "needs-kernel", "a launch needs an AMD IL kernel")
	}
	k, err := input.ReadKernel(in)
	if err != nil {
		return nil, nil, err
	}
	p, err := interpreter.Compile(k)
	if err != nil {
		return nil, nil, err
	}
	c := o.Kernel.Case
	if c == nil {
		c = interpreter.DefaultCase(k, kernel.DefaultSeed+o.Seed)
	}
	result, err = p.Run(c, interpreter.Options{Workers: runtime.GOMAXPROCS(0), Budget: j.spend.whole})
	return result, c, err
}
