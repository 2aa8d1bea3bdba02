package shaderlift

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/regalloc/merge"
)

// maxPlans bounds how many plans are verified.
const maxPlans = 3

// maxFinished bounds how many pipelines are run to their end that have to pay as a whole.
const maxFinished = 2

// surprise is how much more a launch takes than estimates said, for each part of it, for the
// estimates not to be relied on; and little is how much of a launch that waits for fetches a
// plan has to save to be believed to be the best one.
const (
	surprise = 1.01
	little   = 0.05
)

// plans runs what the levels try, and simulates what comes of it. Passes compare versions by
// estimates, which take fetches to meet in the caches as those of the input do: where they
// are moved between the trips of a loop, or where they meet otherwise all the same, that is
// for the simulation to tell.
func (k *kernel) plans(level passes.Pipeline) []plan {
	main := plan{pipeline: level}
	if k.lifted == nil || len(level) == 0 {
		return []plan{main}
	}
	var list contest
	var stages []plan
	t := k.carryOut(&main, len(level), func(stage int, u *passes.Unit) {
		stages = append(stages, plan{pipeline: level[:stage+1], unit: u.Clone()})
	})
	list.enter(&main, t)
	if t != nil && k.surprised(&main, t) {
		for i := range stages {
			p := &stages[i]
			p.report = main.report
			p.report.Stats = main.report.Stats[:len(p.pipeline)]
			list.enter(p, k.simulated(p))
		}
		for _, p := range suite.KernelLeast(k.z.o.number()) {
			p := &plan{pipeline: p, whole: true}
			list.enter(p, k.carryOut(p, len(p.pipeline), nil))
		}
	}
	if fetchesInLoops(k.lifted) {
		k.enterWholes(&list)
	}
	var plans []plan
	for _, p := range list.best(&k.z.res.Kernel.Before, maxPlans) {
		plans = append(plans, *p)
	}
	if plans == nil {
		plans = append(plans, main)
	}
	return plans
}

// surprised reports whether what a plan makes takes more than estimates say, or is bound by
// what these know least of.
func (k *kernel) surprised(p *plan, t *timedKernel) bool {
	estimate, before := float64(p.report.After[0])/float64(max(k.cost[0], 1)), k.z.res.Kernel.Before.Cycles
	if k.pricer.still || before == 0 {
		return false
	}
	return t.cost.Cycles > surprise*estimate*before || t.cost.Bottleneck == "fetch" && t.cost.Cycles > (1-little)*before
}

// enterWholes adds the best of the pipelines that have to pay as a whole. Which they are is
// told before registers are merged, which takes most of the time and changes the order
// little.
func (k *kernel) enterWholes(list *contest) {
	var open contest
	for _, p := range suite.KernelWholes(k.z.o.number()) {
		p := &plan{pipeline: p, whole: true}
		open.enter(p, k.carryOut(p, placing(p.pipeline), nil))
	}
	for _, p := range open.best(nil, maxFinished) {
		list.enter(p, k.carryOut(p, len(p.pipeline), nil))
	}
}

// placing is the number of stages before those that decide where values live.
func placing(p passes.Pipeline) int {
	if i := slices.IndexFunc(p, func(s passes.Stage) bool { return s.Pass == merge.Pass }); i >= 0 {
		return i
	}
	return len(p)
}

// contest is plans, and what the versions cost that they make.
type contest struct {
	plans []*plan
	costs []*timedKernel
}

// enter adds a plan, unless what it makes cannot be had or another one makes the same.
func (c *contest) enter(p *plan, t *timedKernel) {
	if t != nil && !slices.Contains(c.costs, t) {
		c.plans, c.costs = append(c.plans, p), append(c.costs, t)
	}
}

// best are the best plans of those better than one that costs least, the very best first.
func (c *contest) best(least *KernelCost, most int) (list []*plan) {
	for len(list) < most {
		at, than := -1, least
		for i, t := range c.costs {
			if !slices.Contains(list, c.plans[i]) && (than == nil || t.cost.better(than)) {
				at, than = i, &t.cost
			}
		}
		if at < 0 {
			break
		}
		list = append(list, c.plans[at])
	}
	return list
}

// carryOut goes on with a plan until so many stages of it are done, and tells what comes of
// it, nil if that cannot be told.
func (k *kernel) carryOut(p *plan, stages int, observe func(int, *passes.Unit)) *timedKernel {
	cfg := k.z.config(k.z.class)
	cfg.Keep, cfg.First, cfg.Observe = p.whole, len(p.report.Stats), observe
	if p.unit == nil {
		p.unit = k.unit()
	}
	if cfg.Fuel != nil {
		left := *cfg.Fuel - p.report.Steps
		cfg.Fuel = &left
	}
	report, err := passes.Run(p.unit, p.pipeline[cfg.First:stages], cfg)
	for _, f := range report.Faults {
		k.z.met(faultOf(k.z.in, p.options(k.z.o.Options), f))
	}
	if err != nil && len(report.Faults) == 0 { // an attempt will say so
		p.unit, p.report = nil, passes.Report{}
		return nil
	}
	p.report.Append(report)
	if !p.report.Changed() || k.z.o.spend.whole.Err() != nil {
		return nil
	}
	return k.simulated(p)
}

// simulated is what comes of a plan, nil if that cannot be told.
func (k *kernel) simulated(p *plan) *timedKernel {
	out, err := k.emit(p.unit)
	if err != nil {
		return nil
	}
	t, err := k.time(out)
	if err != nil {
		return nil
	}
	return t
}

// fetchesInLoops reports whether a loop of f fetches.
func fetchesInLoops(f *ir.Func) (found bool) {
	f.Walk(func(in *ir.Instr) {
		if in.Op != ir.OpLoop {
			return
		}
		in.Sub[0].Walk(func(in *ir.Instr) { found = found || in.Op.Has(ir.IsFetch) })
	})
	return found
}
