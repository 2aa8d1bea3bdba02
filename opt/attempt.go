package opt

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/draw"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// purpose is the reason for which a candidate is made. It decides which checks run.
type purpose uint8

const (
	// toWrite is for output. It rejects a candidate that is no better than the input, unless
	// Options.Keep is set, and restores single programs that are no better.
	toWrite   purpose = iota
	toBlame           // at any cost: does it fail a check?
	toCompare         // at any cost: is it slower than the input in spite of its price? It is not verified
	toJudge           // at any cost: what is its verdict?
)

// candidate is a version of the programs that was written, read back and verified. All fields describe
// the version that was read back, not its source unit.
type candidate struct {
	files   []File
	report  verify.Report
	uploads []input.Upload
	// programs or kernel holds the version that was read back: the programs of a pair, or a kernel to
	// write.
	programs []*d3d9.Program
	emitted  []*d3d9.Program // programs before they were written
	kernel   emittedKernel   // kernel before it was written, if traced
	version  any             // a *moduleVersion; its type would keep names of instructions in builds without SPIR-V
	timed    *kernel.Timed
	prices   []draw.Price // on the GPUs of the target, if they are known
	tile     ir.Tile      // of the kernel
	// suspect is the statement of the input behind the value whose roundings are worse than the
	// input's. It is not valid if no such value is known.
	suspect asm.Pos
	// worse describes how the version is worse than the input in spite of its price, such as slower on
	// one GPU. Such a version is not verified. Empty if it is not worse.
	worse string
	// dearer is set if the version costs no less than the input and is accepted all the same.
	dearer bool
}

// config returns the configuration of the pass manager under class. Unfit makes it accept versions
// beyond the limits if the input is beyond them too. Skip leaves out single rewrites and Fuel ends
// rewriting after a number of them.
func (z *optimizer) config(class passes.Class) passes.Config {
	return passes.Config{Numerics: class, HostMirrored: z.o.Host.PixelConstants == input.Mirrored, Mirrors: z.mirrors,
		Measure: z.subject.measure, Written: z.measureWritten(), Dearer: z.subject.dearer, Static: z.subject.static(),
		Keep: z.kept, Unfit: z.subject.exceeded() != nil, Fuel: z.o.Limits.Fuel, Skip: z.skip,
		Budget: z.o.spend.rewrite}
}

// measureWritten returns the function that prices units in their written form, or nil if measure
// already does so.
func (z *optimizer) measureWritten() func(*passes.Unit) (passes.Cost, error) {
	if k, some := z.subject.(*kernelSubject); asm.BuiltKernels && some {
		return k.bench.MeasureWritten
	}
	return nil
}

// known returns the unit and report from which to run the pipeline under class, and advances cfg past
// the stages that an earlier attempt already ran. It starts from the input if an observer needs to see
// every stage.
func (z *optimizer) known(class passes.Class, cfg *passes.Config) (*passes.Unit, passes.Report) {
	if z.plan.Unit == nil || class != z.class || z.o.Hooks.AfterStage != nil || z.traces() {
		return z.subject.freshUnit(), passes.Report{}
	}
	report := z.plan.Report.FirstStages(len(z.plan.Report.Stats))
	cfg.Resume(&report)
	return z.plan.Unit.Clone(), report
}

// outcome is the outcome of an attempt, or of all attempts at a plan.
type outcome uint8

const (
	// notCheaper: nothing changed, or the version costs no less than the input.
	notCheaper outcome = iota
	// rejected: the verdict is below the required one, or the version is worse in spite of its price.
	rejected
	// accepted: the version is in the result.
	accepted
)

// attempt runs the pipeline under class, writes the result and verifies it. An accepted version is
// filled in.
func (z *optimizer) attempt(class passes.Class) (outcome, error) {
	if class == z.class {
		defer z.tryMotions()
	}
	u := z.runPipeline(class)
	if u == nil {
		return notCheaper, nil
	}
	defer u.Release()
	by := class
	if z.subject.restated() { // passes need not keep the terms of the restated input
		by = z.class
	}
	c, err := z.candidate(u, by, toWrite)
	if s := &z.o.spend; c == nil && s.isExhausted() {
		z.res.noteExhausted(errors.Join(s.whole.Err(), s.checks.Err()), "the result could not be verified and is discarded")
	}
	switch {
	case err != nil || c == nil:
		return notCheaper, err
	case c.worse != "":
		z.unusable = c
		return rejected, nil
	case c.report.Verdict < z.least:
		z.rejected, z.unusable = &c.report, c
		if m, some := z.subject.(*fitPair); asm.BuiltD3D9 && some {
			z.clamped = m.clamped(c, by)
		}
		return rejected, nil
	}
	z.accept(c, class)
	return accepted, nil
}

