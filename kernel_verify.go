package shaderlift

import (
	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/tile"
	"github.com/shaderlift/shaderlift/verify"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// verifyKernels compares two versions of a kernel. If both can be priced on the same target, the
// result has their costs as well.
func verifyKernels(before, after Input, o job, res *Result) error {
	class, err := o.class()
	if err != nil {
		return err
	}
	old, err := readKernel(before)
	if err != nil {
		return err
	}
	now, err := readKernel(after)
	if err != nil {
		return err
	}
	if err := o.promise(res); err != nil {
		return err
	}
	least, err := o.least()
	if err != nil {
		return err
	}
	t, err := o.tile()
	if err != nil {
		return err
	}
	res.Coarsened = coarsened(t, int(amdil.Outputs(old)))
	report := judgeKernels(old, now, t, class, o, wholly)
	if err := res.refused(report, least); err != nil {
		return err
	}
	if a, b := o.priced(old), o.priced(now); a != nil && b != nil && a.Target == b.Target {
		a.After = &b.Before
		res.Kernel = a
	}
	return nil
}

// priced is what k costs as it is, nil if that cannot be told.
func (o *job) priced(k *il.Kernel) *KernelCosts {
	f, err := amdil.Lift(k)
	if err != nil {
		return nil
	}
	s, err := o.schedule(f)
	if err != nil {
		return nil
	}
	return &KernelCosts{Target: s.Target.Name, Before: o.costOf(k, s)}
}

// judgeKernels verifies after against before. An invocation of after has to do what those of before
// in tile t do, with as much effort as the way says.
func judgeKernels(before, after *il.Kernel, t tile.Tile, class passes.Class, o job, by way) verify.Report {
	options := verify.Options{Tile: t, Numerics: class, Effort: o.Effort, Brief: !o.asked, Cheap: by != wholly, Unconfirmed: by == byProofs,
		Constants: o.known, Seed: o.Seed, Budget: o.spend.checks}
	if o.KernelCase != nil {
		options.KernelCases = []*interpreter.Case{o.KernelCase}
	}
	return verify.CheckKernel(before, after, options)
}
