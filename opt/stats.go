package opt

import (
	"context"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/opt/explain"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/vsps"
)

// Stats prices an input without changes. The error is diagnostics of unreadable input.
func Stats(ctx context.Context, in Input, o Options) (*Result, error) {
	in, err := o.selected(in, false)
	if err != nil {
		return Failure(in, err), err
	}
	return job{Options: o, ctx: ctx}.stats(in, false)
}

// stats prices an input within a job; effects call it for each of their parts. If all is set, it prices a
// kernel on all generated launches.
func (o job) stats(in Input, all bool) (*Result, error) {
	return o.contained(&Fault{Task: TaskStats, Input: in, Options: o.Options}, func(o job, res *Result) error {
		switch {
		case asm.BuiltSPIRV && in.Kind() == input.KindModule:
			return o.moduleStats(in, res)
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
		res.Varyings = omittable(programs)
		return nil
	})
}

// omittable lists the interpolated components that a pair could omit, and none for programs that cannot be lifted.
func omittable(programs []*d3d9.Program) []codemotion.Component {
	if len(programs) != 2 {
		return nil
	}
	vertex, err := vsps.Lift(programs[0])
	if err != nil {
		return nil
	}
	pixel, err := vsps.Lift(programs[1])
	if err != nil {
		return nil
	}
	link, err := vsps.Link(programs[0], programs[1])
	if err != nil {
		return nil
	}
	return codemotion.Components(vertex, pixel, link)
}

// Instructions prices like Stats and also lists the price of every instruction in Result.Programs; for
// an effect, in those of its parts. It omits declarations, labels and comments.
func Instructions(ctx context.Context, in Input, o Options) (*Result, error) {
	j := job{Options: o, ctx: ctx}
	in, err := o.selected(in, false)
	if err != nil {
		return Failure(in, err), err
	}
	res, err := j.stats(in, false)
	if err != nil {
		return res, err
	}
	switch res.Kind {
	case input.KindModule: // without a price for each instruction
	case input.KindKernel:
		defer j.begin()()
		_, _, s, err := compile(in, j)
		if err != nil {
			return res.failWith(err)
		}
		res.Programs = []explain.Program{explain.MachineProgram(in.Files[0].Name, s)}
	case input.KindEffect:
		err := eachPart(in, func(i int, part Input, programs []*d3d9.Program) error {
			res.Parts[i].Programs = j.price(part, programs)
			return nil
		})
		if err != nil {
			return res.failWith(err)
		}
	default:
		programs, err := input.ReadPrograms(in)
		if err != nil {
			return res.failWith(err)
		}
		res.Programs = j.price(in, programs)
	}
	return res, nil
}

// price prices the instructions of the programs of in.
func (o job) price(in Input, programs []*d3d9.Program) []explain.Program {
	list := explain.Price(in.FileNames(), programs)
	if costs, err := o.instructionCosts(unbounded(o.ctx).whole, programs); err == nil { // else draws have the reason
		costs.Add(programs, list)
	}
	return list
}

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
	if _, err = kernel.Machine(string(o.Target)); err != nil {
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
