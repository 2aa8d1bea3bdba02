package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// launchSteps limits the steps of before on one launch. A launch that exceeds it, or its share of the budget,
// is not compared.
const launchSteps = 1 << 24

// patience is the factor by which after may take longer than before. An after that takes longer counts as
// endless, which is a difference. Assumed.
const patience = 16

// execute launches both versions over a small domain.
func (c *kernelChecker) execute() execution {
	c.total, c.doubt, c.report.draws, c.shown = trial.Contrast{}, "", 0, nil
	var shots []shot
	for _, l := range c.launches() {
		shots = append(shots, shot{l, launchSteps})
	}
	return c.runAll(shots, len(shots))
}

// pursue executes more where neither proofs nor launches have decided. If the field proof found a difference, it
// tries more launches. It then tries launches directed at decisions of the kernels, and finally a search.
func (c *kernelChecker) pursue() execution {
	var shots []shot
	if c.differs() {
		for k := range uint64(moreLaunches) {
			shots = append(shots, shot{c.Constants.InLaunch(c.launch(1<<32 + k)), launchSteps})
		}
	}
	directed, found, leaves := c.directed()
	run := c.runAll(append(shots, directed...), len(shots))
	// Unwritten registers repeat every launch, which is too expensive for a search.
	if !run.different && len(leaves) > 0 && c.differs() && !c.loosely {
		if found := c.search(leaves, found); found != nil {
			return *found
		}
	}
	return run
}

// moreLaunches is the number of further launches if the first do not show a difference that the field proof found.
const moreLaunches = 4

// runAll executes both versions on launches until they differ. Launches after the usual ones share an
// allowance of steps. A launch on which before fails or takes too long is skipped.
func (c *kernelChecker) runAll(shots []shot, usual int) execution {
	var failed error
	programs, err := c.compile()
	if err != nil {
		return execution{why: "execution: " + err.Error(), unrun: true, before: programs[0] == nil}
	}
	left := allowances[c.Effort].shots
	for i, s := range shots {
		if err := c.runsBudget().Err(); err != nil {
			failed = asm.Errorf(asm.Pos{}, "step-limit", "%v", err)
			break
		}
		if i >= usual {
			if s.steps = min(s.steps, left); s.steps <= 0 {
				break
			}
		}
		x, found, run, err := c.compareLaunch(programs, s, uint64(i))
		if i >= usual {
			left -= run.taken
		}
		if err != nil {
			failed = err
			continue
		}
		if x.Points > 0 {
			c.report.draws++
			c.total.Merge(x)
			c.reached(run.seen)
			c.shown = append(c.shown, &trial.ShownLaunch{Case: s.launch, Taken: run.taken})
		}
		if found != nil {
			return *found
		}
	}
	c.report.MaxULP = c.total.MaxULP
	switch {
	case c.report.draws > 0:
		return execution{}
	case failed != nil:
		return execution{why: "execution: " + failed.Error(), unrun: true, before: true}
	}
	return execution{why: "execution: the launches show nothing"}
}

// compareLaunch executes both versions on launch number k and weighs a difference. found is nil unless they differ,
// also in the replay. If before reads unwritten registers, only differences that do not depend on them count
// (loosely).
func (c *kernelChecker) compareLaunch(programs [2]*kernel.Program, s shot, k uint64) (x *trial.Contrast,
	found *execution, run *launchRun, err error) {
	c.loosely = false
	run = c.runner(programs, s, k)
	differ, x, err := c.weigh(ordinarily, run.execute)
	if differ && c.unwritten(0) != 0 {
		c.loosely = true
		run = c.runner(programs, s, k)
		differ, x, err = c.weigh(ordinarily, run.execute)
	}
	if err != nil {
		return nil, nil, run, err
	}
	if x.Doubtful {
		c.doubts(x)
	}
	if differ {
		if cex := c.replayLaunch(s, k, x); cex != nil {
			found = &execution{different: true, cex: cex, loose: x.Loose, why: x.Describe(cex.Output)}
		}
	}
	return x, found, run, nil
}

// short returns a launch in which loops make one trip. It can be executed where no other launch ends within
// its steps.
func (c *kernelChecker) short() *kernel.Case {
	fixed := map[ir.Reg]uint32{}
	for _, r := range walk.Deciders(c.sides[:]) {
		fixed[r] = 1
	}
	return trial.FixConstants(c.launch(0), fixed)
}

// quickEdge is the edge of the domain in which a quick check executes a pixel kernel.
const quickEdge = 8

// mostCopies limits the invocations of a kernel that a launch of tiles represents, so that large tiles do not
// take longer.
const mostCopies = 256

