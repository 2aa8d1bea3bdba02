package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

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

// again is of how many results one is verified once more, with other draws.
const again = 64

// perform optimizes and holds the result against what is promised.
func (t *task) perform(ctx context.Context, j uint64) (out outcome) {
	fail := func(format string, args ...any) outcome {
		out.fault = &shaderlift.Fault{Task: shaderlift.TaskOptimize, Input: t.input, Options: t.options, Err: fmt.Errorf(format, args...)}
		return out
	}
	defer func() {
		if p := recover(); p != nil {
			fail("panic: %v", p)
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
	var f *shaderlift.Fault
	switch {
	case errors.As(err, &f):
		out.fault = f
		return out
	case err != nil:
		return fail("%v", err)
	case len(res.Faults) > 0:
		out.fault = res.Faults[0]
		return out
	case !res.Verdict().OK():
		return fail("written as %s", res.Verdict())
	case len(res.Files) != len(t.input.Files):
		return fail("%d files of %d", len(res.Files), len(t.input.Files))
	}
	// Without Keep a result that costs more must not be written.
	if !t.options.Keep {
		if worse := costsMore(res); worse != "" {
			return fail("costs more: %s", worse)
		}
	}
	if j%again == 0 && res.Status == shaderlift.Improved && len(res.Uploads) == 0 {
		o := shaderlift.Options{Numerics: t.options.Numerics, Seed: j + 1, Effort: verify.Full, Require: verify.Tested}
		after := shaderlift.Input{Files: res.Files}
		if v, err := shaderlift.Verify(ctx, t.input, after, o); err == nil && v.Verdict() == verify.Refuted {
			out.fault = &shaderlift.Fault{Task: shaderlift.TaskVerify, Input: t.input, After: &after, Options: o, Err: errors.New("refuted on other draws")}
		}
	}
	return out
}

// lacks reports whether a program uses what the target does not have.
func lacks(err error) bool {
	var d *asm.Diag
	return errors.As(err, &d) && d.Code == "not-supported"
}

// costsMore compares what the target counts: the times of draws, or slots in the order of
// their weight.
func costsMore(res *shaderlift.Result) string {
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
