package trial

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// Executions are adequate relative to the mutants of a program if they kill them all (DeMillo, Lipton and
// Sayward, Hints on Test Data Selection, Computer 11 (4), 1978). This includes decision coverage: a decision
// that only falls one way equals one that always does. It also asks for an effect: a decision that falls both
// ways without any effect is not tested. See mutants.go for them.

// ShownLaunch is a launch on which both versions were compared.
type ShownLaunch struct {
	Case   *kernel.Case
	Taken  int     // steps of all executions
	sample *Sample // of before, once it is asked for
	steps  [2]int  // of both versions
}

// Survivor describes the first mutant of either kernel that survives every launch, and returns "" if none
// does. It tries launches of few steps first. Its cost is at worst mutants times launches, within the steps in
// left and the budget that allot returns. equal compares results. A mutant may take patience times as long as
// before.
func Survivor(kernels [2]*il.Kernel, programs [2]*kernel.Program, shown []*ShownLaunch, equal judge, patience,
	left int, allot func() *budget.Budget) string {
	slices.SortStableFunc(shown, func(a, b *ShownLaunch) int { return a.Taken - b.Taken })
	t := killer{programs: programs, shown: shown, equal: equal, patience: patience, left: left, allot: allot}
	for side, k := range kernels {
		for _, m := range Mutants(k, kernels[1-side]) {
			told := t.kills(side, m.Apply(k), m.Early)
			what := fmt.Sprintf("statement %d:%d of %s were %s", m.Pos.Line, m.Pos.Col, [...]string{"before", "after"}[side],
				m.What)
			if t.left <= 0 || t.allot().Err() != nil {
				return "it takes too long to find out what executions would show if " + what
			} else if !told {
				return "no execution would show it if " + what
			}
		}
	}
	return ""
}

// killer executes mutants on the launches that were compared. It starts with the launch that killed the last
// mutant and those of few steps.
type killer struct {
	programs [2]*kernel.Program
	shown    []*ShownLaunch
	equal    judge
	patience int
	left     int // steps
	allot    func() *budget.Budget
}

// kills reports whether an execution kills k, which is a mutant of version side, by a difference from before.
// If bySteps, a different number of steps also kills it. The launch that kills it moves to the front.
func (t *killer) kills(side int, k *il.Kernel, bySteps bool) bool {
	program, err := kernel.Compile(k)
	if err != nil {
		return true // the mutant is not valid
	}
	for i, s := range t.shown {
		if t.left <= 0 {
			return false
		}
		if s.sample == nil && !t.execute(s) {
			continue
		}
		res, err := t.executeLaunch(program, s, min(t.patience*s.steps[0]+1<<16, t.left))
		if err == nil && !(bySteps && res.Steps != s.steps[side]) {
			if x := Compare(s.sample, OfLaunch(res, s.Case), t.equal); x.Differing == 0 && x.Shape == "" {
				continue
			}
		}
		copy(t.shown[1:i+1], t.shown[:i])
		t.shown[0] = s
		return true
	}
	return false
}

// execute runs both unchanged versions and keeps the results of before.
func (t *killer) execute(s *ShownLaunch) bool {
	for i, program := range t.programs {
		res, err := t.executeLaunch(program, s, min(s.Taken, t.left))
		if err != nil {
			return false
		}
		if s.steps[i] = res.Steps; i == 0 {
			s.sample = OfLaunch(res, s.Case)
		}
	}
	return true
}

// executeLaunch executes p on a launch and subtracts its steps from t.left.
func (t *killer) executeLaunch(p *kernel.Program, s *ShownLaunch, most int) (*kernel.Result, error) {
	res, err := p.Run(s.Case, kernel.Options{Steps: most, Budget: t.allot()})
	if err != nil {
		t.left -= most
		return nil, err
	}
	t.left -= res.Steps
	return res, nil
}
