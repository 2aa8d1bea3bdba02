package verify

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/internal/mutants"
	"github.com/shaderlift/shaderlift/verify/internal/outputs"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// Executions are adequate relative to the mutants of a program if they kill them all (DeMillo, Lipton and
// Sayward, Hints on Test Data Selection, Computer 11 (4), 1978). This includes decision coverage: a decision
// that only falls one way equals one that always does. It also asks for an effect: a decision that falls both
// ways without any effect is not tested. Package mutants makes them.

// showing is a launch that was compared, and its results once they are asked for.
type showing struct {
	shot
	taken  int             // steps of all executions
	sample *outputs.Sample // of before
	steps  [2]int          // of both versions
}

// inadequacy describes the first mutant of either version that survives every launch, and returns "" if none
// does. It tries launches of few steps first. Its cost is at worst mutants times launches, within the rung's
// budget.
func (c *kernelChecker) inadequacy(programs [2]*kernel.Program) string {
	slices.SortStableFunc(c.shown, func(a, b *showing) int { return a.taken - b.taken })
	t := teller{c: c, programs: programs, left: allowances[c.Effort].shots}
	kernels := [2]*il.Kernel{c.before, c.after}
	for side, k := range kernels {
		for _, m := range mutants.Of(k, kernels[1-side]) {
			told := t.tells(side, m.Apply(k), m.Early)
			what := fmt.Sprintf("statement %d:%d of %s were %s", m.Pos.Line, m.Pos.Col, [...]string{"before", "after"}[side], m.What)
			if t.left <= 0 || c.rungBudget(tellRung).Err() != nil {
				return "it takes too long to find out what executions would show if " + what
			} else if !told {
				return "no execution would show it if " + what
			}
		}
	}
	return ""
}

// teller executes mutants on the launches that were compared. It starts with the launch that killed the last
// mutant and those of few steps.
type teller struct {
	c        *kernelChecker
	programs [2]*kernel.Program
	left     int // steps
}

// tells reports whether an execution kills k, which is a mutant of version side, by a difference from before.
// If bySteps, a different number of steps also kills it. The launch that kills it moves to the front.
func (t *teller) tells(side int, k *il.Kernel, bySteps bool) bool {
	program, err := kernel.Compile(k)
	if err != nil {
		return true // the mutant is not valid
	}
	equal := outputs.CloseEnough
	if t.c.exactly() {
		equal = outputs.SameBits
	}
	for i, s := range t.c.shown {
		if t.left <= 0 {
			return false
		}
		if s.sample == nil && !t.execute(s) {
			continue
		}
		res, err := t.executeLaunch(program, s, min(patience*s.steps[0]+1<<16, t.left))
		if err == nil && !(bySteps && res.Steps != s.steps[side]) {
			if x := outputs.Compare(s.sample, outputs.OfLaunch(res, s.launch), equal); x.Differing == 0 && x.Shape == "" {
				continue
			}
		}
		shown := t.c.shown
		copy(shown[1:i+1], shown[:i])
		shown[0] = s
		return true
	}
	return false
}

// execute runs both unchanged versions and keeps the results of before.
func (t *teller) execute(s *showing) bool {
	for i, program := range t.programs {
		res, err := t.executeLaunch(program, s, min(s.taken, t.left))
		if err != nil {
			return false
		}
		if s.steps[i] = res.Steps; i == 0 {
			s.sample = outputs.OfLaunch(res, s.launch)
		}
	}
	return true
}

// executeLaunch executes p on a launch and subtracts its steps from t.left.
func (t *teller) executeLaunch(p *kernel.Program, s *showing, most int) (*kernel.Result, error) {
	res, err := p.Run(s.launch, kernel.Options{Steps: most, Budget: t.c.rungBudget(tellRung)})
	if err != nil {
		t.left -= most
		return nil, err
	}
	t.left -= res.Steps
	return res, nil
}
