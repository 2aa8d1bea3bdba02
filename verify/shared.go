package verify

import (
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Shared is the common state of checks of several versions of one input. The zero value serves the first
// check. The checks must not run concurrently.
type Shared struct {
	forms    int64 // steps of normal forms so far
	searched int   // searches by execution after all proofs had failed
	// draw is the default draw of the pair drawn.
	draw  *interp.Case
	drawn Pair
}

// searches returns the number of bits by which a search is shorter than the first one. Each search takes half
// of the steps of the one before. An input rarely has both versions that are refuted and versions that are
// not.
func (s *Shared) searches() int {
	if s == nil {
		return 0
	}
	return 1 + s.searched
}

// searchSteps limits the executions of one search for a difference, in steps of the interpreter, in checks
// that share.
const searchSteps = 1 << 15

// searching limits the executions of a search. The caller calls end after it.
func (c *checker) searching() (end func()) {
	if c.Shared == nil {
		return func() {}
	}
	whole := c.runsBudget()
	c.parts[runsRung] = whole.SubBudget(searchSteps>>c.Shared.searches(), allowances[c.Effort].memory)
	return func() {
		c.parts[runsRung] = whole
		c.Shared.searched++
	}
}

// Steps of the normal forms of one check. A step is an instruction, a coefficient of a form or an eighth of
// an inverse. Results for the corpora are the same as with twice these numbers. A degree that doubles with
// every product takes any number.
const (
	formsBase           = 1 << 15
	formsPerInstruction = 1 << 7
	// Factors for a check that shares nothing, and for full effort.
	formsIfAlone = 1 << 3
	formsIfFull  = 1 << 7
)

// forms returns the budget of the normal forms of this check. All checks of one input together take at most
// four thirds of the steps of one: each may take a quarter of the remaining steps.
func (c *ladder) forms() *budget.Budget {
	n := 0
	for _, o := range c.sides {
		n += o.Instructions()
	}
	steps := formsBase + formsPerInstruction*int64(n)
	switch {
	case c.Effort == Full:
		steps *= formsIfFull
	case c.Shared == nil:
		steps *= formsIfAlone
	}
	if c.Shared != nil {
		steps = min(steps, max(0, steps-3*c.Shared.forms/4))
	}
	return c.rungBudget(fieldRung).SubBudget(steps, allowances[c.Effort].memory)
}

// withForms runs a proof that pays from the budget of normal forms.
func (c *ladder) withForms(prove func()) {
	forms := c.forms()
	for _, o := range c.sides {
		o.Work = forms
	}
	if c.Shared != nil {
		defer func() {
			taken, _ := forms.Used()
			c.Shared.forms += taken
		}()
	}
	prove()
}
