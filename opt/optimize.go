package opt

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/opt/fit"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// Optimize makes the programs of an input cheaper; package shaderlift documents it. The result is never nil.
func Optimize(ctx context.Context, in Input, o Options) (*Result, error) {
	if o.Pass != "" {
		err := asm.Errorf(asm.Pos{File: in.Path()}, "wrong-input", "an effect is optimized as a whole; leave Pass out")
		return Failure(in, err), err
	}
	if len(o.Report.Remarks) > 0 {
		res, err := Explain(ctx, in, o)
		o = o.withDefaultTarget(in.Kind())
		gpus, _ := o.Target.GPUs() // none if the target is for kernels
		res.unlisted(gpus)
		return res, err
	}
	return o.strict(job{Options: o.withDefaultTarget(in.Kind()), ctx: ctx}.optimize(in, mode{}))
}

// mode is the way in which an input is optimized: by itself, or as a part of an effect.
type mode struct {
	// traced records the rewrites and the emission of the result.
	traced bool
	// relax searches for relaxations if the input does not fit.
	relax bool
	// trial only finds out whether the input fits. It tries the plans that change most, and looks for no
	// rewrite to blame.
	trial bool
	// compact removes unread entries from the constant tables of written programs.
	compact bool
	// mirrors reports the pixel constants for which Mirrored holds; nil means all.
	mirrors func(register uint16) bool
	// motions record the effect of code motion with more constants.
	motions []*motion
	// from is the state from which the pipeline resumes.
	from passes.Plan
}

// optimize optimizes an input. If the input does not fit the profile of Options.Fit, it searches for
// relaxations with which it would.
func (o job) optimize(in Input, m mode) (*Result, error) {
	m.relax = true
	z, err := o.run(in, m)
	return z.res, err
}

// run optimizes an input and returns the final state; z.res is the result.
func (o job) run(in Input, m mode) (z *optimizer, err error) {
	z = &optimizer{in: in, o: o, mode: m, res: newResult(in), plan: m.from}
	defer o.canceled(&z.res, &err)
	defer recovered(&Fault{Task: TaskOptimize, Input: in, Options: o.Options}, &z.res, &err)
	if err := o.Check(in.Kind()); err != nil {
		z.res.Fail(err)
		return z, err
	}
	if asm.BuiltD3D9 && in.Kind() == input.KindEffect {
		if err := o.optimizeEffect(in, z.res); err != nil {
			z.res.Fail(err)
			return z, err
		}
		return z, nil
	}
	defer z.o.begin()()
	if u := z.plan.Unit; u != nil { // resumed from another run
		for _, f := range u.Funcs() {
			f.Budget = z.o.spend.price
		}
	}
	switch err := z.prepareAndRun(); {
	case budget.IsExhausted(err):
		z.res.noteExhausted(err, "the input stays unchanged")
		z.keepInput()
	case err != nil:
		z.res.Fail(err)
		if p, some := z.subject.(*fitPair); asm.BuiltD3D9 && m.relax && some && errors.Is(err, pair.ErrFit) {
			z.res.Concessions = p.concede()
		}
		return z, err
	}
	return z, nil
}

// prepareAndRun runs the whole optimization. The error may be an exhausted budget, at any point.
func (z *optimizer) prepareAndRun() (err error) {
	defer budget.Catch(&err)
	if err := z.prepare(); err != nil {
		return err
	}
	err = z.run()
	z.subject.close()
	z.trail.release()
	return err
}

// maxDiags limits the exceeded limits of an input that are reported.
const maxDiags = 8

