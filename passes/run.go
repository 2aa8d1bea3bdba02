package passes

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/ir"
)

// Config says under which conditions a pipeline runs. The zero Config admits
// rewrites of class Terms and sets no limits.
type Config struct {
	Numerics     Class
	HostMirrored bool
	// Mirrors says of which pixel constants HostMirrored holds, nil for all.
	Mirrors func(register uint16) bool
	// Measure prices a unit. A pass whose result costs more, or cannot be priced, is
	// reverted. Nil means that nothing is priced.
	Measure func(*Unit) (Cost, error)
	// Written is Measure where that does not price a unit as it would be written, for passes
	// that place values; nil means that it does.
	Written func(*Unit) (Cost, error)
	// Dearer, if set, tells of some units, in less time than Measure, that they cost more than that.
	Dearer func(*Unit, Cost) bool
	// Static tells that prices count what is written, and not how often it runs.
	Static bool
	// Keep keeps what a pass did also where that costs more. What cannot be priced is
	// reverted all the same.
	Keep bool
	// Unfit admits a unit that cannot be priced as it comes, because it takes more
	// registers than there are, say: passes then run unpriced until it can be.
	Unfit bool
	// Verify, if set, judges what a pass made of a unit; an error is a fault of the pass.
	Verify func(before, after *Unit) error
	// Fuel is how many rewrites may happen, nil for any number.
	Fuel *int
	// Cut keeps what a stage had done when the fuel ran out also where that costs more,
	// as Keep does for all stages: half of what pays as a whole may not pay.
	Cut bool
	// First is the index of the first stage in a longer pipeline that this one is a part of,
	// as steps and Skip count stages.
	First int
	// Skip are rewrites that are not granted.
	Skip []StepID
	// Trace, if set, sees every rewrite before it is made.
	Trace func(Step)
	// Budget is what rewriting and pricing may take, and when they have to end; nil is any
	// amount.
	Budget *budget.Budget
	// Observe, if set, sees the unit after every stage, and whether that changed it.
	Observe func(stage int, changed bool, u *Unit)
}

