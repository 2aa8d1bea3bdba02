package opt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// Repeat repeats the operation in which f happened, with all options except the time limit.
func Repeat(ctx context.Context, f *Fault) (res *Result, err error) {
	o := f.Options
	o.Limits.Time = 0
	switch TaskOf(f) {
	case TaskVerify:
		return Verify(ctx, f.Input, *f.After, o)
	case TaskStats:
		return Stats(ctx, f.Input, o)
	case TaskRun:
		res = newResult(f.Input)
		if f.Input.Kind() == input.KindKernel {
			_, _, err = RunKernel(ctx, f.Input, o)
		} else {
			_, _, err = Run(ctx, f.Input, o)
		}
		if again, ok := err.(*Fault); ok {
			res.Faults = append(res.Faults, again)
		}
		return res, err
	}
	return Optimize(ctx, f.Input, o)
}

// Unverified is the code of remarks on rewrites that are left out because of their verdict.
const Unverified asm.Code = "unverified"

// Trial is a run of a pipeline in search of a symptom: of a fault or, if the symptom is empty, of a
// verdict below Options.Require.
type Trial struct {
	Input   Input
	Options Options
	Symptom string
	Kept    bool // stages that cost more are kept
}

// Shown is the result of a trial. Why describes the symptom, and is empty if it did not appear.
type Shown struct {
	Why   string
	Pass  string // of a fault in a pass
	Idle  bool   // no pass changed anything, so Optimize would write nothing
	Steps []passes.Step
}

// Run runs the pipeline with fuel for n rewrites (no limit if n is negative) and no time limit. A panic
// counts as a fault, and shows the symptom if it is the same. The error means that the input cannot be
// optimized at all.
func (t *Trial) Run(ctx context.Context, n int) (s *Shown, err error) {
	s = &Shown{}
	var res *Result
	defer func() {
		if f, ok := err.(*Fault); ok {
			if err = nil; SymptomOf(f) == t.Symptom {
				s.Why = f.Err.Error()
			}
		}
	}()
	defer recovered(&Fault{Task: TaskOptimize, Input: t.Input, Options: t.Options}, &res, &err)
	o := t.Options.withDefaultTarget(t.Input.Kind())
	o.Limits.Time = 0
	z := &optimizer{in: t.Input, o: job{Options: o, ctx: ctx}, res: newResult(t.Input)}
	if err := o.Check(t.Input.Kind()); err != nil {
		return s, err
	}
	z.o.spend = unbounded(ctx)
	err = t.attempt(z, n, s)
	if cause := context.Cause(ctx); cause != nil {
		return s, cause
	}
	return s, err
}

// attempt runs the pipeline of z and looks for the symptom.
func (t *Trial) attempt(z *optimizer, n int, s *Shown) (err error) {
	defer budget.Catch(&err)
	if err := z.prepare(); err != nil {
		return err
	}
	z.kept = t.Kept
	z.shows(t.Symptom, n, s)
	return nil
}

// Trials returns the modes in which Optimize may have run the pipeline of f: keeping stages that cost more,
// as explicit pipelines do, and not keeping them.
func Trials(f *Fault) []*Trial {
	t := Trial{Input: f.Input, Options: f.Options, Symptom: SymptomOf(f)}
	if !f.Options.Keep && !f.Options.spelled() {
		return []*Trial{&t}
	}
	kept := t
	if kept.Kept = true; f.Options.Keep {
		return []*Trial{&kept}
	}
	return []*Trial{&kept, &t}
}

// Pipeline returns the explicit pipeline of the trial.
func (t *Trial) Pipeline() (passes.Pipeline, error) {
	o := t.Options.withDefaultTarget(t.Input.Kind())
	return o.pipeline(t.Input.Kind())
}

// below reports whether verdict v is the symptom: a refutation, or a verdict below the required one.
func (z *optimizer) below(v verify.Verdict, symptom string) bool {
	switch symptom {
	case symptomRefuted:
		return v == verify.Refuted
	case "":
		return v < z.least
	}
	return false
}

// shows runs the pipeline with fuel for n rewrites (no limit if n is negative). It sets s.Why if the
// symptom appears as a fault of a pass, as a fault of emission or as the verdict on the result.
func (z *optimizer) shows(symptom string, n int, s *Shown) {
	u := z.subject.freshUnit()
	if u == nil {
		return
	}
	cfg := z.config(z.class)
	cfg.Cut = true
	cfg.Trace = func(x passes.Step) { s.Steps = append(s.Steps, x) }
	if n >= 0 && (cfg.Fuel == nil || n < *cfg.Fuel) {
		cfg.Fuel = &n
	}
	report, err := passes.Run(u, z.pipeline, cfg)
	var fault *passes.Fault
	if err != nil && !errors.As(err, &fault) {
		return
	}
	// Check faults of passes first: they change the result that emission and verification see.
	for _, wrong := range report.Faults {
		if f := faultOf(z.in, z.o.Options, wrong); SymptomOf(f) == symptom {
			s.Why, s.Pass = wrong.Err.Error(), wrong.Pass
			return
		}
	}
	met := func() bool {
		i := slices.IndexFunc(z.res.Faults, func(f *Fault) bool { return SymptomOf(f) == symptom })
		if i >= 0 {
			s.Why = z.res.Faults[i].Err.Error()
		}
		return i >= 0
	}
	if met() {
		return
	}
	s.Idle = !report.Changed() && z.subject.exceeded() == nil && !z.subject.restated()
	c, err := z.subject.candidate(u, z.class, toJudge)
	if met() {
		return
	}
	if err == nil && c != nil && z.below(c.report.Verdict, symptom) {
		s.Why = strings.TrimSuffix(fmt.Sprintf("the result is %s: %s", c.report.Verdict, c.report.Why), ": ")
	}
}
