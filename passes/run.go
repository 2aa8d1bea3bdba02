package passes

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
)

// Config sets the conditions under which a pipeline runs. The zero Config admits rewrites of class Terms and
// sets no limits.
type Config struct {
	Numerics     Class
	HostMirrored bool
	// Mirrors reports the pixel constants for which HostMirrored holds, nil for all.
	Mirrors func(register uint16) bool
	// Measure prices a unit. A pass whose result costs more, or cannot be priced, is
	// reverted. Nil means that nothing is priced.
	Measure func(*Unit) (Cost, error)
	// Written prices the emitted code, for passes that assign registers, if Measure does not. Nil means that
	// Measure does.
	Written func(*Unit) (Cost, error)
	// Dearer, if set, reports quickly, for some units, that they cost more than the given cost. It takes less
	// time than Measure.
	Dearer func(*Unit, Cost) bool
	// Static means that prices count emitted code, not executions.
	Static bool
	// Keep keeps the changes of a pass even if they cost more. A unit that cannot be priced is still
	// reverted.
	Keep bool
	// Unfit admits a unit that cannot be priced initially, for example because it takes more registers than
	// exist. Passes then run unpriced until it can be priced.
	Unfit bool
	// Verify, if set, checks the result of a pass; an error is a fault of the pass.
	Verify func(before, after *Unit) error
	// Fuel is the maximal number of rewrites, nil for any number.
	Fuel *int
	// Cut keeps the changes of a stage in which the fuel ran out even if they cost more, as Keep does for all
	// stages. The reason is that half of a profitable change may not pay.
	Cut bool
	// First is the index of the first stage within a longer pipeline, since steps and Skip count the stages
	// of that one.
	First int
	// Skip lists rewrites that are not granted.
	Skip []StepID
	// Trace, if set, is called with every rewrite before it is made.
	Trace func(Step)
	// Budget limits the work and time of rewriting and pricing; nil is unlimited.
	Budget *budget.Budget
	// Observe, if set, is called after every stage with the unit, and with whether the stage changed it.
	Observe func(stage int, changed bool, u *Unit)
}

// Resume makes a run with c continue after the stages of a report: their rewrites count for Fuel, and First is the
// stage after them.
func (c *Config) Resume(r *Report) {
	c.First = len(r.Stats)
	if c.Fuel != nil {
		left := *c.Fuel - r.Steps
		c.Fuel = &left
	}
}

// Run applies p to u. It reverts a stage that panics, breaks an invariant, is rejected or makes u costlier,
// records a remark or a fault in the report, and continues. The error joins the faults ([errors.As] finds a
// *Fault). If u itself is broken or cannot be priced, the error is another one, and u is untouched.
//
// Stages are greedy: each has to pay by its own result, given the stages before it. Changes that pay only
// together are a pair of stages or a whole pipeline in package suite.
func Run(u *Unit, p Pipeline, cfg Config) (report Report, err error) {
	defer budget.Catch(&err)
	r := &runner{unit: u, pipeline: p, cfg: cfg, by: cfg.Measure, memory: cloners.Get().(*Cloner),
		settled: map[settled]struct{}{}}
	defer func() {
		u.known = prints{}
		if r.memory != nil { // else u lives there
			cloners.Put(r.memory)
		}
	}()
	if cfg.Fuel != nil {
		fuel := *cfg.Fuel
		r.cfg.Fuel = &fuel
	}
	if err := check(u); err != nil {
		return r.report, err
	}
	if cfg.Unfit {
		r.cost = Unfit
	}
	if err := r.price(&r.cost); err != nil {
		return r.report, err
	}
	r.report.Before = r.cost
	for i := range p {
		r.stage(i)
		r.report.Stats[i].remarks = len(r.report.Remarks)
		if r.cfg.Observe != nil {
			r.cfg.Observe(i, r.report.Stats[i].Outcome == Changed, r.unit)
		}
	}
	r.report.After = r.cost
	errs := make([]error, len(r.report.Faults))
	for i, f := range r.report.Faults {
		errs[i] = f
	}
	return r.report, errors.Join(errs...)
}

// cacheFingerprints caches the fingerprints of the unit.
func (r *runner) cacheFingerprints(p [3][2]uint64) {
	r.unit.known = prints{are: p}
	copy(r.unit.known.of[:], r.unit.Funcs())
}

