package opt

import (
	"context"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt/input"
)

// Stats prices an input without changes. The error is diagnostics of unreadable input.
func Stats(ctx context.Context, in Input, o Options) (*Result, error) {
	return job{Options: o, ctx: ctx}.stats(in, false)
}

// stats prices an input within a job; effects call it for each of their parts. If all is set, it prices a
// kernel on all generated launches.
func (o job) stats(in Input, all bool) (*Result, error) {
	return o.contained(&Fault{Task: TaskStats, Input: in, Options: o.Options}, func(o job, res *Result) error {
		switch {
		case asm.BuiltKernels && in.Kind() == input.KindKernel || !asm.BuiltD3D9:
			return kernelStats(in, o, all, res)
		case in.Kind() == input.KindEffect:
			return o.effectStats(in, res)
		}
		programs, err := input.ReadPrograms(in)
		if err != nil {
			return err
		}
		res.before(programs)
		if err := res.draws(&o.Options, unbounded(o.ctx).whole, programs); err != nil {
			return err
		}
		remarkLinks(res, programs)
		return nil
	})
}