// Run applies p to u. A stage that panics, breaks an invariant, is refused or makes u
// costlier leaves no trace in u but a remark or a fault in the report, and the run goes
// on. The error joins the faults ([errors.As] finds a *Fault); it is another one, and u
// is untouched, where u itself is broken or cannot be priced.
//
// Stages are greedy: each has to pay by itself, with what came before it. What pays
// only together is a stage pair or a whole pipeline in package suite.
func Run(u *Unit, p Pipeline, cfg Config) (report Report, err error) {
	defer budget.Catch(&err)
	r := &runner{unit: u, pipeline: p, cfg: cfg, by: cfg.Measure, memory: cloners.Get().(*Cloner), settled: map[settled]struct{}{}}
	defer func() {
		u.known = nil
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

// know notes the fingerprints of the unit.
func (r *runner) know(p [3][2]uint64) {
	r.unit.known = &prints{[3]*ir.Func{r.unit.Vertex, r.unit.Pixel, r.unit.Kernel}, p}
}

// price sets c to what the unit costs now. As long as it could not be priced before,
// it need not be.
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

// measure is what a pass prices trials with: as long as rewrites are granted. What it has
// made by then is priced all the same.
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

// dearer is measure for trials that are given up if they cost more.
func (r *runner) dearer(u *Unit, than Cost) bool {
	return r.cfg.Dearer != nil && r.cfg.Budget.Err() == nil && r.cfg.Dearer(u, than)
}

// check holds u to [ir.Func.Check].
func check(u *Unit) error {
	if u.Vertex != nil && u.Pixel != nil && u.Stages == nil {
		return errors.New("a pair of programs without what is between them")
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
	// backup is a copy of the unit from before the stage, and print its fingerprint. It
	// serves the next stage too, as far as this one leaves the programs as they are.
	backup   *Unit
	memory   *Cloner // that the backup is in
	print    [3][2]uint64
	after    [3][2]uint64 // the fingerprint of what the stage made, or zero
	settled  map[settled]struct{}
	pipeline Pipeline
	cfg      Config
	by       func(*Unit) (Cost, error) // prices units for the stage at hand
	cost     Cost
	report   Report
}

// settled is a program of the unit that a stage has left as it was: the same stage need
// not look at it again.
type settled struct {
	stage   string
	program int
	print   [2]uint64
}

func (r *runner) remark(pass *Pass, code asm.Code, format string, args ...any) {
	r.report.Remarks = append(r.report.Remarks, Remark{pass.Name, asm.Pos{}, code, fmt.Sprintf(format, args...)})
}

// out remarks that a pass is not run to its end because a budget is used up.
func (r *runner) out(pass *Pass, err error) {
	code := asm.Code("work-limit")
	if errors.Is(err, budget.ErrTime) {
		code = "time-limit"
	}
	r.remark(pass, code, "not run: %v", err)
}

// stage runs stage i, and takes it back if try says so.
func (r *runner) stage(i int) {
	s := r.pipeline[i]
	name := s.String()
	start := time.Now()
	r.report.Stats = append(r.report.Stats, Stat{Stage: name, Before: r.cost, After: r.cost})
	stat := &r.report.Stats[i]
	defer func() { stat.Time = time.Since(start) }()
	switch {
	case s.Pass.Class > r.cfg.Numerics:
		stat.Outcome = Skipped
		r.remark(s.Pass, "numerics", "not run: it keeps %s, the numerics asked for are %s", s.Pass.Class, r.cfg.Numerics)
		return
	case r.cfg.Budget.Err() != nil:
		stat.Outcome = Skipped
		r.out(s.Pass, r.cfg.Budget.Err())
		return
	}
	// A copy to go back to. That of the stage before serves again where nothing changed
	// since, and programs that did not change are not copied.
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
	r.know(r.print)
	ctx := &Ctx{unit: r.unit, Pass: s.Pass, Numerics: r.cfg.Numerics, Measure: r.measure(), Dearer: r.dearer, Static: r.cfg.Static, HostMirrored: r.cfg.HostMirrored, Mirrors: r.cfg.Mirrors,
		options: s.options(), stage: r.cfg.First + i,
		leave: leave{r.cfg.Fuel, r.cfg.Budget, r.cfg.Skip, r.cfg.Trace, r.report.Steps}}
	for k := range ctx.settled {
		_, ctx.settled[k] = r.settled[settled{name, k, r.print[k]}]
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
	case budget.Is(done):
		r.out(s.Pass, done)
		stat.Steps, r.report.Steps = 0, r.report.Steps-ctx.steps // fuel for these would keep them
	default:
		r.remark(s.Pass, "reverted", "%v", done)
	}
	// The copy takes the place of the unit, memory and all.
	r.memory = r.unit.memory
	*r.unit, r.backup, r.after = *r.backup, nil, r.print
	stat.Outcome = Reverted
}

// placed is try, by what would be written if the pass places values. What the unit costs in the
// report and for the stages that follow is what it always is.
func (r *runner) placed(ctx *Ctx, stat *Stat) error {
	if !ctx.Pass.Places || r.cfg.Written == nil {
		return r.try(ctx, stat)
	}
	before := r.cost
	r.by = r.cfg.Written
	if r.price(&r.cost) != nil {
		r.cost = Unfit
	}
	err := r.try(ctx, stat)
	r.by, r.cost = r.cfg.Measure, before
	if stat.After = before; err == nil && stat.Outcome == Changed {
		return r.price(&stat.After)
	}
	return err
}

// try runs one stage and judges the result. An error asks for the stage to be
// reverted: a *Fault if the pass is to blame, any other if it only did not pay.
func (r *runner) try(ctx *Ctx, stat *Stat) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Fault{Err: fmt.Errorf("panic: %v", p), Stack: debug.Stack()}
		}
	}()
	defer budget.Catch(&err)
	if err := ctx.Pass.Run(ctx, r.unit); err != nil {
		return err
	}
	r.unit.known = nil // it may have done anything
	r.after = r.unit.Fingerprints()
	r.know(r.after)
	if r.after == r.print && ctx.steps == 0 {
		return nil
	}
	for k, f := range r.unit.Funcs() {
		if r.after[k] == r.print[k] { // as it was when it was held to that
			continue
		}
		if err := f.Check(); err != nil {
			return &Fault{Err: err}
		}
	}
	// Same structure is enough to say that nothing changed, as long as the price is the
	// same, too.
	same := func() bool {
		then := r.backup.Funcs()
		for k, f := range r.unit.Funcs() {
			if r.after[k] != r.print[k] && f.Hash() != then[k].Hash() {
				return false
			}
		}
		return true
	}
	if ctx.steps == 0 {
		if same() {
			return nil
		}
		return &Fault{Err: errors.New("it changed the code without asking")}
	}
	if err := r.price(&stat.After); err != nil {
		return fmt.Errorf("the result cannot be written: %w", err)
	}
	// Units of other tiles are other programs to the host, who has asked for them.
	if keep := r.cfg.Keep || r.cfg.Cut && ctx.dry || r.unit.Tile != r.backup.Tile; r.cost.Less(stat.After) && !keep {
		return errors.New("the result costs more")
	}
	if stat.After == r.cost && same() { // where values live may have changed, which the hash leaves out
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