// runPipeline runs the pipeline under class and notes its remarks and faults. It returns nil if there is
// nothing to write; otherwise the caller releases the unit.
func (z *optimizer) runPipeline(class passes.Class) *passes.Unit {
	cfg := z.config(class)
	u, report := z.known(class, &cfg)
	if u == nil {
		return nil
	}
	if z.made = nil; class == z.class && z.mayBeWorse(u) {
		z.follow(&cfg, false)
	} else {
		z.trail = nil
	}
	if z.o.Hooks.AfterStage != nil {
		follow := cfg.Observe
		cfg.Observe = func(stage int, changed bool, u *passes.Unit) {
			if z.o.Hooks.AfterStage(z.in, z.pipeline[stage].String(), changed, u); follow != nil {
				follow(stage, changed, u)
			}
		}
	}
	if len(z.motions) > 0 && class == z.class {
		z.beforeMotions(&cfg, u)
	}
	var err error
	if rest := z.pipeline[cfg.First:]; len(rest) > 0 || cfg.First == 0 {
		var next passes.Report
		next, err = z.execute(u, rest, cfg)
		report.Append(next)
	}
	if z.ran = report; z.trail != nil {
		z.trail.report = report
	}
	if z.o.Hooks.Observe != nil {
		for _, s := range report.Stats {
			z.o.Hooks.Observe(z.in, s)
		}
	}
	// The manager contains a fault of a pass by undoing that pass. Any other error ends the attempt
	// without a result.
	var fault *passes.Fault
	switch {
	case err == nil || errors.As(err, &fault):
		z.recordReport(report)
		// If no pass changed anything there is nothing to write, unless the input cannot stay
		// unchanged.
		if report.After != passes.Unfit &&
			(report.Changed() || z.subject.exceeded() != nil || z.subject.restated() || z.relinks(u)) {
			return u
		}
	case budget.IsExhausted(err):
		z.unknownMotions()
		z.res.noteExhausted(err, "the input stays unchanged")
	default:
		z.unknownMotions()
		z.res.remark(asm.Pos{}, "cannot-write", "the input stays unchanged: "+err.Error())
	}
	u.Release()
	return nil
}

// relinks reports whether modules change without their code: they declare varyings that nothing writes or reads.
func (z *optimizer) relinks(u *passes.Unit) bool {
	m, some := z.subject.(*moduleSubject)
	if !asm.BuiltSPIRV || !some || m.pair == nil {
		return false
	}
	_, _, linked := m.pair.Rewritten(u.Vertex, u.Pixel)
	return linked
}

// accept makes c the result, with the remarks and the history that the options request.
func (z *optimizer) accept(c *candidate, class passes.Class) {
	z.res.judged(c.report, &z.o.Options)
	if z.res.Status, z.res.Files = Improved, c.files; c.dearer {
		z.res.Status = Changed
	}
	z.subject.report(c)
	z.res.Uploads = c.uploads
	made := z.passed()
	if z.o.Report.Gains {
		z.gains(made, class)
	}
	if z.o.Report.History {
		z.res.History = z.history(made, class)
	}
	if z.o.remarks(Passed) {
		z.res.Remarks = append(z.res.Remarks, made...)
	}
}

// fault records an error of this program together with the data that reproduces it.
func (z *optimizer) fault(err error) *Fault {
	return z.recordFault(&Fault{Task: TaskOptimize, Input: z.in, Options: planOptions(&z.plan, z.o.Options), Err: err})
}

// planOptions returns o, with an explicit pipeline if the plan is not a level.
func planOptions(p *passes.Plan, o Options) Options {
	if p.Whole {
		o.Pipeline = p.Pipeline.String()
	}
	return o
}

// recordFault records a fault once. Several attempts can meet the same fault.
func (z *optimizer) recordFault(f *Fault) *Fault {
	for _, g := range z.res.Faults {
		if g.Err.Error() == f.Err.Error() {
			return g
		}
	}
	z.res.Faults = append(z.res.Faults, f)
	return f
}

// recordReport copies the remarks and faults of the pass manager to the result.
func (z *optimizer) recordReport(r passes.Report) {
	for _, m := range r.Remarks {
		r := Remark{Kind: kindOf(m.Pass), Pass: m.Pass, Stage: z.in.StageOf(m.Pos.File), Line: m.Pos.Line,
			Offset: m.Pos.Offset, Code: m.Code, Message: m.Msg}
		if !slices.Contains(z.res.Remarks, r) {
			z.res.Remarks = append(z.res.Remarks, r)
		}
	}
	for _, f := range r.Faults {
		z.recordFault(faultOf(z.in, planOptions(&z.plan, z.o.Options), f))
	}
	if errors.Is(z.o.spend.rewrite.Err(), budget.ErrTime) {
		z.res.remark(asm.Pos{}, "time-limit", fmt.Sprintf("the time limit was reached after %d rewrites; give --fuel %[1]d to get the same result again", r.Steps))
	}
}