// price sets c to the current cost of the unit. A unit that could not be priced before may remain unpriced.
func (r *runner) price(c *Cost) error {
	if r.by == nil {
		return nil
	}
	cost, err := r.by(r.unit)
	if err != nil {
		if r.cost == Unfit {
			*c = Unfit
			return nil
		}
		return err
	}
	*c = cost
	return nil
}

// measure returns the function with which a pass prices trials. It fails once the budget is used up; the
// final result is still priced.
func (r *runner) measure() func(*Unit) (Cost, error) {
	if r.cfg.Measure == nil {
		return nil
	}
	return func(u *Unit) (Cost, error) {
		if err := r.cfg.Budget.Err(); err != nil {
			return Cost{}, err
		}
		return r.by(u)
	}
}

// dearer reports whether a trial costs more than a limit, if cfg.Dearer can decide that.
func (r *runner) dearer(u *Unit, than Cost) bool {
	return r.cfg.Dearer != nil && r.cfg.Budget.Err() == nil && r.cfg.Dearer(u, than)
}

// check checks u with [ir.Func.Check].
func check(u *Unit) error {
	if u.Vertex != nil && u.Pixel != nil && u.Stages == nil {
		return errors.New("a pair of programs without its varyings")
	}
	for _, f := range u.Funcs() {
		if err := f.Check(); err != nil {
			return err
		}
	}
	return nil
}

// runner is one run.
type runner struct {
	unit *Unit
	// backup is a copy of the unit from before the stage, and print its fingerprint. The next stage reuses
	// the backup of programs that this one does not change.
	backup   *Unit
	memory   *Cloner // that holds the backup
	print    [3][2]uint64
	after    [3][2]uint64 // the fingerprint of the stage's result, or zero
	settled  map[settled]struct{}
	pipeline Pipeline
	cfg      Config
	by       func(*Unit) (Cost, error) // prices units for the current stage
	cost     Cost
	report   Report
}

// settled is a program of the unit that a stage did not change: the same stage can skip it.
type settled struct {
	stage   string
	program int
	print   [2]uint64
}

func (r *runner) remark(pass *Pass, code asm.Code, format string, args ...any) {
	r.report.Remarks = append(r.report.Remarks, Remark{pass.Name, asm.Pos{}, code, fmt.Sprintf(format, args...)})
}

// remarkBudget records a remark that a pass was stopped because a budget is used up.
func (r *runner) remarkBudget(pass *Pass, err error) {
	code := asm.Code("work-limit")
	if errors.Is(err, budget.ErrTime) {
		code = "time-limit"
	}
	r.remark(pass, code, "not run: %v", err)
}

// stage runs stage i, and reverts it if try returns an error.
func (r *runner) stage(i int) {
	s := r.pipeline[i]
	name := s.String()
	r.report.Stats = append(r.report.Stats, Stat{Stage: name, Before: r.cost, After: r.cost})
	stat := &r.report.Stats[i]
	switch {
	case s.Pass.Class > r.cfg.Numerics:
		stat.Outcome = Skipped
		r.remark(s.Pass, "numerics", "not run: it keeps only %s, and --numerics is %s", s.Pass.Class, r.cfg.Numerics)
		return
	case r.cfg.Budget.Err() != nil:
		stat.Outcome = Skipped
		r.remarkBudget(s.Pass, r.cfg.Budget.Err())
		return
	}
	// A copy to revert to. The backup of the previous stage is reused if nothing changed since, and unchanged
	// programs are not copied.
	if r.backup == nil {
		if r.memory == nil {
			r.memory = cloners.Get().(*Cloner)
		}
		if r.backup, r.print = r.memory.Clone(r.unit), r.after; r.print == [3][2]uint64{} {
			r.print = r.unit.Fingerprints()
		}
	} else if r.after != r.print {
		var same [3]bool
		for k := range same {
			same[k] = r.after[k] == r.print[k]
		}
		r.backup, r.print = r.memory.renew(r.backup, r.unit, same), r.after
	}
	r.cacheFingerprints(r.print)
	ctx := &Ctx{unit: r.unit, Pass: s.Pass, Numerics: r.cfg.Numerics, Measure: r.measure(), Dearer: r.dearer,
		Static: r.cfg.Static, HostMirrored: r.cfg.HostMirrored, Mirrors: r.cfg.Mirrors,
		options: s.options(), stage: r.cfg.First + i,
		leave: leave{r.cfg.Fuel, r.cfg.Budget, r.cfg.Skip, r.cfg.Trace, r.report.Steps}}
	for k := range ctx.settled {
		_, ctx.settled[k] = r.settled[settled{name, k, r.print[k]}]
	}
	if r.cfg.Numerics >= Real {
		for _, f := range r.unit.Funcs() {
			ir.MarkDecisions(f)
		}
	}
	done := r.placed(ctx, stat)
	if ctx.trial != nil {
		cloners.Put(ctx.trial)
	}
	stat.Steps, stat.Placement = ctx.steps, ctx.placement
	r.report.Steps += ctx.steps
	var fault *Fault
	switch {
	case done == nil:
		r.report.Remarks = append(r.report.Remarks, ctx.remarks...)
		for k, print := range r.after {
			if print == r.print[k] && !ctx.refused && !ctx.stopped {
				r.settled[settled{name, k, print}] = struct{}{}
			}
		}
		if stat.Outcome == Changed {
			r.cost = stat.After
		}
		return
	case errors.As(done, &fault):
		fault.Unit, fault.Pipeline, fault.Stage, fault.Pass = r.unit.Name, r.pipeline.String(), i, s.Pass.Name
		fault.Steps, fault.Fuel = ctx.steps, r.report.Steps
		r.report.Faults = append(r.report.Faults, fault)
	case budget.IsExhausted(done):
		r.remarkBudget(s.Pass, done)
		stat.Steps, r.report.Steps = 0, r.report.Steps-ctx.steps // such fuel would keep the reverted rewrites
	default:
		r.remark(s.Pass, "reverted", "%v", done)
	}
	// The copy replaces the unit, including its memory.
	r.memory = r.unit.memory
	*r.unit, r.backup, r.after = *r.backup, nil, r.print
	stat.Outcome = Reverted
}

