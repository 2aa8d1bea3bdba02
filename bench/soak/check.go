package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/opt/pair"
	"github.com/shaderlift/shaderlift/verify"
)

// outcome is the result of a task.
type outcome struct {
	status  shaderlift.Status
	verdict verify.Verdict
	fault   *shaderlift.Fault // the failure, usually nil
}

// again is the inverse fraction of results that are verified again at full effort, with other
// random inputs.
const again = 64

// perform optimizes the input and checks the guarantees on the result.
func (t *task) perform(ctx context.Context, j uint64) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			out.fault = t.fault("panic: %v", p)
			out.fault.Stack = debug.Stack()
		}
	}()
	// The result is a function of the task; the code below checks the guarantees on it.
	res, err := shaderlift.Optimize(ctx, t.input, t.options)
	if lacks(err) { // the chip may lack features that these kernels use
		t.options.Target = "cypress"
		res, err = shaderlift.Optimize(ctx, t.input, t.options)
	}
	out.status, out.verdict = res.Status, res.Verdict()
	if t.options.Fit != "" && errors.Is(err, shaderlift.ErrFit) && len(res.Faults) == 0 {
		return out // that is allowed
	}
	out.fault = t.judge(ctx, j, res, err)
	return out
}

// judge returns the fault in a result of the task, or nil.
func (t *task) judge(ctx context.Context, j uint64, res *shaderlift.Result, err error) *shaderlift.Fault {
	var f *shaderlift.Fault
	switch {
	case errors.As(err, &f):
		return f
	case len(res.Faults) > 0: // takes precedence over err, such as a failure to fit
		return res.Faults[0]
	case err != nil:
		return t.fault("%v", err)
	case !res.Verdict().OK() && res.Kind != shaderlift.KindEffect: // an effect may have no programs
		return t.fault("written as %s", res.Verdict())
	case len(res.Files) != len(t.input.Files):
		return t.fault("%d files of %d", len(res.Files), len(t.input.Files))
	}
	// Without Keep a result with a higher cost must not be written, unless the input did not fit.
	if !t.options.Keep && t.options.Fit == "" {
		if worse := costsMore(res, t.rise()); worse != "" {
			return t.fault("costs more: %s", worse)
		}
	}
	if i := slices.IndexFunc(res.Remarks, func(r shaderlift.Remark) bool { return r.Code == "part-failed" }); i >= 0 &&
		t.options.Fit == "" {
		return t.fault("%s", res.Remarks[i].Message)
	}
	if res.Status == shaderlift.Unchanged || res.Coarsened != nil || j%again != 0 && !t.special() {
		return nil
	}
	// A result that Optimize accepts must also pass Verify.
	o := t.options
	if o.Seed, o.Host.Uploads = j+1, res.Uploads; j%again == 0 {
		o.Limits.Effort = verify.Full
	}
	after := shaderlift.Input{Files: res.Files}
	// If the budget of a check ends before any execution, the verdict is unknown despite the proofs
	// (docs/verification.md).
	if _, err := shaderlift.Verify(ctx, t.input, after, o); err != nil &&
		!strings.Contains(err.Error(), "nothing could be executed") {
		return &shaderlift.Fault{Task: opt.TaskVerify, Input: t.input, After: &after, Options: o,
			Err: fmt.Errorf("not verified again: %w", err)}
	}
	return nil
}

// fault returns a fault of the optimization.
func (t *task) fault(format string, args ...any) *shaderlift.Fault {
	return &shaderlift.Fault{Task: opt.TaskOptimize, Input: t.input, Options: t.options, Err: fmt.Errorf(format, args...)}
}

// special reports whether all results of such tasks are verified again.
func (t *task) special() bool {
	return t.input.Kind() == shaderlift.KindEffect || t.options.Fit != "" || len(t.options.Host.Assume) > 0
}

// lacks reports whether a program uses a feature that the target does not have.
func lacks(err error) bool {
	var d *asm.Diag
	return errors.As(err, &d) && d.Code == "not-supported"
}

// rise returns the share by which the time of a draw may rise: the portable target, which is the default, accepts half
// a percent on a GPU if others gain.
func (t *task) rise() float64 {
	if t.options.Target == "" || t.options.Target == pair.PortableTarget {
		return 0.005
	}
	return 0
}

// costsMore compares the quantities that the target counts: the times of draws, which may rise by a share, or slots in
// the order of their weight.
func costsMore(res *shaderlift.Result, rise float64) string {
	if res.Kind == shaderlift.KindEffect {
		return effectCostsMore(res, rise)
	}
	var before, after []float64
	if k := res.Kernel; k != nil {
		return "" // launches of many wavefronts decide, whose cycles reports do not contain
	}
	for i := range res.Draws {
		if c := &res.Draws[i]; c.CurrentCost().Time > c.Before.Time*(1+rise) {
			return fmt.Sprintf("%g a pixel on %s, was %g", c.CurrentCost().Time, c.Target, c.Before.Time)
		}
	}
	if len(res.Draws) > 0 {
		return ""
	}
	for _, stage := range []d3d9.Stage{d3d9.Pixel, d3d9.Vertex} {
		for i := range res.Stages {
			if s := &res.Stages[i]; s.Stage == stage {
				before = append(before, float64(s.Before.Slots))
				after = append(after, float64(s.CurrentCost().Slots))
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

// effectCostsMore compares the parts of an effect. For parts that belong to a group, it compares
// the slots of the group's pairs.
func effectCostsMore(res *shaderlift.Result, rise float64) string {
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
		if worse := costsMore(p, rise); worse != "" && (len(p.Draws) > 0 || !grouped[p.Name]) {
			return p.Name + ": " + worse
		}
	}
	return ""
}