// launches returns the launches to execute: the given ones, random ones, and random ones with varied
// constants that decide trip counts. It adds a short launch, and one with special numbers if bits are
// compared. Promised constants hold in all of them.
func (c *kernelChecker) launches() []*kernel.Case {
	list := slices.Clone(c.KernelCases)
	n := 2
	switch {
	case c.Effort == Full:
		n = 16
	case c.sameTerms(): // they only confirm reading and lift
		n = 1
	}
	for k := range n {
		list = append(list, c.launch(uint64(k)))
	}
	if c.terms.diff != nil && c.sides[0].HasLoops() {
		// Use every fifth sample: all of the constants 0, 5, 10 and so on, as integers or floats.
		regs := walk.Deciders(c.sides[:])
		for s := range 4 * n {
			list = append(list, trial.FixConstants(c.launch(uint64(s%n)), c.decisions(regs, 5*s+1)))
		}
	}
	if c.sides[0] != nil && c.sides[1] != nil && c.sides[0].HasLoops() {
		list = append(list, c.short())
	}
	if c.exactly() {
		list = append(list, trial.SpecialLaunch(c.launch(0), c.Seed))
	}
	for i, l := range list {
		list[i] = c.Constants.InLaunch(l)
	}
	return list
}

// launch returns the memoized k-th random launch. Domains are small: a quick check executes a pixel kernel in
// one batch of 64 invocations, and tiles in about mostCopies invocations of before.
func (c *kernelChecker) launch(k uint64) *kernel.Case {
	if l := c.made[k]; l != nil {
		return l
	}
	l := kernel.DefaultCase(c.before, symbolic.Mix(c.Seed+k))
	if c.Effort == Quick && c.before.Stage == il.Pixel {
		l.Width, l.Height = min(l.Width, quickEdge), min(l.Height, quickEdge)
	}
	for c.before.Stage == il.Pixel && l.Width*l.Height*c.copies > mostCopies && l.Width > 2 {
		l.Width, l.Height = l.Width/2, max(l.Height/2, 1)
	}
	if c.across > 0 {
		l.Width, l.Height = c.across, 1
	}
	if k%2 == 1 {
		l.Shares = nil // hosts clear these: atomics on random values show less
	}
	if c.made == nil {
		c.made = map[uint64]*kernel.Case{}
	}
	c.made[k] = l
	return l
}

// compile compiles both versions.
func (c *kernelChecker) compile() (programs [2]*kernel.Program, err error) {
	for i, source := range []*il.Kernel{c.before, c.after} {
		if programs[i], err = kernel.Compile(source); err != nil {
			return programs, err
		}
	}
	return programs, nil
}

// launchRun executes both versions on a launch, before first, because the step limit of after follows from
// the steps of before.
type launchRun struct {
	c        *kernelChecker
	programs [2]*kernel.Program
	shot     shot
	k        uint64
	// cut: the step limit of after comes from the budget, not from before. Exceeding it is then no
	// difference.
	cut bool
	// near limits the steps of an execution with other words in unwritten registers.
	near  int
	taken int // steps
	seen  [2][]bool
	kinds [2]*kernel.Seen // nil unless wanted
}

// runner returns a run that takes at most a share of the budget.
func (c *kernelChecker) runner(programs [2]*kernel.Program, s shot, k uint64) *launchRun {
	s.steps = int(min(int64(s.steps), c.runsBudget().StepsLeft()/share*kernel.Lanes))
	return &launchRun{c: c, programs: programs, shot: s, k: k, cut: true, near: s.steps}
}

// execute runs a version. shaken, if not 0, selects the perturbation of its input.
func (r *launchRun) execute(side, shaken int) (*trial.Sample, error) {
	c, input := r.c, r.shot.launch
	if shaken > 0 {
		input = c.Constants.InLaunch(trial.PerturbLaunch(input, c.Seed+r.k+uint64(shaken)<<32))
	}
	// If before ends, an after that fails or takes much longer is broken: a difference, not an error.
	o := kernel.Options{Steps: r.shot.steps, Budget: c.runsBudget(), Kinds: r.kinds[side]}
	if shaken == 0 {
		o.Seen = make([]bool, r.programs[side].Statements())
		r.seen[side] = o.Seen
	}
	// Registers that after reads and never writes hold words other than zero.
	res, err := c.filled(side, r.programs[side], input, o, r.near)
	if err != nil {
		r.taken += r.shot.steps
		if side == 1 && !(stopped(err) && (r.cut || c.runsBudget().Err() != nil)) {
			return &trial.Sample{Broken: err.Error()}, nil
		}
		return nil, err
	}
	r.taken += res.Steps
	s := trial.OfLaunch(res, input)
	if c.loosely && side == 0 {
		o.Steps = min(r.shot.steps, nearly(res.Steps))
		if err := c.loosen(r.programs[0], input, s, o); err != nil {
			return nil, err
		}
	}
	if side == 0 && shaken == 0 {
		r.near = nearly(res.Steps)
		once := len(c.after.Insts) * max(input.Width*input.Height, kernel.Lanes) // every statement of after
		// After gets patience times as many steps, or twice and a fixed number if that is less, and at least
		// enough to begin.
		r.shot.steps, r.cut = min(patience*res.Steps, 2*res.Steps+launchSteps)+1<<16+once, false
		if left := c.runsBudget().StepsLeft() * kernel.Lanes; left < int64(r.shot.steps) {
			r.shot.steps, r.cut = int(left), true
		}
	}
	return s, nil
}

