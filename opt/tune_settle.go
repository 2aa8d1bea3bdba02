package opt

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/opt/tune"
	"github.com/shaderlift/shaderlift/passes"
)

// frontCandidate is a version that may be on the front.
type frontCandidate struct {
	*tunedVersion
	point tune.Point
	res   *Result // nil if it has not been verified yet
	// outpaced names the launch on which a version that is left out is slower than the input, though faster
	// on the typical one. slower does so for one that stays.
	outpaced, slower string
}

// verifyFront verifies the versions on the Pareto front of cycles, registers and words, and takes the
// fastest that is better than the input. It removes a version that cannot be verified, or that is
// slower on one of the launches. This may bring others to the front, so it repeats at most maxRounds
// times.
func (t *tuner) verifyFront(found []*tunedVersion) {
	var list []*frontCandidate
	for _, v := range found {
		if t.least != nil && v.Key == t.least.Key {
			list = append(list, t.least)
			continue
		}
		list = append(list, &frontCandidate{tunedVersion: v, point: v.Point()})
	}
	// A search that ended early may not have reached the result of -O2.
	if t.least != nil && !slices.Contains(list, t.least) {
		list = append(list, t.least)
	}
	var front []*frontCandidate
	for range maxRounds {
		front = tune.Front(list, func(e *frontCandidate) tune.Point { return e.point })
		front = front[:min(len(front), maxFront)]
		var todo []*frontCandidate
		for _, e := range front {
			if e.res == nil {
				todo = append(todo, e)
			}
		}
		if len(todo) == 0 {
			break
		}
		t.each(len(todo), func(i int) { t.verify(t.limit, todo[i]) })
		for _, e := range todo {
			t.outpaced = cmp.Or(t.outpaced, e.outpaced)
		}
		unfit := func(e *frontCandidate) bool { return slices.Contains(todo, e) && e.res == nil }
		front, list = slices.DeleteFunc(front, unfit), slices.DeleteFunc(list, unfit)
	}
	// Unverifiable rewrites were left out, which changes the figures and so the front.
	front = slices.DeleteFunc(front, func(e *frontCandidate) bool { return e.res == nil })
	front = tune.Front(front, func(e *frontCandidate) tune.Point { return e.point })
	t.report(front)
}

// verifyFirst verifies the first version that a level made, regardless of the time limit.
func (t *tuner) verifyFirst(made tune.Made) {
	if t.least != nil {
		return
	}
	v := &tunedVersion{Made: made, Pipeline: made.Stages}
	e := &frontCandidate{tunedVersion: v, point: v.Point()}
	if t.verify(t.z.o.ctx, e); e.res != nil {
		t.least = e
	}
}

// verify makes a version again, from the input by its whole pipeline, as Optimize would, and verifies
// it. The search made it from parts; if the whole pipeline gives another result, that is a fault.
func (t *tuner) verify(ctx context.Context, e *frontCandidate) {
	var err error
	defer t.contain(e.Pipeline)
	defer budget.Catch(&err)
	k := t.k.fork(ctx, e.Pipeline)
	z := k.z
	if e.Pipeline == "" {
		z.keepInput()
		e.res = z.res
		return
	}
	p, err := z.o.stages(input.KindKernel) // with the stages of Coarsen, if the version has them
	if err != nil {
		return
	}
	u := k.freshUnit()
	u.Kernel.Budget = z.o.spend.price
	report, err := passes.Run(u, p, z.config(z.class))
	if err != nil || ctx.Err() != nil {
		return
	}
	if made := k.priceVersion(u, e.Pipeline).versionFacts(); made.Key != e.Key {
		if z.o.spend.price.Err() == nil {
			t.recordPipelineFault(e.Pipeline, errors.New("the pipeline as a whole gives another result than its parts in the search"), nil)
		}
		return
	}
	z.trial = t.brief
	z.o.Keep, z.pipeline, z.plan, z.trail = true, p, passes.Plan{Pipeline: p, Whole: true, Unit: u, Report: report}, nil
	z.res.Pipeline = p.String()
	if out, err := z.tryPlan(); err != nil || out != accepted {
		return
	}
	if z.outpaced != "" {
		if u.Tile.Same() {
			e.outpaced = z.outpaced
			return
		}
		// The application changes its launch for this version, so it can choose by the size of the launch.
		z.res.Status, e.slower = Improved, z.outpaced
		z.res.remark(asm.Pos{}, CodeSlowerLaunch, z.outpaced)
	}
	for _, f := range z.res.Faults {
		t.recordPipelineFault(f.Options.Pipeline, f.Err, f.Stack)
	}
	e.res = z.res
	// Unverifiable rewrites were left out of it.
	e.point.Cycles, e.point.GPRs = z.res.Kernel.After.Cycles, z.res.Kernel.After.GPRs
	if back, err := input.ParseKernel(e.res.Files[0].Name, e.res.Files[0].Data); err == nil {
		if found, known := k.bench.Known(back); known {
			e.point.Words = found.Words
		}
	}
}

