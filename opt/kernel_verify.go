package opt

import (
	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// verifyKernels compares two versions of a kernel. If both can be priced on the same target, the result
// also has their costs.
func verifyKernels(before, after Input, o job, by effort, res *Result) error {
	old, err := input.ReadKernel(before)
	if err != nil {
		return err
	}
	now, err := input.ReadKernel(after)
	if err != nil {
		return err
	}
	if o.known, err = o.promise(res); err != nil {
		return err
	}
	least, err := o.least()
	if err != nil {
		return err
	}
	t := o.Kernel.Coarsen
	res.Coarsened = kernel.Coarsen(t, int(amdil.Outputs(old)))
	if c := o.Kernel.Case; c != nil {
		if err := c.Executable(); err != nil {
			return err
		}
	}
	report := judgeKernels(old, now, t, o.Numerics, o, by)
	if err := res.refused(report, least, &o.Options); err != nil {
		return err
	}
	return o.compared(old, now, t, res)
}

// compared records in res the costs of two versions of a kernel on the launches of the first, if both
// compile for the same target. A thread of the second version does the work of tile t.
func (o *job) compared(old, now *il.Kernel, t ir.Tile, res *Result) error {
	settings := o.kernelSettings()
	f, s := compiled(&settings, old)
	g, program := compiled(&settings, now)
	if s == nil || program == nil || s.Target.Name != program.Target.Name {
		return nil
	}
	list, err := settings.WorkloadsOf(old, f, s, false)
	if err != nil {
		return err
	}
	outputs := int(amdil.Outputs(old))
	for i := range list {
		l := &list[i]
		before, _ := settings.Cost(s, kernel.SimLaunch(old, l.Case))
		after, _ := settings.Cost(program, kernel.SimLaunch(now, kernel.Tiled(l.Case, t, outputs)))
		l.Before = before.Cycles
		res.Launches = append(res.Launches, l.Record(t, outputs, after.Cycles))
		if i == 0 {
			settings.Unported(&before, f, s.Target)
			settings.Unported(&after, g, s.Target)
			res.Kernel = &kernel.Costs{Target: s.Target.Name, Before: before, After: &after}
		}
	}
	return nil
}

// compiled lifts and compiles k. It returns nil if the kernel cannot be compiled.
func compiled(o *kernel.Settings, k *il.Kernel) (*ir.Func, *sched.Scheduled) {
	f, err := amdil.Lift(k)
	if err != nil {
		return nil, nil
	}
	s, err := o.Compile(f)
	if err != nil {
		return nil, nil
	}
	return f, s
}

// judgeKernels verifies after against before. A thread of after must do the work of the threads of
// before in tile t; by is the effort.
func judgeKernels(before, after *il.Kernel, t ir.Tile, class passes.Class, o job, by effort) verify.Report {
	options := o.verification(class, by)
	options.Tile = t
	if o.Kernel.Case != nil && o.Kernel.Case.Executable() == nil {
		options.KernelCases = []*interpreter.Case{o.Kernel.Case}
	}
	return verify.CheckKernel(before, after, options)
}
