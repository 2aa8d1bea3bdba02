package opt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/shaderlift/shaderlift/passes"
)

// Blame identifies the rewrite that causes a fault or a wrong result.
type Blame struct {
	// Step is the rewrite; nil if the fault happens before the first rewrite.
	Step *passes.Step
	// Pass is the pass that made it, or in which the fault happened.
	Pass string
	// Of is the number of all rewrites.
	Of int
	// Why describes the fault that appears after the rewrite and not before it.
	Why string
}

// String names the rewrite and the fault after it.
func (b *Blame) String() string {
	if b.Step == nil {
		return strings.TrimSpace(fmt.Sprintf("%s, before the first of %d rewrites: %s", b.Pass, b.Of, b.Why))
	}
	return fmt.Sprintf("%s, of %d: %s", b.Step, b.Of, b.Why)
}

// ErrNotShown is the error of Bisect and Reduce if they find nothing. Either the fault of a reproducer
// no longer happens, or no fault was met and the verdict is at least the required one.
var ErrNotShown = errors.New("no fault happens, and the verdict is not below --require")

// Bisect finds the first rewrite of Optimize after which fault f happens. If f has no Err, it finds the
// first rewrite after which the verdict is below Options.Require. It runs the pipeline repeatedly with
// more or less fuel. If the symptom is not monotonic in the rewrites, Bisect finds one of the rewrites
// after which it appears. The error is ErrNotShown or describes the fault in the input or the options.
func Bisect(ctx context.Context, f *Fault) (*Blame, error) {
	if f.taskOrDefault() != TaskOptimize {
		return nil, fmt.Errorf("no rewrite causes a fault of %s", f.taskOrDefault())
	}
	for _, t := range trialsOf(ctx, f) {
		b, err := t.bisect()
		if b != nil || err != nil {
			return b, err
		}
	}
	return nil, ErrNotShown
}

// bisect finds the least number of rewrites after which the symptom appears, by binary search over
// fuel. It returns nil if the symptom does not appear with all rewrites.
func (t *trial) bisect() (*Blame, error) {
	whole, err := t.runWithFuel(-1)
	if err != nil || whole.why == "" {
		return nil, err
	}
	b := &Blame{Of: len(whole.steps), Why: whole.why, Pass: whole.pass}
	at := sort.Search(len(whole.steps), func(n int) bool {
		s, err := t.runWithFuel(n)
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

// shows runs the pipeline with fuel for n rewrites (no limit if n is negative). It sets s.why if the
// symptom appears as a fault of a pass, as a fault of emission or as the verdict on the result.
func (z *optimizer) shows(symptom string, n int, s *shown) {
	u := z.subject.freshUnit()
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
	// Check faults of passes first: they change the result that emission and verification see.
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
