package opt

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// job is the work on one input: the caller's options, its budget and facts about this input alone.
type job struct {
	Options
	// ctx ends the job.
	ctx   context.Context
	spend spending
	// known are the Constants in the form of this input.
	known []verify.Constant
}

// canceled turns the result of a job into a failure if its context has ended, since the result is then
// incomplete. It is for deferred calls. Options.Limits.Time does not end the context.
func (o *job) canceled(res **Result, err *error) {
	var fault *Fault
	cause := context.Cause(o.ctx)
	if cause == nil || errors.As(*err, &fault) {
		return
	}
	if *res != nil {
		(*res).Fail(cause)
	}
	*err = cause
}

// contained runs work on the input of a task, f. It checks the options and makes the budget. A panic
// becomes the error f, and an error or the end of the context fails the result.
func (o job) contained(f *Fault, work func(job, *Result) error) (res *Result, err error) {
	defer o.canceled(&res, &err)
	defer recovered(f, &res, &err)
	res = newResult(f.Input)
	if err = o.Check(f.Input.Kind()); err == nil {
		defer o.begin()()
		err = work(o, res)
	}
	if err != nil {
		res.Fail(err)
	}
	return res, err
}

// spending is the budget of one input. It counts work, so that a limit cuts off at the same point on
// every machine; only Options.Limits.Time is a time.
type spending struct {
	whole   *budget.Budget // ends all work
	price   *budget.Budget // passes, and pricing of their versions
	rewrite *budget.Budget // part of price, until rewriting has to stop
	checks  *budget.Budget // verification, over all attempts
	shared  *verify.Shared // state that all checks of the input share
}

const (
	// maxRewriting limits the statements that are written, read back, compiled and priced while passes
	// search. It is ten times the need of the most expensive kernel known.
	maxRewriting = 1 << 25
	// rewritingShare is the part of a time limit after which rewriting stops, in percent. The rest is
	// for pricing and verifying the result.
	rewritingShare = 50
	// pricingShare is the part of a time limit after which an unfinished pass is undone, in percent.
	pricingShare = 60
)

// unbounded returns a budget that only the end of ctx limits.
func unbounded(ctx context.Context) spending {
	b := budget.New(ctx, budget.Unlimited, budget.Unlimited)
	return spending{b, b, b, b, nil}
}

// begin makes the budget of an input. Calling end releases it.
func (o *job) begin() (end func()) {
	ctx, pricing, rewriting, end := o.ctx, o.ctx, o.ctx, func() {}
	if o.Limits.Time > 0 {
		var whole, most, half context.CancelFunc
		ctx, whole = context.WithTimeout(ctx, o.Limits.Time)
		pricing, most = context.WithTimeout(ctx, o.Limits.Time*pricingShare/100)
		rewriting, half = context.WithTimeout(ctx, o.Limits.Time*rewritingShare/100)
		end = func() { half(); most(); whole() }
	}
	o.spend.whole = budget.New(ctx, budget.Unlimited, budget.Unlimited)
	o.spend.price = budget.New(pricing, maxRewriting, budget.Unlimited)
	o.spend.rewrite = o.spend.price.Until(rewriting)
	o.spend.shared = &verify.Shared{}
	o.spend.checks = o.spend.whole.SubBudget(o.checks()*verify.Allowance(o.Limits.Effort), budget.Unlimited)
	return end
}

// checks returns the number of full checks that verification may spend over all attempts. One is for
// the result. The others are for a binary search for the stage to blame if the result fails. The search
// covers at least as many stages as the usual level has. The search for the rewrite spends the rest.
func (o *Options) checks() int64 {
	stages := 0
	for _, asked := range []*Options{{}, o} {
		if p, err := asked.pipeline(input.KindKernel); err == nil { // else nothing is run
			stages = max(stages, len(p))
		}
	}
	return int64(1 + bits.Len(uint(stages)))
}

// isExhausted reports whether the budget for improvements is exhausted.
func (s *spending) isExhausted() bool { return s.whole.Err() != nil || s.checks.Err() != nil }

// noteExhausted remarks that a budget was exhausted; err names it.
func (r *Result) noteExhausted(err error, what string) {
	code := asm.Code("work-limit")
	if errors.Is(err, budget.ErrTime) {
		code = "time-limit"
	}
	r.remark(asm.Pos{}, code, fmt.Sprintf("%s: %v", what, err))
}

// candidate returns the subject's version of a unit, or nil if the budget to make or to verify it is
// exhausted.
func (z *optimizer) candidate(u *passes.Unit, class passes.Class, to purpose) (*candidate, error) {
	s := &z.o.spend
	if s.isExhausted() {
		return nil, nil
	}
	for _, f := range u.Funcs() {
		f.Budget = s.whole
	}
	c, err := func() (c *candidate, err error) {
		defer budget.Catch(&err)
		return z.subject.candidate(u, class, to)
	}()
	if budget.IsExhausted(err) {
		return nil, nil
	}
	if err == nil && c != nil && c.report.Verdict < z.least && c.worse == "" && s.isExhausted() {
		return nil, nil
	}
	return c, err
}
