package shaderlift

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/internal/lang"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// Optimize makes the programs of an input cheaper by what Options.Target counts: of Direct3D 9
// programs the time that GPUs take for a pixel, or pixel slots, or else vertex slots and
// temporaries; of a kernel cycles on a GPU, or else registers, operations or statements; of an
// effect those of each of its passes.
// The result is never nil. Its Files are
// those to use from now on, the input's own bytes where nothing got better. Of a
// pipeline that is spelled out only the whole has to pay; of a level, and of one that as a
// whole does not, every stage.
//
// Every rewrite is in the result that is no part of what brings its verdict below
// Options.Require, as far as that can be told.
//
// The error says why there are no files: diagnostics of a bad input or option; ErrFit
// if the input exceeds its shader model and still does afterwards; or a *Fault. Faults that
// were contained, such as a pass that was taken back or a rewrite that was refuted and is
// left out, are in the result without an error.
func Optimize(ctx context.Context, in Input, o Options) (*Result, error) {
	if len(o.Remarks) > 0 {
		res, err := Explain(ctx, in, o)
		o = o.on(in.Kind())
		res.unlisted(o.countsSlots())
		return res, err
	}
	return job{Options: o.on(in.Kind()), ctx: ctx}.optimize(in)
}

func (o job) optimize(in Input) (res *Result, err error) {
	defer o.canceled(&res, &err)
	defer recovered(&Fault{Task: TaskOptimize, Input: in, Options: o.Options}, &res, &err)
	res = newResult(in)
	if err := o.Check(in.Kind()); err != nil {
		return res.fail(err)
	}
	if lang.D3D9 && isEffect(in) {
		if err := o.optimizeEffect(in, res); err != nil {
			return res.fail(err)
		}
		return res, nil
	}
	z := &optimizer{in: in, o: o, res: res, plan: o.from}
	defer z.o.begin()()
	if u := z.plan.unit; u != nil { // of another run
		for _, f := range u.Funcs() {
			f.Budget = z.o.spend.price
		}
	}
	switch err := z.all(); {
	case budget.Is(err):
		res.noteExhausted(err, "the input is left as it is")
		z.keepInput()
	case err != nil:
		if m, some := z.subject.(*fitPair); lang.D3D9 && some && errors.Is(err, ErrFit) && !o.conceding {
			res.Concessions = m.concede()
		}
		return res.fail(err)
	}
	return res, nil
}

// all does everything. The error may be that the time is up, wherever that was.
func (z *optimizer) all() (err error) {
	defer budget.Catch(&err)
	if err := z.prepare(); err != nil {
		return err
	}
	err = z.run()
	z.subject.close()
	z.trail.release()
	return err
}

// maxDiags bounds how many limits that an input exceeds are told.
const maxDiags = 8

// optimizer is the state of one Optimize of a pair, a program or a kernel.
//
// The way of an input: prepare reads and lifts it; run carries out plans (settleBest), each of
// which runs its pipeline over a fresh unit (attempt), has the subject write, read back and verify
// the result (candidate), and, if that is refuted, looks for the rewrites to blame and leaves them
// out (withoutCulprits). If nothing comes of any plan, keepInput returns the input.
type optimizer struct {
	in  Input
	o   job
	res *Result

	// pipeline and class are what the options ask for; pipeline is that of the plan while one is
	// carried out.
	pipeline passes.Pipeline
	class    passes.Class
	// least is the lowest verdict that is written.
	least verify.Verdict
	// skip are rewrites that are left out because they cannot be verified, and rejected is
	// what was said last of a result with such rewrites.
	skip     []passes.StepID
	rejected *verify.Report
	blamed   bool          // something was left out
	clamped  bool          // the profile to fit clamps colours, and nothing else is wrong: no plan does better
	made     []passes.Step // that are left of the last run, if remarks are to tell
	// verdicts are those given so far, by what was judged: attempts with fewer rewrites often
	// lead to the same bytes.
	verdicts map[[sha256.Size]byte]verify.Report
	// kept has stages kept that cost more: then the whole has to pay, if not Options.Keep
	// says otherwise.
	kept    bool
	plan    plan   // that is carried out
	trail   *trail // of the last attempt; nil if it was not followed
	subject subject
}

// plan is a pipeline that may be the best one for an input.
type plan struct {
	pipeline passes.Pipeline
	whole    bool // no stage has to pay, but the whole
	// What its first stages make, as many as are in the report, with what is left out by now;
	// unit is nil if nothing is known.
	unit   *passes.Unit
	report passes.Report
}

// planner is a subject that may have more than one plan for a level.
type planner interface {
	// plans are those that pay, the best one first, or the level itself.
	plans(level passes.Pipeline) []plan
}