// report builds the result from the versions on the front.
func (t *tuner) report(front []*frontCandidate) {
	z := t.z
	tuning, faults := z.res.Tuning, z.res.Faults
	if z.keepInput(); t.outpaced != "" {
		z.res.remark(asm.Pos{}, CodeSlowerLaunch, t.outpaced)
	}
	if i := slices.IndexFunc(front, func(e *frontCandidate) bool { return e.res.Status == Improved }); i >= 0 {
		*z.res = *front[i].res
	}
	z.res.Tuning, z.res.Faults = tuning, faults
	before := t.others(t.z.in.Files[0], ir.Tile{})
	tuning.Front = make([]Tuned, len(front))
	t.each(len(front), func(i int) {
		e := front[i]
		tuned := Tuned{Pipeline: e.Pipeline, Verdict: e.res.Verdict(), Cycles: e.point.Cycles, GPRs: e.point.GPRs,
			Words: e.point.Words, Bound: math.Round(e.Bound), Coarsened: e.res.Coarsened,
			Slower: e.slower, Files: e.res.Files}
		var of ir.Tile
		if e.res.Coarsened != nil {
			of = e.res.Coarsened.Tile
		}
		for name, after := range t.others(e.res.Files[0], of) {
			if old, both := before[name]; both {
				tuned.Targets = append(tuned.Targets, kernel.Costs{Target: name, Before: old, After: &after})
			}
		}
		slices.SortFunc(tuned.Targets, func(a,
			b kernel.Costs) int {
			return cmp.Compare(targetRank(a.Target), targetRank(b.Target))
		})
		tuning.Front[i] = tuned
	})
}

// targetRank returns the index of a target among all.
func targetRank(target string) int { return slices.Index(chip.Names(), target) }

// others returns the costs of a version of tile of on the other targets that can run it.
func (t *tuner) others(f File, of ir.Tile) map[string]kernel.Cost {
	costs := map[string]kernel.Cost{}
	k, err := input.ParseKernel(f.Name, f.Data)
	if err != nil {
		return costs
	}
	lifted, err := amdil.Lift(k)
	if err != nil {
		return costs
	}
	for _, name := range chip.Names() {
		target, err := chip.ByName(name)
		if err != nil || name == t.k.bench.Target.Name {
			continue
		}
		if s, err := machine.Compile(lifted, target, sched.Options{Budget: t.z.o.spend.whole}); err == nil {
			costs[name] = t.k.bench.CostOn(s, of)
		}
	}
	return costs
}

// each calls do for 0 to n-1 on at most Jobs goroutines.
func (t *tuner) each(n int, do func(i int)) {
	var wait sync.WaitGroup
	free := make(chan struct{}, t.o.Jobs)
	for i := range n {
		free <- struct{}{}
		wait.Add(1)
		go func() {
			defer func() { <-free; wait.Done() }()
			var err error
			defer t.contain(t.z.res.Pipeline)
			defer budget.Catch(&err)
			do(i)
		}()
	}
	wait.Wait()
}
