package verify

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// Executions say something about a program if they tell it from those that are nearly the
// same: they are adequate relative to its mutants (DeMillo, Lipton and Sayward, Hints on Test
// Data Selection, Computer 11 (4), 1978). That takes in what coverage asks for: a decision that
// only ever falls one way is no other than one that always does, and one that falls both ways
// to no effect is not tested by that. The mutants are those of verify/alter.go.

// showing is a launch that was compared, and what it computes once that is asked for.
type showing struct {
	shot
	taken  int     // steps of all executions
	sample *sample // of before
	steps  [2]int  // of the sides
}

// inadequacy says what of the sides the executions would not tell from something else, if anything: the
// first mutant of either side that survives every launch. Launches that took few steps are tried first.
// It costs the mutants times the launches at worst, within the rung's budget.
func (c *kernelChecker) inadequacy(programs [2]*kernel.Program) string {
	slices.SortStableFunc(c.shown, func(a, b *showing) int { return a.taken - b.taken })
	t := teller{c: c, programs: programs, left: allowances[c.Effort].shots}
	kernels := [2]*il.Kernel{c.before, c.after}
	for side, k := range kernels {
		for _, m := range alterationsOf(k, kernels[1-side]) {
			told := t.tells(side, m.kernel(k), m.early)
			what := fmt.Sprintf("statement %d:%d of %s were %s", m.at.Line, m.at.Col, [...]string{"before", "after"}[side], m.what)
			if t.left <= 0 || c.part(tellRung).Err() != nil {
				return "it takes too long to find out what executions would show if " + what
			} else if !told {
				return "no execution would show it if " + what
			}
		}
	}
	return ""
}

// teller executes altered kernels on the launches that were compared: at first on those that take
// few steps, and on that which told something last.
type teller struct {
	c        *kernelChecker
	programs [2]*kernel.Program
	left     int // steps
}

// tells reports whether an execution tells k, which is one side altered, from before, or, if bySteps,
// from that side by its number of steps. The launch that did goes to the front.
func (t *teller) tells(side int, k *il.Kernel, bySteps bool) bool {
	program, err := kernel.Compile(k)
	if err != nil {
		return true // it is no kernel
	}
	equal := closeEnough
	if t.c.exactly() {
		equal = sameBits
	}
	for i, s := range t.c.shown {
		if t.left <= 0 {
			return false
		}
		if s.sample == nil && !t.execute(s) {
			continue
		}
		res, err := t.run(program, s, min(patience*s.steps[0]+1<<16, t.left))
		if err == nil && !(bySteps && res.Steps != s.steps[side]) {
			if x := compare(s.sample, launched(res, s.launch), equal); x.differing == 0 && x.shape == "" {
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

// execute runs the sides as they are.
func (t *teller) execute(s *showing) bool {
	for i, program := range t.programs {
		res, err := t.run(program, s, min(s.taken, t.left))
		if err != nil {
			return false
		}
		if s.steps[i] = res.Steps; i == 0 {
			s.sample = launched(res, s.launch)
		}
	}
	return true
}

// run pays for a run.
func (t *teller) run(p *kernel.Program, s *showing, most int) (*kernel.Result, error) {
	res, err := p.Run(s.launch, kernel.Options{Steps: most, Budget: t.c.part(tellRung)})
	if err != nil {
		t.left -= most
		return nil, err
	}
	t.left -= res.Steps
	return res, nil
}