// placed runs try. If the pass assigns registers, the emitted code is the price. The cost in the report and
// for later stages is the usual one.
func (r *runner) placed(ctx *Ctx, stat *Stat) error {
	if !ctx.Pass.Places || r.cfg.Written == nil {
		return r.tryStage(ctx, stat)
	}
	before := r.cost
	r.by = r.cfg.Written
	if r.price(&r.cost) != nil {
		r.cost = Unfit
	}
	err := r.tryStage(ctx, stat)
	r.by, r.cost = r.cfg.Measure, before
	if stat.After = before; err == nil && stat.Outcome == Changed {
		return r.price(&stat.After)
	}
	return err
}

// tryStage runs one stage and judges the result. An error asks for the stage to be reverted. It is a *Fault if the
// pass is to blame, and another error if the stage only did not pay.
func (r *runner) tryStage(ctx *Ctx, stat *Stat) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Fault{Err: fmt.Errorf("panic: %v", p), Stack: debug.Stack()}
		}
	}()
	defer budget.Catch(&err)
	if err := ctx.Pass.Run(ctx, r.unit); err != nil {
		return err
	}
	r.unit.known = prints{} // the pass may have changed anything
	r.after = r.unit.Fingerprints()
	r.cacheFingerprints(r.after)
	if r.after == r.print && ctx.steps == 0 {
		return nil
	}
	for k, f := range r.unit.Funcs() {
		if r.after[k] == r.print[k] { // unchanged since its last check
			continue
		}
		if err := f.Check(); err != nil {
			return &Fault{Err: err}
		}
	}
	// Equal structure and equal price mean that nothing changed.
	same := func() bool {
		then := r.backup.Funcs()
		for k, f := range r.unit.Funcs() {
			if r.after[k] != r.print[k] && f.StructuralHash() != then[k].StructuralHash() {
				return false
			}
		}
		return true
	}
	if ctx.steps == 0 {
		if same() {
			return nil
		}
		return &Fault{Err: errors.New("the pass changed the code without a recorded rewrite")}
	}
	if err := r.price(&stat.After); err != nil {
		return fmt.Errorf("the result cannot be written: %w", err)
	}
	// Units with another tile are other programs to the host, which requested them.
	if keep := r.cfg.Keep || r.cfg.Cut && ctx.dry || r.unit.Tile != r.backup.Tile; r.cost.Less(stat.After) && !keep {
		return errors.New("the result costs more")
	}
	if stat.After == r.cost && same() { // register hints, which the hash omits, may differ
		return nil
	}
	stat.Outcome = Changed
	if r.cfg.Verify != nil {
		if err := r.cfg.Verify(r.backup, r.unit); err != nil {
			return &Fault{Err: err}
		}
	}
	return nil
}
