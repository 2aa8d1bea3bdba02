package verify

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// rung is what of a check pays for itself. Each has its own part of the budget, so that an
// expensive proof leaves enough for the executions that may refute it.
type rung uint8

const (
	termsRung  rung = iota // R1
	runsRung               // R2
	fieldRung              // R3
	searchRung             // R2, where a difference is looked for
	tellRung               // R2, where it is asked what its executions would tell apart
	numRungs
)

// allowance is what the rungs of a check may take. Work is counted in steps and not in time, so
// that verdicts are reproducible: a step is an instruction executed in a symbolic domain, or by
// the interpreter for 64 invocations.
type allowance struct {
	steps  [numRungs]int64
	memory int64 // bytes that a domain may hold
	shots  int   // steps of the launches of a kernel but the usual ones
	bred   int   // launches that are bred where a difference is looked for
	breeds int   // steps of these
}

// allowances are by effort. The sizes are measured, not derived: of programs in the field none
// takes a quarter of what Quick has, and what exceeds it was made to.
var allowances = [...]allowance{
	Quick: {[numRungs]int64{termsRung: 1 << 21, runsRung: 1 << 22, fieldRung: 1 << 22, searchRung: 1 << 20, tellRung: 1 << 20}, 192 << 20, 1 << 26, 150, 1 << 22},
	Full:  {[numRungs]int64{termsRung: 1 << 24, runsRung: 1 << 26, fieldRung: 1 << 25, searchRung: 1 << 24, tellRung: 1 << 24}, 1 << 30, 1 << 30, 4000, 1 << 30},
}

// Allowance is how many steps a check of some effort may take in all, its rungs together.
func Allowance(e Effort) (steps int64) {
	for _, n := range allowances[e].steps {
		steps += n
	}
	return steps
}

// part is the part of the budget that a rung pays from, allotted when it is first asked for, so
// that a rung that is not climbed takes nothing.
func (c *ladder) part(r rung) *budget.Budget {
	if c.parts[r] == nil {
		a := &allowances[c.Effort]
		c.parts[r] = c.Budget.Part(a.steps[r], a.memory)
	}
	return c.parts[r]
}

// spend makes rung r pay for what is executed symbolically from now on.
func (c *ladder) spend(r rung) {
	for _, o := range c.sides {
		o.work = c.part(r)
	}
}

// runs is what is left for rung 2.
func (c *ladder) runs() *budget.Budget { return c.part(runsRung) }

// glances is how many instructions are executed between looks at what a domain holds.
const glances = 1 << 8

// pay pays for an instruction: one step, and the steps that the domain has taken for it since it
// was asked last. What a domain holds is looked at every glances instructions only, because
// it is summed up anew each time.
func (w *walker[T]) pay() error {
	steps := 1
	if d, ok := w.dom.(symbolic.Laborer); ok {
		steps += d.Worked()
	}
	if err := w.work.Work(steps); err != nil {
		return err
	}
	if d, ok := w.dom.(symbolic.Weigher); ok && w.budget%glances == 0 {
		return w.work.Hold(d.Weight())
	}
	return nil
}

// wordsPerStep is how many operations on words are counted as a step: they take no domain.
const wordsPerStep = 16

// payWords pays for operations on words; what is less than a step is carried over.
func (w *walker[T]) payWords(n int) error {
	w.unpaid += n
	steps := w.unpaid / wordsPerStep
	w.unpaid %= wordsPerStep
	return w.work.Work(steps)
}

// share is how many of the steps that are left one launch may take.
const share = 4

// stopped reports whether err, from an interpreter, means that the run took more than it may.
func stopped(err error) bool {
	var d *asm.Diag
	return errors.As(err, &d) && d.Code == "step-limit"
}

// capped lowers a verdict to Unknown if nothing could be executed, because the budget is too small
// or the interpreter has no room for the program. A proof assumes that programs were read and lifted
// rightly; execution checks exactly that, so a proof without any is not believed.
func (c *ladder) capped(run execution) {
	r := &c.report
	if !run.unrun || r.Draws > 0 || !r.Verdict.OK() {
		return
	}
	r.Why = fmt.Sprintf("it would be %s, but nothing could be executed: %s", r.Verdict, run.why)
	r.Verdict, r.Unrun = Unknown, run.before
}
