package shaderlift

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/shaderlift/shaderlift/passes"
)

// Blame is the rewrite that brings about a fault or a wrong result.
type Blame struct {
	// Step is the rewrite; nil if the fault happens before any rewrite is made.
	Step *passes.Step
	// Pass is the pass that made it, or in which the fault happened.
	Pass string
	// Of is how many rewrites are made in all.
	Of int
	// Why is what is wrong after it, and is not before it.
	Why string
}

// String names the rewrite and says what is wrong after it.
func (b *Blame) String() string {
	if b.Step == nil {
		return strings.TrimSpace(fmt.Sprintf("%s before the first of %d rewrites: %s", b.Pass, b.Of, b.Why))
	}
	return fmt.Sprintf("%s, of %d: %s", b.Step, b.Of, b.Why)
}

// ErrNotShown is what Bisect and Reduce return if there is nothing to find: what a reproducer has
// recorded does not happen (any more), or no fault was met, and the verdict is the least that is accepted or above.
var ErrNotShown = errors.New("no fault happens here, and the verdict is what is required")

// Bisect finds the first rewrite of Optimize after which fault f happens; if f has no Err,
// the first after which the verdict is below Options.Require. It runs the pipeline again
// and again with more or less fuel, and where what happens comes and goes with the rewrites
// finds one of those after which it comes. The error is ErrNotShown, or what is wrong with
// the input or the options.
func Bisect(ctx context.Context, f *Fault) (*Blame, error) {
	if f.task() != TaskOptimize {
		return nil, fmt.Errorf("a fault of %s has no rewrite to blame", f.task())
	}
	for _, t := range trialsOf(ctx, f) {
		b, err := t.bisect()
		if b != nil || err != nil {
			return b, err
		}
	}
	return nil, ErrNotShown
}

// bisect finds the first number of rewrites after which the symptom shows, by binary search over
// fuel. It returns nil if the symptom does not show with all of them.
func (t *trial) bisect() (*Blame, error) {
	whole, err := t.run(-1)
	if err != nil || whole.why == "" {
		return nil, err
	}
	b := &Blame{Of: len(whole.steps), Why: whole.why, Pass: whole.pass}
	at := sort.Search(len(whole.steps), func(n int) bool {
		s, err := t.run(n)
		if err != nil || s.why == "" {
			return false
		}
		b.Why, b.Pass = s.why, s.pass
		return true
	})
	if err := context.Cause(t.ctx); err != nil {
		return nil, err
	}
	if at == 0 {
		return b, nil
	}
	step := whole.steps[min(at, len(whole.steps))-1]
	if b.Step = &step; b.Pass == "" {
		b.Pass = step.Pass
	}
	return b, nil
}

// shows runs the pipeline with fuel for n rewrites (any number if n is negative) and sets s.why if
// the symptom shows: as a fault of a pass, of emission, or as the verdict on the result.
func (z *optimizer) shows(symptom string, n int, s *shown) {
	u := z.subject.unit()
	if u == nil {
		return
	}
	cfg := z.config(z.class)
	cfg.Cut = true
	cfg.Trace = func(x passes.Step) { s.steps = append(s.steps, x) }
	if n >= 0 && (cfg.Fuel == nil || n < *cfg.Fuel) {
		cfg.Fuel = &n
	}
	report, err := passes.Run(u, z.pipeline, cfg)
	var fault *passes.Fault
	if err != nil && !errors.As(err, &fault) {
		return
	}
	// Faults of passes come first, since without them the result would not be what it is.
	for _, wrong := range report.Faults {
		if f := faultOf(z.in, z.o.Options, wrong); f.symptom() == symptom {
			s.why, s.pass = wrong.Err.Error(), wrong.Pass
			return
		}
	}
	met := func() bool {
		i := slices.IndexFunc(z.res.Faults, func(f *Fault) bool { return f.symptom() == symptom })
		if i >= 0 {
			s.why = z.res.Faults[i].Err.Error()
		}
		return i >= 0
	}
	if met() {
		return
	}
	s.idle = !report.Changed() && z.subject.exceeded() == nil && !z.subject.restated()
	c, err := z.subject.candidate(u, z.class, toJudge)
	if met() {
		return
	}
	if err == nil && c != nil && z.below(c.report.Verdict, symptom) {
		s.why = fmt.Sprintf("the result is %s: %s", c.report.Verdict, c.report.Why)
	}
}