// optimizer is the state of one Optimize of a pair, a program or a kernel.
//
// First, prepare reads and lifts the input. Then run tries plans (tryPlans). Each attempt at a plan runs
// its pipeline over a fresh unit (runPipeline), and the subject writes, reads back and verifies the
// result (candidate). If the result is refuted, withoutCulprits looks for the rewrites to blame and
// leaves them out. If no plan succeeds, keepInput returns the input.
type optimizer struct {
	in  Input
	o   job
	res *Result
	mode

	// pipeline and class follow from the options; while a plan runs, pipeline is the pipeline of the
	// plan.
	pipeline passes.Pipeline
	class    passes.Class
	// least is the lowest verdict that is accepted.
	least verify.Verdict
	// skip has the rewrites that are left out because they cannot be verified. rejected is the last
	// report on a result with such rewrites.
	skip     []passes.StepID
	rejected *verify.Report
	unusable *candidate    // the last result that was not accepted
	blamed   bool          // something was left out
	clamped  bool          // only the profile's clamp of colours is wrong: no plan does better
	made     []passes.Step // remaining rewrites of the last run, if remarks need them
	// verdicts caches verdicts by content: attempts with fewer rewrites often lead to the same bytes.
	verdicts map[[sha256.Size]byte]verify.Report
	// kept keeps stages that raise the cost. Then the whole pipeline must pay, unless Options.Keep is
	// set.
	kept bool
	// outpaced names the launch on which the last version of the plan is slower, if any.
	outpaced string
	plan     passes.Plan // the plan that runs
	emission emission
	trail    *trail // of the last attempt; nil if it was not recorded
	// unmoved are units of the last attempt, and ran is its report, for the motions of the mode.
	unmoved []unmoved
	ran     passes.Report
	subject subject
}

// emission is the version that replaces the input, before it was written. Its statements have the
// positions of their sources. It is zero if the input stays unchanged.
type emission struct {
	programs []*d3d9.Program // or
	kernel   emittedKernel
	rewrites []passes.Step // that made it
}

// planner is a subject that may have several plans for a level.
type planner interface {
	// plans returns the profitable plans, best first, or the level itself.
	plans(level passes.Pipeline) []passes.Plan
	// otherPlans returns plans to try if each of these was slower on some launch, or could not be verified.
	otherPlans() []passes.Plan
	// planLimit returns the largest number of plans to verify.
	planLimit() int
}

// subject is the object of an optimization: the programs of a pair, or a kernel. It knows the language
// and the prices; the optimizer knows plans, verdicts and the search for the rewrite to blame.
type subject interface {
	// readInput reads and lifts the input.
	readInput() error
	// freshUnit returns a fresh unit of the lifted input, or nil if lifting failed.
	freshUnit() *passes.Unit
	// exceeded returns the limits of its model that the input breaks. A result within them is a gain at
	// any cost.
	exceeded() asm.Diags
	// restated reports whether the unit differs from the input even before any pass.
	restated() bool
	// measure prices a unit.
	measure(*passes.Unit) (passes.Cost, error)
	// dearer reports whether a quick bound shows that a unit costs more than the given cost.
	dearer(*passes.Unit, passes.Cost) bool
	// static reports whether prices count written instructions, not executions.
	static() bool
	// prefix returns the cost of a unit for reports.
	prefix(*passes.Unit) (*prefix, error)
	// candidate writes a unit, reads the result back and verifies it.
	candidate(u *passes.Unit, class passes.Class, to purpose) (*candidate, error)
	// report records the cost and the emission of a candidate in the result, or the cost of the input if
	// nil.
	report(*candidate)
	// close ends the writing of versions.
	close()
}

// prepare checks the options that depend on the kind of input, then reads and lifts it.
func (z *optimizer) prepare() (err error) {
	z.class = z.o.Numerics
	if z.least, err = z.o.least(); err != nil {
		return err
	}
	kind := z.in.Kind()
	if z.pipeline, err = z.o.pipeline(kind); err != nil {
		return err
	}
	// Of the branches whose language is not built, the compiler removes the code, but not from a switch.
	if asm.BuiltSPIRV && kind == input.KindModule {
		z.subject = &moduleSubject{z: z}
		z.res.Pipeline = z.pipeline.String()
	} else if asm.BuiltKernels && kind == input.KindKernel || !asm.BuiltD3D9 {
		z.subject = &kernelSubject{z: z}
		z.res.Pipeline = z.pipeline.String()
	} else {
		z.subject = &pairSubject{z: z}
		if z.o.Fit != "" {
			z.subject = &fitPair{pairSubject{z: z}}
		}
	}
	return z.subject.readInput()
}

