package shaderlift

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/internal/lang"
	"github.com/shaderlift/shaderlift/machine/draw"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/tile"
	"github.com/shaderlift/shaderlift/verify"
)

// purpose is what a candidate is made for.
type purpose uint8

const (
	// toWrite asks for nothing that is no better than the input, unless Options.Keep is set,
	// and for parts that are no better as they were.
	toWrite   purpose = iota
	toBlame           // whatever it costs: is it fit for use?
	toCompare         // is it worse than the input in spite of its price? It is not verified.
	toJudge           // whatever it costs: what is the verdict?
)

// candidate is a version of the programs that was written, read back and verified. Everything in it
// describes what was read back, not the unit that it came from.
type candidate struct {
	files   []File
	report  verify.Report
	uploads []Upload
	// What was read back: the programs of a pair, or a kernel that is to be written.
	programs []*d3d9.Program
	emitted  []*d3d9.Program // programs, as they were before they were written
	kernel   *emittedKernel  // likewise
	timed    *timedKernel
	prices   []draw.Price // on the GPUs that the target names, if that is known
	tile     tile.Tile    // of the kernel
	// worse says in what way it is worse than the input in spite of its price, such as slower
	// on one GPU, and is empty if it is not. What is has not been verified.
	worse string
	// dearer tells that it costs no less than the input, and is wanted all the same.
	dearer bool
}

// config is how passes run under class. Unfit has the pass manager accept versions that are beyond
// limits, as the input is; Skip and Fuel leave out or end rewrites by their number.
func (z *optimizer) config(class passes.Class) passes.Config {
	return passes.Config{Numerics: class, HostMirrored: z.o.HostConstants == Mirrored, Mirrors: z.o.mirrors,
		Measure: z.subject.measure, Written: z.measureWritten(), Dearer: z.subject.dearer, Static: z.subject.static(),
		Keep: z.kept, Unfit: z.subject.exceeded() != nil, Fuel: z.o.Fuel, Skip: z.skip, Budget: z.o.spend.rewrite}
}

// measureWritten is what prices units as they would be written. It is nil if measure does.
func (z *optimizer) measureWritten() func(*passes.Unit) (passes.Cost, error) {
	if k, some := z.subject.(*kernel); lang.Kernels && some {
		return k.measureWritten
	}
	return nil
}

// known is what is known of the way of the pipeline under class, and has cfg go on from there: the
// programs as they came where every stage is to be seen.
func (z *optimizer) known(class passes.Class, cfg *passes.Config) (*passes.Unit, passes.Report) {
	if z.plan.unit == nil || class != z.class || z.o.AfterStage != nil || z.o.traces() {
		return z.subject.unit(), passes.Report{}
	}
	report := z.plan.report.Part(len(z.plan.report.Stats))
	cfg.First = len(report.Stats)
	if cfg.Fuel != nil {
		left := *cfg.Fuel - report.Steps
		cfg.Fuel = &left
	}
	return z.plan.unit.Clone(), report
}

// attempt runs the pipeline under class, and writes and verifies what it makes. It reports whether
// the result is better, and filled in; verified is false of one that cannot be used as it is, because
// its verdict is below what is required or because it is worse in spite of its price.
func (z *optimizer) attempt(class passes.Class) (better, verified bool, err error) {
	better, verified, err = z.carryOut(class)
	if class == z.class {
		z.tryMotions()
	}
	return better, verified, err
}

// carryOut is attempt without motions that are only tried.
func (z *optimizer) carryOut(class passes.Class) (better, verified bool, err error) {
	u := z.rewritten(class)
	if u == nil {
		return false, true, nil
	}
	defer u.Release()
	by := class
	if z.subject.restated() { // what passes begin with need not keep what they do
		by = z.class
	}
	c, err := z.candidate(u, by, toWrite)
	if s := &z.o.spend; c == nil && s.over() {
		z.res.noteExhausted(errors.Join(s.whole.Err(), s.checks.Err()), "the result is not verified, and given up")
	}
	switch {
	case err != nil || c == nil:
		return false, true, err
	case c.worse != "":
		return false, false, nil
	case c.report.Verdict < z.least:
		z.rejected = &c.report
		if m, some := z.subject.(*fitPair); lang.D3D9 && some {
			z.clamped = m.clamped(c, by)
		}
		return false, false, nil
	}
	z.accept(c, class)
	return true, true, nil
}

