package opt

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// kernelSubject is the subject for an AMD IL kernel. Its bench prices and times versions.
type kernelSubject struct {
	z      *optimizer
	source *il.Kernel    // as read
	bench  *kernel.Bench // nil if the kernel cannot be lifted
}

// kernelSettings returns the settings for prices of kernels under o.
func (o *job) kernelSettings() kernel.Settings {
	s := kernel.Settings{Target: string(o.Target), Domain: o.Kernel.Domain, Case: o.Kernel.Case, Given: o.Kernel.Launches,
		Promised: o.known, Budget: o.spend.whole}
	if p, err := o.pipeline(input.KindKernel); err == nil {
		s.Only = kernel.OnlyDomain(p)
	}
	return s
}

// readInput reads and lifts the kernel, compiles it for the target and simulates its launches. All versions
// are priced on the first launch.
func (k *kernelSubject) readInput() (err error) {
	o, res := &k.z.o, k.z.res
	if _, err := kernel.Machine(string(o.Target)); err != nil {
		return err
	}
	if k.source, err = input.ReadKernel(k.z.in); err != nil {
		return err
	}
	if o.known, err = o.promise(res); err != nil {
		return err
	}
	f, err := amdil.Lift(k.source)
	if beyond(err) {
		return err
	}
	if err != nil { // well formed, but not supported
		for _, d := range input.DiagsOf(err) {
			res.remark(d.Pos, d.Code, "the kernel stays unchanged: "+d.Msg)
		}
		return nil
	}
	f.Budget = o.spend.whole
	settings := o.kernelSettings()
	if k.bench, err = kernel.NewBench(k.source, f, settings, o.spend.price); err != nil {
		return err
	}
	for _, why := range settings.Overruled() {
		res.remark(asm.Pos{}, "other-domain", why)
	}
	before := k.bench.Before
	if k.z.traced {
		before.Course = kernel.CourseOf(k.bench.Course)
	}
	res.Kernel = &kernel.Costs{Target: k.bench.Target.Name, Before: before}
	o.specialize(f, 0, res)
	f.Budget = o.spend.price
	return o.spend.whole.Err()
}

// beyond reports whether err says that a kernel exceeds a size limit. Every command rejects such a
// kernel.
func beyond(err error) bool {
	var d *asm.Diag
	return errors.As(err, &d) && d.Code == "too-large"
}

func (k *kernelSubject) exceeded() asm.Diags { return nil }
func (k *kernelSubject) restated() bool      { return false }

func (k *kernelSubject) static() bool { return false }

func (k *kernelSubject) dearer(*passes.Unit, passes.Cost) bool { return false }

func (k *kernelSubject) prefix(u *passes.Unit) (*prefix, error) {
	cost, err := k.bench.MeasureWritten(u)
	return &prefix{cost: cost}, err
}

func (k *kernelSubject) close() {}

func (k *kernelSubject) measure(u *passes.Unit) (passes.Cost, error) { return k.bench.Measure(u) }

func (k *kernelSubject) freshUnit() *passes.Unit {
	if k.bench == nil {
		return nil
	}
	return &passes.Unit{Name: k.z.res.Name, Kernel: k.bench.Lifted.Clone()}
}

// plans implements planner.
func (k *kernelSubject) plans(level passes.Pipeline) []passes.Plan {
	if k.bench == nil {
		return []passes.Plan{{Pipeline: level}}
	}
	return k.bench.Plans(level, k.z.o.number(), k.z.o.Kernel.Coarsen, k.runPlan)
}

// otherPlans implements planner.
func (k *kernelSubject) otherPlans() []passes.Plan {
	if k.bench == nil {
		return nil
	}
	return k.bench.OtherPlans()
}

// planLimit implements planner.
func (k *kernelSubject) planLimit() int { return kernel.MaxPlans }

// runPlan is the kernel.Runner of a search. Fuel counts over all stages.
func (k *kernelSubject) runPlan(p *passes.Plan, stages int, observe func(int, bool, *passes.Unit)) {
	cfg := k.z.config(k.z.class)
	cfg.Keep, cfg.Observe = p.Whole, observe
	cfg.Resume(&p.Report)
	if p.Unit == nil {
		p.Unit = k.freshUnit()
	}
	report, err := passes.Run(p.Unit, p.Pipeline[cfg.First:stages], cfg)
	for _, f := range report.Faults {
		k.z.recordFault(faultOf(k.z.in, planOptions(p, k.z.o.Options), f))
	}
	if err != nil && len(report.Faults) == 0 { // an attempt will report it
		p.Unit, p.Report = nil, passes.Report{}
		return
	}
	p.Report.Append(report)
}