// run optimizes the input and leaves either better files or the input in the result. It returns an
// error if the input is beyond the limits of its model and no plan made it fit.
func (z *optimizer) run() error {
	z.kept = z.o.Keep || z.o.spelled()
	said := len(z.res.Remarks)
	out, err := z.tryPlans()
	if z.kept && !z.o.Keep && out != accepted && err == nil {
		// The explicit pipeline as a whole does not pay; parts of it may.
		z.kept, z.plan = false, passes.Plan{}
		if !z.blamed {
			z.res.Remarks = z.res.Remarks[:said]
		}
		out, err = z.tryPlan()
	}
	large := z.subject.exceeded()
	few := large[:min(len(large), maxDiags)]
	switch {
	case err != nil:
		return err
	case out == accepted:
		z.res.Nearest = nil
		for _, d := range few {
			if d.Code == "fit-model" {
				continue // the options request it
			}
			z.res.remark(d.Pos, d.Code, "the result fits, but the input does not: "+d.Msg+fit.Repaired(d.Code))
		}
		return nil
	case large != nil:
		if f, some := z.subject.(*fitPair); asm.BuiltD3D9 && some {
			large = f.misfits()
		}
		return fmt.Errorf("%w: %w", pair.ErrFit, large[:min(len(large), maxDiags)])
	}
	z.keepInput()
	return nil
}

// tryPlans tries plans in the order of their prices until one has a verified result. An error that
// nothing fits is not final: the next plan may do more.
func (z *optimizer) tryPlans() (out outcome, err error) {
	subject, some := z.subject.(planner)
	if !some || z.o.Keep || z.o.spelled() {
		return z.tryPlan()
	}
	left, slower := subject.planLimit(), false
	var unfit error // of the last plan whose result was too large
	list := subject.plans(z.pipeline)
	first := len(list)
	for i := 0; i < len(list); i++ {
		p := list[i]
		z.plan, z.pipeline, z.kept, z.skip, z.trail, z.outpaced = p, p.Pipeline, p.Whole, nil, nil, ""
		if out, err = z.tryPlan(); out == accepted || z.clamped || err != nil && !errors.Is(err, pair.ErrFit) {
			z.res.Pipeline = p.Pipeline.String()
			break
		}
		if err != nil {
			unfit = err
		}
		if z.outpaced != "" {
			slower = true
		} else { // a version that is slower on some launch is not verified and costs little
			left--
		}
		if f, some := z.subject.(*fitPair); left == 0 || asm.BuiltD3D9 && some && f.ends(i, len(list)) {
			break
		}
		if i == first-1 && slower {
			list = append(list, subject.otherPlans()...)
		}
	}
	if z.kept = false; out != accepted && err == nil && !z.clamped {
		err = unfit
	}
	return out, err
}

// tryPlan attempts the pipeline in up to three forms, until a version is accepted:
//  1. under the user's numerics;
//  2. without the rewrites to blame;
//  3. with only the rewrites that preserve all terms. Their proof ignores rounding, and they change
//     execution times less if everything else was slower.
//
// After errUnchecked it starts again, and validates every version that it prices.
func (z *optimizer) tryPlan() (outcome, error) {
	all := z.pipeline
	out, err := z.attempt(z.class)
	if err == nil && out == rejected {
		if z.rejected != nil && z.rejected.Unrun || z.clamped || z.trial || z.doubtful() || z.motionSlower() {
			z.rejection(nil)
			return rejected, nil
		}
		out, err = z.withoutCulprits()
	}
	slower := out != rejected && len(z.pipeline) < len(all) // the verifiable part was slower
	// Constants of the pixel program help code motion only, which does not preserve terms.
	if err == nil && out != accepted && (slower || out == rejected) && z.class > passes.Terms && z.mirrors == nil {
		// Rewrites that need the user's numerics cannot be verified, or are slower. Rewrites that
		// preserve terms may do.
		if slower {
			z.pipeline, z.skip, z.plan.Unit = all, nil, nil
		}
		out, err = z.attempt(passes.Terms)
		z.rejection(nil)
	}
	if errors.Is(err, errUnchecked) {
		z.plan.Unit = nil // the versions will differ
		return z.tryPlan()
	}
	return out, err
}

// keepInput returns the input, which is trivially equal.
func (z *optimizer) keepInput() {
	z.res.Status = Unchanged
	z.res.Files = make([]File, len(z.in.Files))
	for i, f := range z.in.Files {
		z.res.Files[i] = File{Name: f.Name, Data: bytes.Clone(f.Data)}
	}
	if p, some := z.subject.(*pairSubject); asm.BuiltD3D9 && some && p.keepVersions() {
		return
	}
	z.subject.report(nil)
	z.res.Judgement = &Judgement{Verdict: verify.Proved, Methods: []verify.Method{verify.ByTerms}}
}
