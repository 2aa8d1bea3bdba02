package verify

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/budget"
)

// rung is a part of a check. Each has its own share of the budget, so that an expensive proof leaves enough
// for executions that may refute it.
type rung uint8

const (
	termsRung     rung = iota // R1
	runsRung                  // R2
	fieldRung                 // R3
	stabilityRung             // R3, where roundings are compared
	searchRung                // R2, the search for a difference
	tellRung                  // R2, the mutants that its executions must kill
	numRungs
)

// allowance is the budget of the rungs of a check. Work is counted in steps and not in time, so that verdicts
// are reproducible. A step is an instruction executed in a symbolic domain, or by the interpreter for 64
// invocations.
type allowance struct {
	steps  [numRungs]int64
	memory int64 // bytes, limit of a domain
	shots  int   // steps of additional kernel launches
	bred   int   // fuzzed launches in the search for a difference
	breeds int   // steps of the fuzzed launches
}

// allowances are indexed by effort. The sizes are measured, not derived: no program in the field takes a
// quarter of the Quick allowance. Programs that exceed it were written to do so.
var allowances = [...]allowance{
	Quick: {[numRungs]int64{termsRung: 1 << 21, runsRung: 1 << 22, fieldRung: 1 << 22, stabilityRung: 1 << 22, searchRung: 1 << 20, tellRung: 1 << 20}, 192 << 20, 1 << 26, 150, 1 << 22},
	Full:  {[numRungs]int64{termsRung: 1 << 24, runsRung: 1 << 26, fieldRung: 1 << 25, stabilityRung: 1 << 25, searchRung: 1 << 24, tellRung: 1 << 24}, 1 << 30, 1 << 30, 4000, 1 << 30},
}

// Allowance returns the number of steps that all rungs of a check may take together at effort e.
func Allowance(e Effort) (steps int64) {
	for _, n := range allowances[e].steps {
		steps += n
	}
	return steps
}

// rungBudget returns the budget of a rung. It is allotted at the first use, so that an unused rung takes nothing.
func (c *ladder) rungBudget(r rung) *budget.Budget {
	if c.parts[r] == nil {
		a := &allowances[c.Effort]
		c.parts[r] = c.Budget.SubBudget(a.steps[r], a.memory)
	}
	return c.parts[r]
}

// spend charges later symbolic execution to rung r.
func (c *ladder) spend(r rung) {
	for _, o := range c.sides {
		o.Work = c.rungBudget(r)
	}
}

// runsBudget returns the remaining budget of rung 2.
func (c *ladder) runsBudget() *budget.Budget { return c.rungBudget(runsRung) }

// share is the divisor of the remaining steps that limits one launch.
const share = 4

// stopped reports whether err, from an interpreter, means that the run took more than it may.
func stopped(err error) bool {
	var d *asm.Diag
	return errors.As(err, &d) && d.Code == "step-limit"
}

// capped lowers a verdict to Unknown if nothing could be executed: the budget is too small, or the
// interpreter has no room for the program. A proof assumes correct reading and lifting, which execution
// checks; a proof without an execution is therefore not trusted.
func (c *ladder) capped(run execution) {
	r := &c.report
	if !run.unrun || r.draws > 0 || !r.Verdict.OK() {
		return
	}
	r.Why = fmt.Sprintf("the verdict would be %s, but no execution was possible: %s", r.Verdict, run.why)
	r.Verdict, r.Unrun = Unknown, run.before
}
