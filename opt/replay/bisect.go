package replay

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/shaderlift/shaderlift/opt"
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
func Bisect(ctx context.Context, f *opt.Fault) (*Blame, error) {
	if opt.TaskOf(f) != opt.TaskOptimize {
		return nil, fmt.Errorf("no rewrite causes a fault of %s", opt.TaskOf(f))
	}
	for _, t := range opt.Trials(f) {
		b, err := bisect(ctx, t)
		if b != nil || err != nil {
			return b, err
		}
	}
	return nil, ErrNotShown
}

// bisect finds the least number of rewrites after which the symptom appears, by binary search over
// fuel. It returns nil if the symptom does not appear with all rewrites.
func bisect(ctx context.Context, t *opt.Trial) (*Blame, error) {
	whole, err := t.Run(ctx, -1)
	if err != nil || whole.Why == "" {
		return nil, err
	}
	b := &Blame{Of: len(whole.Steps), Why: whole.Why, Pass: whole.Pass}
	at := sort.Search(len(whole.Steps), func(n int) bool {
		s, err := t.Run(ctx, n)
		if err != nil || s.Why == "" {
			return false
		}
		b.Why, b.Pass = s.Why, s.Pass
		return true
	})
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if at == 0 {
		return b, nil
	}
	step := whole.Steps[min(at, len(whole.Steps))-1]
	if b.Step = &step; b.Pass == "" {
		b.Pass = step.Pass
	}
	return b, nil
}