// replayLaunch recompiles and executes both versions again, and returns the counterexample if the difference
// recurs.
func (c *kernelChecker) replayLaunch(shot shot, k uint64, x *trial.Contrast) *Counterexample {
	programs, err := c.compile()
	if err != nil {
		return nil
	}
	run, l := c.runner(programs, shot, k), shot.launch
	var s [2]*trial.Sample
	for i := range s {
		if s[i], err = run.execute(i, 0); err != nil {
			return nil
		}
	}
	cex := c.again(x, s)
	if cex == nil {
		return nil
	}
	cex.Input = string(l.Format())
	if i := x.First.Index; x.Shape == "" {
		if cex.Where = fmt.Sprintf("element %d", i); x.First.Output[0] == 'o' || x.First.Output == trial.Coverage {
			cex.Where = fmt.Sprintf("element (%d, %d)", i%l.Width, i/l.Width)
		}
	}
	cex.Case = caseText(cex, interp.Numerics{}, []byte(cex.Input))
	if x.Shape == "" {
		cex.First = c.divergence(l, run.shot.steps, &x.First)
	}
	return cex
}

// divergence finds the statements where the invocation that computes the difference p diverges. In a memory,
// this is the last writer of the word, which another run finds first.
func (c *kernelChecker) divergence(l *kernel.Case, steps int, p *trial.Point) (first [2]asm.Pos) {
	name, comp, _ := strings.Cut(p.Output, ".")
	if strings.HasPrefix(name, "gds") {
		return first // the last writer is not traced
	}
	var traces [2]*interp.Trace
	for i, source := range []*il.Kernel{c.before, c.after} {
		program, err := kernel.CompileTraced(source)
		if err != nil {
			return first
		}
		o := kernel.Options{Steps: steps, Budget: c.runsBudget()}
		t := &kernel.Trace{At: p.Index}
		if name[0] == 'g' || name[0] == 'u' {
			t.At, err = program.Writer(l, o, name, 4*p.Index+strings.Index("xyzw", comp))
			if err != nil || t.At < 0 {
				return first
			}
		}
		o.Trace = t
		if _, err := c.filled(i, program, l, o, steps); err != nil || len(t.Steps) == 0 {
			return first
		}
		traces[i] = &interp.Trace{}
		for _, w := range t.Known {
			traces[i].Known = append(traces[i].Known, math.Float32frombits(w))
		}
		for _, s := range t.Steps {
			traces[i].Steps = append(traces[i].Steps, interp.Traced{Pos: s.Pos, Value: math.Float32frombits(s.Word)})
		}
	}
	return trial.Divergence(traces, c.exactly())
}

// reached records the statements that the compared executions of both versions reached.
func (c *kernelChecker) reached(seen [2][]bool) {
	for i := range seen {
		if c.seen[i] == nil {
			c.seen[i] = make([]bool, len(seen[i]))
		}
		for k, yes := range seen[i] {
			c.seen[i][k] = c.seen[i][k] || yes
		}
	}
}

// blindness describes a gap in the executions, or returns "". A gap is an effect that no launch can show, a
// statement that no launch reached, or a surviving mutant. Mutants are skipped if the field proof found the versions
// equal.
func (c *kernelChecker) blindness() string {
	if what := trial.Unshown(c.before, c.after); what != "" {
		return what
	}
	programs, err := c.compile()
	if err != nil {
		return err.Error()
	}
	for i, p := range programs {
		if c.seen[i] == nil {
			continue
		}
		if at, found := p.Unseen(c.seen[i]); found {
			return fmt.Sprintf("no execution reached statement %d:%d of %s", at.Line, at.Col, [...]string{"before", "after"}[i])
		}
	}
	if c.field.Outcome == proof.Equal { // over the reals, on both sides of every decision
		return ""
	}
	equal := trial.CloseEnough
	if c.exactly() {
		equal = trial.SameBits
	}
	allot := func() *budget.Budget { return c.methodBudget(tellMethod) }
	return trial.Survivor([2]*il.Kernel{c.before, c.after}, programs, c.shown, equal, patience,
		allowances[c.Effort].shots, allot)
}
