package shaderlift

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// spending is what one input may take. Work is counted, so that what it cuts off is the
// same on every machine; only Options.TimeLimit is time.
type spending struct {
	whole   *budget.Budget // nothing goes on after it ends
	price   *budget.Budget // of passes, and of pricing what they make
	rewrite *budget.Budget // the same, as long as rewrites are granted
	checks  *budget.Budget // of verification, over all attempts
}

const (
	// maxRewriting bounds the statements that are written, read back, compiled and priced
	// while passes look for what pays: ten times what the most expensive kernel known takes.
	maxRewriting = 1 << 25
	// rewritingShare is the part of a time limit after which rewriting stops, in percent:
	// what is there then has to be priced and verified.
	rewritingShare = 50
	// pricingShare is the part of it after which a pass that is still at work is taken back.
	pricingShare = 60
)

// unbounded is spending that only the end of ctx bounds.
func unbounded(ctx context.Context) spending {
	b := budget.New(ctx, budget.Unlimited, budget.Unlimited)
	return spending{b, b, b, b}
}

// begin makes the budget of an input. What is returned ends it.
func (o *job) begin() (end func()) {
	ctx, pricing, rewriting, end := o.ctx, o.ctx, o.ctx, func() {}
	if o.TimeLimit > 0 {
		var whole, most, half context.CancelFunc
		ctx, whole = context.WithTimeout(ctx, o.TimeLimit)
		pricing, most = context.WithTimeout(ctx, o.TimeLimit*pricingShare/100)
		rewriting, half = context.WithTimeout(ctx, o.TimeLimit*rewritingShare/100)
		end = func() { half(); most(); whole() }
	}
	o.spend.whole = budget.New(ctx, budget.Unlimited, budget.Unlimited)
	o.spend.price = budget.New(pricing, maxRewriting, budget.Unlimited)
	o.spend.rewrite = o.spend.price.Until(rewriting)
	o.spend.checks = o.spend.whole.Part(o.checks()*verify.Allowance(o.Effort), budget.Unlimited)
	return end
}

// checks is how many checks that use up all they may verification takes over all attempts:
// one of the result and, where that fails, those of a search by halves for the stage to
// blame, among as many as the usual level has at least. Checks that use up less leave the
// rest to the search for the rewrite.
func (o *Options) checks() int64 {
	stages := 0
	for _, asked := range []*Options{{}, o} {
		if p, err := asked.pipeline(true); err == nil { // else nothing is run
			stages = max(stages, len(p))
		}
	}
	return int64(1 + bits.Len(uint(stages)))
}

// over reports whether there is nothing left to make something better with.
func (s *spending) over() bool { return s.whole.Err() != nil || s.checks.Err() != nil }

// noteExhausted remarks that a budget was used up, which err says.
func (r *Result) noteExhausted(err error, what string) {
	code := asm.Code("work-limit")
	if errors.Is(err, budget.ErrTime) {
		code = "time-limit"
	}
	r.remark(asm.Pos{}, code, fmt.Sprintf("%s: %v", what, err))
}

// candidate is what the subject makes of a unit, nil if there is nothing left to make or
// to verify it with.
func (z *optimizer) candidate(u *passes.Unit, class passes.Class, to purpose) (*candidate, error) {
	s := &z.o.spend
	if s.over() {
		return nil, nil
	}
	for _, f := range u.Funcs() {
		f.Budget = s.whole
	}
	c, err := func() (c *candidate, err error) {
		defer budget.Catch(&err)
		return z.subject.candidate(u, class, to)
	}()
	if budget.Is(err) {
		return nil, nil
	}
	if err == nil && c != nil && c.report.Verdict < z.least && c.worse == "" && s.over() {
		return nil, nil
	}
	return c, err
}
