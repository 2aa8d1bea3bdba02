package opt

import (
	"context"

	"github.com/shaderlift/shaderlift/internal/lang"
)

// Stats prices an input without changes. The error is diagnostics of unreadable input.
func Stats(ctx context.Context, in Input, o Options) (*Result, error) {
	return job{Options: o, ctx: ctx}.stats(in, false)
}

// stats prices an input within a job; effects call it for each of their parts. If all is set, it prices a
// kernel on all generated launches.
func (o job) stats(in Input, all bool) (res *Result, err error) {
	defer o.canceled(&res, &err)
	defer recovered(&Fault{Task: TaskStats, Input: in, Options: o.Options}, &res, &err)
	res = newResult(in)
	if err := o.Check(in.Kind()); err != nil {
		return res.failWith(err)
	}
	defer o.begin()()
	if lang.Kernels && isKernel(in) || !lang.D3D9 {
		if err := kernelStats(in, o, all, res); err != nil {
			return res.failWith(err)
		}
		return res, nil
	}
	if isEffect(in) {
		if err := o.effectStats(in, res); err != nil {
			return res.failWith(err)
		}
		return res, nil
	}
	programs, err := readPrograms(in)
	if err != nil {
		return res.failWith(err)
	}
	res.before(programs)
	if err := res.draws(&o.Options, unbounded(o.ctx).whole, programs); err != nil {
		return res.failWith(err)
	}
	remarkLinks(res, programs)
	return res, nil
}
