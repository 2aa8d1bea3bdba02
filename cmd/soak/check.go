package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify"
)

// outcome is what became of a task.
type outcome struct {
	status  shaderlift.Status
	verdict verify.Verdict
	fault   *shaderlift.Fault // what goes wrong, nil as a rule
}

// again is of how many results one is verified once more at full effort, with other draws.
const again = 64

// perform optimizes and holds the result against what is promised.
func (t *task) perform(ctx context.Context, j uint64) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			out.fault = t.fault("panic: %v", p)
			out.fault.Stack = debug.Stack()
		}
	}()
	// The result is a function of the task; everything below holds it against promises.
	res, err := shaderlift.Optimize(ctx, t.input, t.options)
	if lacks(err) { // a chip of these kernels' time may not have what they use
		t.options.Target = "cypress"
		res, err = shaderlift.Optimize(ctx, t.input, t.options)
	}
	out.status, out.verdict = res.Status, res.Verdict()
	if t.options.Fit != "" && errors.Is(err, shaderlift.ErrFit) && len(res.Faults) == 0 {
		return out // it need not
	}
	out.fault = t.judge(ctx, j, res, err)
	return out
}

// judge says what is wrong with a result of the task.
func (t *task) judge(ctx context.Context, j uint64, res *shaderlift.Result, err error) *shaderlift.Fault {
	var f *shaderlift.Fault
	switch {
	case errors.As(err, &f):
		return f
	case len(res.Faults) > 0: // which is worse than what may come of it, that nothing fits
		return res.Faults[0]
	case err != nil:
		return t.fault("%v", err)
	case !res.Verdict().OK() && res.Kind != shaderlift.KindEffect: // one may have no programs
		return t.fault("written as %s", res.Verdict())
	case len(res.Files) != len(t.input.Files):
		return t.fault("%d files of %d", len(res.Files), len(t.input.Files))
	}
	// Without Keep a result that costs more must not be written, except where the input does not fit.
	if !t.options.Keep && t.options.Fit == "" {
		if worse := costsMore(res); worse != "" {
			return t.fault("costs more: %s", worse)
		}
	}
	if i := slices.IndexFunc(res.Remarks, func(r shaderlift.Remark) bool { return r.Code == "part-failed" }); i >= 0 && t.options.Fit == "" {
		return t.fault("%s", res.Remarks[i].Message)
	}
	if res.Status == shaderlift.Unchanged || res.Coarsened != nil || j%again != 0 && !t.special() {
		return nil
	}
	// What may take the place of the input by one call has to by the other.
	o := t.options
	if o.Seed, o.Uploads = j+1, res.Uploads; j%again == 0 {
		o.Effort = verify.Full
	}
	after := shaderlift.Input{Files: res.Files}
	if _, err := shaderlift.Verify(ctx, t.input, after, o); err != nil {
		return &shaderlift.Fault{Task: shaderlift.TaskVerify, Input: t.input, After: &after, Options: o, Err: fmt.Errorf("not verified again: %w", err)}
	}
	return nil
}

// fault is something wrong with what was optimized.
func (t *task) fault(format string, args ...any) *shaderlift.Fault {
	return &shaderlift.Fault{Task: shaderlift.TaskOptimize, Input: t.input, Options: t.options, Err: fmt.Errorf(format, args...)}
}

// special reports whether a task is one of those of which all results are verified again.
func (t *task) special() bool {
	return t.input.Kind() == shaderlift.KindEffect || t.options.Fit != "" || len(t.options.Assume) > 0
}

// lacks reports whether a program uses what the target does not have.
func lacks(err error) bool {
	var d *asm.Diag
	return errors.As(err, &d) && d.Code == "not-supported"
}

// costsMore compares what the target counts: the times of draws, or slots in the order of
// their weight.
func costsMore(res *shaderlift.Result) string {
	if res.Kind == shaderlift.KindEffect {
		return effectCostsMore(res)
	}
	var before, after []float64
	if k := res.Kernel; k != nil {
		return "" // cycles of a launch of many wavefronts decide, which reports do not hold
	}
	for i := range res.Draws {
		if c := &res.Draws[i]; c.Now().Time > c.Before.Time {
			return fmt.Sprintf("%g a pixel on %s, was %g", c.Now().Time, c.Target, c.Before.Time)
		}
	}
	if len(res.Draws) > 0 {
		return ""
	}
	for _, stage := range []d3d9.Stage{d3d9.Pixel, d3d9.Vertex} {
		for i := range res.Stages {
			if s := &res.Stages[i]; s.Stage == stage {
				before = append(before, float64(s.Before.Slots))
				after = append(after, float64(s.Now().Slots))
			}
		}
	}
	for i := range before {
		switch {
		case after[i] < before[i]:
			return ""
		case after[i] > before[i]:
			return fmt.Sprintf("%v slots, were %v, pixel program first", after, before)
		}
	}
	return ""
}

// effectCostsMore compares the parts of an effect. Of those that several are drawn with, slots are
// compared by what is drawn together.
func effectCostsMore(res *shaderlift.Result) string {
	grouped := map[string]bool{}
	for _, g := range res.Groups {
		for _, p := range g.Pairs {
			grouped[p.Vertex], grouped[p.Pixel] = true, true
			if x, v := p.PixelSlots, p.VertexSlots; x.After > x.Before || x.After == x.Before && v.After > v.Before {
				return fmt.Sprintf("%s with %s: %v and %v slots", p.Pixel, p.Vertex, x, v)
			}
		}
	}
	for _, p := range res.Parts {
		if worse := costsMore(p); worse != "" && (len(p.Draws) > 0 || !grouped[p.Name]) {
			return p.Name + ": " + worse
		}
	}
	return ""
}