// rewritten runs the pipeline under class, and notes what became of that. It is nil if there is
// nothing to write, else to be released.
func (z *optimizer) rewritten(class passes.Class) *passes.Unit {
	cfg := z.config(class)
	u, report := z.known(class, &cfg)
	if u == nil {
		return nil
	}
	if z.made = nil; class == z.class && z.mayBeWorse(u) {
		z.follow(&cfg)
	} else {
		z.trail = nil
	}
	if z.o.AfterStage != nil {
		follow := cfg.Observe
		cfg.Observe = func(stage int, changed bool, u *passes.Unit) {
			if z.o.AfterStage(z.in, z.pipeline[stage].String(), changed, u); follow != nil {
				follow(stage, changed, u)
			}
		}
	}
	var err error
	if rest := z.pipeline[cfg.First:]; len(rest) > 0 || cfg.First == 0 {
		var next passes.Report
		next, err = z.execute(u, rest, cfg)
		report.Append(next)
	}
	if z.trail != nil {
		z.trail.report = report
	}
	if z.o.Observe != nil {
		for _, s := range report.Stats {
			z.o.Observe(z.in, s)
		}
	}
	// A fault of a pass is contained: the manager has taken the pass back. Any other error ends the
	// attempt without a result.
	var fault *passes.Fault
	switch {
	case err == nil || errors.As(err, &fault):
		z.note(report)
		// If no pass changed anything there is nothing to write, unless the input itself cannot stay as
		// it is.
		if report.After != passes.Unfit && (report.Changed() || z.subject.exceeded() != nil || z.subject.restated()) {
			return u
		}
	case budget.Is(err):
		z.res.noteExhausted(err, "the input is left as it is")
	default:
		z.res.remark(asm.Pos{}, "cannot-write", "the input is left as it is: "+err.Error())
	}
	u.Release()
	return nil
}

// accept makes c the result, with the remarks and the history that are asked for.
func (z *optimizer) accept(c *candidate, class passes.Class) {
	z.res.judged(c.report)
	if z.res.Status, z.res.Files = Improved, c.files; c.dearer {
		z.res.Status = Changed
	}
	z.subject.report(c)
	z.res.Uploads = c.uploads
	made := z.passed()
	if z.o.Gains {
		z.gains(made, class)
	}
	if z.o.History {
		z.res.History = z.history(made, class)
	}
	if z.o.remarks(Passed) {
		z.res.Remarks = append(z.res.Remarks, made...)
	}
}

// fault notes an error of this program with what it takes to reproduce it.
func (z *optimizer) fault(err error) *Fault {
	return z.met(&Fault{Task: TaskOptimize, Input: z.in, Options: z.plan.options(z.o.Options), Err: err})
}

// options are o, with the pipeline spelt out of a plan that is no level.
func (p *plan) options(o Options) Options {
	if p.whole {
		o.Pipeline = p.pipeline.String()
	}
	return o
}

// met notes a fault unless an equal one is known: several attempts meet the same fault.
func (z *optimizer) met(f *Fault) *Fault {
	for _, g := range z.res.Faults {
		if g.Err.Error() == f.Err.Error() {
			return g
		}
	}
	z.res.Faults = append(z.res.Faults, f)
	return f
}

// note copies remarks, placement and faults from the report of the pass manager to the result.
func (z *optimizer) note(r passes.Report) {
	for _, m := range r.Remarks {
		r := Remark{Kind: kindOf(m.Pass), Pass: m.Pass, Stage: z.in.stageOf(m.Pos.File), Line: m.Pos.Line, Offset: m.Pos.Offset, Code: m.Code, Message: m.Msg}
		if !slices.Contains(z.res.Remarks, r) {
			z.res.Remarks = append(z.res.Remarks, r)
		}
	}
	for _, s := range r.Stats {
		if p := s.Placement; p != nil {
			z.res.Placement = &Placement{Saved: p.Saved, Bound: p.Most}
			if s.Outcome != passes.Changed {
				z.res.Placement.Saved = 0
			}
			break
		}
	}
	for _, f := range r.Faults {
		z.met(faultOf(z.in, z.plan.options(z.o.Options), f))
	}
	if errors.Is(z.o.spend.rewrite.Err(), budget.ErrTime) {
		z.res.remark(asm.Pos{}, "time-limit", fmt.Sprintf("the time was up after %d rewrites; that much fuel gives the same result again", r.Steps))
	}
}
