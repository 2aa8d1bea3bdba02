package opt

import (
	"context"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/budget"
	"slices"

	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// Replayed is the result of repeating the operation behind a fault.
type Replayed struct {
	// Again is the fault with the same symptom, if it happened again. For a fault without an Err, the
	// symptom is a verdict below Options.Require.
	Again *Fault
	// Others are faults of other symptoms.
	Others []*Fault
	// Result and Err are the results of Optimize, Verify or Stats.
	Result *Result
	Err    error
}

// Replay repeats the operation in which f happened, with all options except the time limit. A fault
// without an Err stands for a verdict below Options.Require.
func Replay(ctx context.Context, f *Fault) *Replayed {
	o := f.Options
	o.TimeLimit = 0
	r := &Replayed{}
	switch f.taskOrDefault() {
	case TaskVerify:
		r.Result, r.Err = Verify(ctx, f.Input, *f.After, o)
	case TaskStats:
		r.Result, r.Err = Stats(ctx, f.Input, o)
	case TaskRun:
		r.Result = newResult(f.Input)
		if isKernel(f.Input) {
			_, _, r.Err = RunKernel(ctx, f.Input, o)
		} else {
			_, _, r.Err = Run(ctx, f.Input, o)
		}
		if again, ok := r.Err.(*Fault); ok {
			r.Result.Faults = append(r.Result.Faults, again)
		}
	default:
		r.Result, r.Err = Optimize(ctx, f.Input, o)
	}
	for _, g := range r.Result.Faults {
		if r.Again == nil && f.Err != nil && g.symptom() == f.symptom() {
			r.Again = g
		} else {
			r.Others = append(r.Others, g)
		}
	}
	if f.Err == nil && slices.ContainsFunc(r.Result.Remarks, func(m Remark) bool { return m.Code == codeUnverified }) {
		again := *f
		r.Again = &again
	}
	return r
}

// codeUnverified is the code of remarks on rewrites that are left out because of their verdict.
const codeUnverified asm.Code = "unverified"

// trial is a run of a pipeline in search of a symptom: of a fault or, if symptom is empty, of a verdict
// below Options.Require.
type trial struct {
	ctx     context.Context
	in      Input
	o       Options
	symptom string
	kept    bool // stages that cost more are kept
}

// shown is the result of a trial. why describes the symptom, and is empty if it did not appear.
type shown struct {
	why   string
	pass  string // of a fault in a pass
	idle  bool   // no pass changed anything, so Optimize would write nothing
	z     *optimizer
	steps []passes.Step
}

// runWithFuel runs the pipeline with fuel for n rewrites (no limit if n is negative) and no time limit. A panic
// counts as a fault, and shows the symptom if it is the same. The error means that the input cannot be
// optimized at all.
func (t *trial) runWithFuel(n int) (s *shown, err error) {
	s = &shown{}
	var res *Result
	defer func() {
		if f, ok := err.(*Fault); ok {
			if err = nil; f.symptom() == t.symptom {
				s.why = f.Err.Error()
			}
		}
	}()
	defer recovered(&Fault{Task: TaskOptimize, Input: t.in, Options: t.o}, &res, &err)
	o := t.o.withDefaultTarget(t.in.Kind())
	o.TimeLimit = 0
	s.z = &optimizer{in: t.in, o: job{Options: o, ctx: t.ctx}, res: newResult(t.in)}
	if err := o.Check(t.in.Kind()); err != nil {
		return s, err
	}
	s.z.o.spend = unbounded(t.ctx)
	err = t.attempt(n, s)
	if cause := context.Cause(t.ctx); cause != nil {
		return s, cause
	}
	return s, err
}

// attempt runs the pipeline of s and looks for the symptom.
func (t *trial) attempt(n int, s *shown) (err error) {
	defer budget.Catch(&err)
	if err := s.z.prepare(); err != nil {
		return err
	}
	s.z.kept = t.kept
	s.z.shows(t.symptom, n, s)
	return nil
}

// trialsOf returns the modes in which Optimize may have run the pipeline of f: keeping stages that cost
// more, as explicit pipelines do, and not keeping them.
func trialsOf(ctx context.Context, f *Fault) []*trial {
	t := trial{ctx: ctx, in: f.Input, o: f.Options, symptom: f.symptom()}
	if !t.o.Keep && !t.o.spelled() {
		return []*trial{&t}
	}
	kept := t
	if kept.kept = true; t.o.Keep {
		return []*trial{&kept}
	}
	return []*trial{&kept, &t}
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
