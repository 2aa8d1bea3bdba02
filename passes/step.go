package passes

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
)

// Step is one granted rewrite: the unit that bisection counts and reports.
type Step struct {
	StepID
	Number int    // among all rewrites of the run, from 1 on: fuel N ends with step N
	Pass   string // of the stage
	// Code is the kind of rewrite, as listed in package diag.
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

// StepID identifies the action and place of a step. Unlike a number, it does not change if earlier steps are
// skipped or if a refused pass asks again.
type StepID struct {
	Stage int // index of the stage in the pipeline
	Pos   asm.Pos
	Op    string // of the instruction, empty if there is none
	What  string // the action
}

// Grant asks permission for one rewrite at an instruction, as [Ctx.ShouldRewrite] does.
type Grant func(in *ir.Instr, code asm.Code, what string) bool

// Always permits every rewrite of a trial.
func Always(*ir.Instr, asm.Code, string) bool { return true }

// leave decides about the steps of a run.
type leave struct {
	fuel   *int
	budget *budget.Budget
	skip   []StepID
	trace  func(Step)
	number int // steps of earlier stages
}

// ShouldRewrite asks permission for one rewrite at in (nil if it concerns no single instruction). The argument code is
// the kind of rewrite, and the last one names the action in a word or two, such as "removed". If it returns
// false, the pass must not make the rewrite. It may ask for other rewrites, unless [Ctx.Stopped].
//
// Deadlines are checked once in 64 steps. All rewrites are countable, so a wrong result can be bisected:
// halve the fuel until one step separates a good and a bad result.
func (c *Ctx) ShouldRewrite(in *ir.Instr, code asm.Code, what string) bool {
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
		c.unit.known = prints{}
	}
	if l.trace != nil {
		l.trace(Step{id, l.number + c.steps, c.Pass.Name, code})
	}
	return true
}

// Stopped reports whether no further rewrite will be granted. A single refusal does not imply this: the
// rewrite may be in Skip.
func (c *Ctx) Stopped() bool { return c.stopped }

// Spend charges a number of search steps to the budget, and reports whether the pass may continue. If not,
// the pass returns; its changes so far are kept.
func (c *Ctx) Spend(steps int) bool {
	if c.leave.budget.SpendSteps(steps) != nil {
		c.stopped = true
	}
	return !c.stopped
}