// subject is what an optimizer works on: the programs of a pair, or a kernel. It knows the language
// and the prices; the optimizer knows plans, verdicts and what to blame.
type subject interface {
	// read reads and lifts the input.
	read() error
	// unit is a fresh unit of what is understood, nil if nothing is.
	unit() *passes.Unit
	// exceeded are the limits of its model that the input breaks. What does gains by
	// fitting, whatever that costs.
	exceeded() asm.Diags
	// restated reports whether the unit is no longer the input even before any pass.
	restated() bool
	// measure prices a unit.
	measure(*passes.Unit) (passes.Cost, error)
	// dearer tells of a unit without much ado that it costs more than that, if it can.
	dearer(*passes.Unit, passes.Cost) bool
	// static tells that prices count what is written, and not how often it runs.
	static() bool
	// times is what a draw with a unit takes on all GPUs, none where it has no price.
	times(*passes.Unit) []targetCost
	// candidate writes a unit, reads back what was written and verifies that.
	candidate(u *passes.Unit, class passes.Class, to purpose) (*candidate, error)
	// report notes in the result what a candidate costs, the input itself if nil.
	report(*candidate)
	// close ends the writing of versions.
	close()
}

// prepare checks the options that depend on the kind of input, then reads and lifts it.
func (z *optimizer) prepare() (err error) {
	if z.class, err = z.o.class(); err != nil {
		return err
	}
	if z.least, err = z.o.least(); err != nil {
		return err
	}
	isKernel := isKernel(z.in)
	if z.pipeline, err = z.o.pipeline(isKernel); err != nil {
		return err
	}
	if lang.Kernels && isKernel || !lang.D3D9 {
		z.subject = &kernel{z: z}
		z.res.Pipeline = z.pipeline.String()
	} else {
		z.subject = &pair{z: z}
		if z.o.Fit != "" {
			z.subject = &fitPair{pair{z: z}}
		}
	}
	return z.subject.read()
}

// run optimizes what prepare read, and leaves in the result either files that are better or the
// input. An input beyond the limits of its model is an error if nothing made it fit.
func (z *optimizer) run() error {
	z.kept = z.o.Keep || z.o.spelled()
	said := len(z.res.Remarks)
	better, err := z.settleBest()
	if z.kept && !z.o.Keep && !better && err == nil {
		// Taken together, what the user spelled out does not pay; parts of it may.
		z.kept, z.plan = false, plan{}
		if !z.blamed {
			z.res.Remarks = z.res.Remarks[:said]
		}
		better, err = z.settle()
	}
	large := z.subject.exceeded()
	few := large[:min(len(large), maxDiags)]
	switch {
	case err != nil:
		return err
	case better:
		z.res.Nearest = nil
		for _, d := range few {
			if d.Code == "fit-model" {
				continue // it has been asked for
			}
			z.res.remark(d.Pos, d.Code, "the result fits, the input does not: "+d.Msg+repaired(d.Code))
		}
		return nil
	case large != nil:
		return fmt.Errorf("%w: %w", ErrFit, few)
	}
	z.keepInput()
	return nil
}

// settleBest carries out plans in the order of their prices until one has a result that can be
// verified. An error that says that nothing fits is not final: the next plan may do more.
func (z *optimizer) settleBest() (better bool, err error) {
	subject, some := z.subject.(planner)
	if !some || z.o.Keep || z.o.spelled() {
		return z.settle()
	}
	for _, p := range subject.plans(z.pipeline) {
		z.plan, z.pipeline, z.kept, z.skip, z.trail = p, p.pipeline, p.whole, nil, nil
		if better, err = z.settle(); better || z.clamped || err != nil && !errors.Is(err, ErrFit) {
			z.res.Pipeline = p.pipeline.String()
			break
		}
	}
	z.kept = false
	return better, err
}

// settle makes what pays of the pipeline and can be verified. It reports whether there is
// something. The second attempt, if any, validates every version that it prices (see errUnchecked).
func (z *optimizer) settle() (better bool, err error) {
	if better, err = z.settleOnce(); errors.Is(err, errUnchecked) {
		z.plan.unit = nil // others are made
		better, err = z.settleOnce()
	}
	return better, err
}

// First everything under the user's numerics; then without the rewrites that are found to blame; at
// last only what keeps all terms, which is proved without regard to roundings, and changes less of what
// takes time where everything else was slower.
func (z *optimizer) settleOnce() (better bool, err error) {
	all := z.pipeline
	better, verified, err := z.attempt(z.class)
	if err == nil && !verified && (z.rejected != nil && z.rejected.Unrun || z.clamped || z.doubtful()) {
		z.rejection(nil)
		return false, nil
	}
	if err == nil && !verified {
		better, verified, err = z.withoutCulprits()
	}
	slower := verified && len(z.pipeline) < len(all) // was all that could be verified
	if err == nil && !better && (slower || !verified) && z.class > passes.Terms {
		// What needs the user's numerics cannot be verified, or is slower; what keeps all terms may do.
		if slower {
			z.pipeline, z.skip, z.plan.unit = all, nil, nil
		}
		better, _, err = z.attempt(passes.Terms)
		z.rejection(nil)
	}
	return better, err
}

// keepInput gives the input back, which is the same program for certain.
func (z *optimizer) keepInput() {
	z.res.Status = Unchanged
	z.res.Files = make([]File, len(z.in.Files))
	for i, f := range z.in.Files {
		z.res.Files[i] = File{f.Name, bytes.Clone(f.Data)}
	}
	if z.res.Placement != nil {
		z.res.Placement.Saved = 0
	}
	z.subject.report(nil)
	z.res.Judgement = &Judgement{Verdict: verify.Proved, Rungs: []verify.Rung{verify.R1}}
}