// candidate writes a version, reads it back, simulates it if it is for output, and verifies it. It
// drops a version that is no better than the input, with a remark, unless Options.Keep is set.
func (k *kernelSubject) candidate(u *passes.Unit, class passes.Class, to purpose) (*candidate, error) {
	out, err := k.bench.Emit(u)
	if err != nil {
		if !k.bench.Strict {
			k.bench.Strict = true
			return nil, errUnchecked
		}
		k.z.fault(err)
		return nil, nil
	}
	transferKernelComments(k.source, out)
	data := il.Print(out)
	back, err := input.ParseKernel(k.z.in.Files[0].Name, data)
	if err != nil {
		return nil, k.z.fault(fmt.Errorf("the result cannot be read again: %w", err))
	}
	c := &candidate{files: []File{{Name: k.z.in.Files[0].Name, Data: data}}, tile: u.Tile}
	if k.z.traced {
		c.kernel = emittedFrom(u.Kernel, out)
	}
	if to == toWrite {
		before := &k.z.res.Kernel.Before
		timing, err := k.bench.Time(back, u.Tile)
		if err == nil && (timing.Cost.Improves(before) || k.z.o.Keep) {
			err = k.bench.TimeAll(timing, back, u.Tile)
		}
		if budget.IsExhausted(err) {
			return nil, nil
		}
		if err != nil {
			return nil, k.z.fault(err)
		}
		c.timed = timing
		why, code := "", codeNoGain
		if k.z.outpaced = ""; !timing.Cost.Improves(before) {
			why = timing.Cost.Reason(before)
		} else if why = k.bench.Slower(timing); why != "" {
			k.z.outpaced, code = why, CodeSlowerLaunch
		}
		if c.dearer = why != ""; c.dearer && !k.z.o.Keep {
			// Plans come in order of speed, so the first one with this remark is the fastest.
			if code != CodeSlowerLaunch || !slices.ContainsFunc(k.z.res.Remarks, func(r Remark) bool { return r.Code == code }) {
				k.z.res.remark(asm.Pos{}, code, why)
			}
			return nil, nil
		}
	}
	by := k.z.effortFor(class, to)
	if by == fullEffort && to != toWrite && k.z.needsProof(class) {
		by = quickEffort
	}
	c.report = k.z.judged(c.files, class, nil, by,
		func() verify.Report { return judgeKernels(k.source, back, u.Tile, class, k.z.o, by) })
	if line := c.report.UnstableAt.Line; line > 0 && len(back.Insts) == len(out.Insts) {
		if i := slices.IndexFunc(back.Insts, func(in il.Inst) bool { return in.Pos.Line == line }); i >= 0 {
			c.suspect = out.Insts[i].Pos
		}
	}
	return c, nil
}

// codeNoGain is the code of remarks on versions that are no better than the input.
const codeNoGain asm.Code = "no-gain"

// CodeSlowerLaunch is the code of remarks on versions that are slower on another launch than the typical one.
const CodeSlowerLaunch asm.Code = "slower-launch"

// report records the costs of a candidate, or of the input if c is nil.
func (k *kernelSubject) report(c *candidate) {
	if k.bench == nil {
		return
	}
	costs := k.z.res.Kernel
	if c == nil {
		k.z.res.Launches, costs.After = k.bench.Launches(nil, ir.Tile{}), &costs.Before
		return
	}
	k.z.res.Launches = k.bench.Launches(c.timed, c.tile)
	after := c.timed.Cost
	if f, err := k.liftBack(c.files[0]); err == nil {
		k.bench.Unported(&after, f, k.bench.Target)
	}
	if k.z.traced {
		after.Course = kernel.CourseOf(c.timed.Course)
		k.z.emission = emission{kernel: c.kernel, rewrites: k.z.made}
	}
	costs.After = &after
	k.z.res.Coarsened = kernel.Coarsen(c.tile, k.bench.Outputs())
	for _, why := range kernel.Uneven(k.bench.Workloads[0].Case, c.tile) {
		k.z.res.remark(asm.Pos{}, "uneven", why)
	}
}

// liftBack reads and lifts a written version.
func (k *kernelSubject) liftBack(f File) (*ir.Func, error) {
	version, err := input.ParseKernel(f.Name, f.Data)
	if err != nil {
		return nil, err
	}
	return amdil.Lift(version)
}
