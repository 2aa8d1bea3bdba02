package passes

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/ir"
)

// Step is one rewrite that a pass was granted: what bisection counts, and names in the end.
type Step struct {
	StepID
	Number int    // among all rewrites of the run, from 1 on: fuel N ends with step N
	Pass   string // that the stage runs
	// Code is what kind of rewrite it is, as package diag lists them.
	Code asm.Code
}

func (s Step) String() string {
	text := fmt.Sprintf("step %d, stage %d (%s)", s.Number, s.Stage+1, s.Pass)
	if s.Pos.IsValid() {
		text += ", " + s.Pos.String()
	}
	text += ": "
	if s.Op != "" {
		text += s.Op + " "
	}
	return text + s.What
}

// StepID says what a step does and where. That stays what it is where steps before it are
// left out, and where a pass that was refused asks again; a number would not.
type StepID struct {
	Stage int // index of the stage in the pipeline
	Pos   asm.Pos
	Op    string // of the instruction meant, empty if none is
	What  string // is done to it
}

// Grant asks leave for one rewrite at an instruction, as [Ctx.Step] does. Code that is
// tried before it is made takes one that always agrees.
type Grant func(in *ir.Instr, code asm.Code, what string) bool

// leave is what decides about the steps of a run.
type leave struct {
	fuel   *int
	budget *budget.Budget
	skip   []StepID
	trace  func(Step)
	number int // steps of stages before
}

// Step asks leave for one rewrite at in (nil where no one instruction is meant); code
// is the kind of rewrite, and what says in a word or two what becomes of in, such as
// "removed". Where it answers false the pass must leave that as it is. It may ask for
// other rewrites, unless [Ctx.Stopped].
//
// Deadlines are looked at once in 64 steps. All rewrites are countable, so a wrong
// result can be bisected: run with half the fuel until one step is left between a good
// and a bad result.
func (c *Ctx) Step(in *ir.Instr, code asm.Code, what string) bool {
	l := &c.leave
	switch {
	case l.fuel != nil && *l.fuel <= 0:
		c.stopped, c.dry = true, true
	case c.steps&63 == 63 && l.budget.Err() != nil:
		c.stopped = true
	}
	if c.stopped {
		c.refused = true
		return false
	}
	id := StepID{Stage: c.stage, What: what}
	if in != nil {
		id.Pos, id.Op = in.Pos, in.Op.String()
	}
	if slices.Contains(l.skip, id) {
		c.refused = true
		return false
	}
	if l.fuel != nil {
		*l.fuel--
	}
	c.steps++
	if c.unit != nil {
		c.unit.known = nil
	}
	if l.trace != nil {
		l.trace(Step{id, l.number + c.steps, c.Pass.Name, code})
	}
	return true
}

// Stopped reports whether no rewrite will be granted any more. A refusal alone does not
// tell: a single rewrite may have been left out.
func (c *Ctx) Stopped() bool { return c.stopped }

// Spend pays for so many steps of looking for rewrites, and reports whether the pass may go
// on. Where it may not, the pass returns; what it has done until then is kept.
func (c *Ctx) Spend(steps int) bool {
	if c.leave.budget.Work(steps) != nil {
		c.stopped = true
	}
	return !c.stopped
}
