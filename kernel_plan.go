package shaderlift

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/groupfetch"
	"github.com/shaderlift/shaderlift/passes/ifconvert"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/regalloc/merge"
)

// maxPlans bounds how many plans are verified.
const maxPlans = 3

// surprise is how much more a launch takes than estimates said, for each part of it, for the
// estimates not to be relied on; little is how much of a launch that waits for fetches a plan
// has to save to be believed to be the best one; and near how much more than the best so far a
// plan may take for something to be hoped of what goes on from it.
const (
	surprise = 1.01
	little   = 0.05
	near     = 1.05
)

// An opening is tried with kernels of so many statements at most, since it takes long with large
// ones, and is gone on from if it saves that part by estimate.
const (
	openable  = 256
	promising = 0.02
)

// plans runs what the levels try, and simulates what comes of it. Passes compare versions by
// estimates, which take fetches to meet in the caches as those of the input do: where they
// are moved between the trips of a loop, or where they meet otherwise all the same, that is
// for the simulation to tell.
func (k *kernel) plans(level passes.Pipeline) (plans []plan) {
	main := plan{pipeline: level}
	if k.lifted == nil || len(level) == 0 {
		return []plan{main}
	}
	s := search{k: k, before: &k.z.res.Kernel.Before, begun: map[string]plan{}}
	s.least = s.before.Cycles
	rest := level[s.below(level):]
	level = level[:len(level)-len(rest)]
	main.pipeline = level
	var stages []*plan
	k.carryOut(&main, len(level), func(stage int, changed bool, u *passes.Unit) {
		if changed {
			stages = append(stages, &plan{pipeline: level[:stage+1], unit: u.Clone()})
		}
	})
	for _, p := range stages {
		p.report = main.report.Part(len(p.pipeline))
	}
	surprised := false
	if s.main = s.enterLevel(&main); s.main != nil {
		s.work = k.priceOf(main.unit, k.z.o.spend.price).alu
		if surprised = s.surprised(&main); surprised {
			s.enterStages(stages)
			s.enterLeast()
		}
	}
	s.enterOpening(level)
	if main.changed(ifconvert.Pass) {
		s.enterBranching(level, surprised)
	}
	s.enterWholes()
	s.enterRest(rest)
	for _, p := range s.best(s.before, maxPlans) {
		plans = append(plans, *p)
	}
	if plans == nil {
		plans = append(plans, main)
	}
	return plans
}

// search looks for the plan that costs least.
type search struct {
	contest
	k      *kernel
	before *KernelCost
	least  float64 // cycles of the best version so far, the input included
	// main is what the pipeline of the level makes, if anything, and work what its wavefronts
	// keep the vector units busy for by estimate.
	main *timedKernel
	work float64
	// levels are the plans that the level is a part of.
	levels []*plan
	begun  map[string]plan // by the stages that are done, of plans that go on differently
}

// below is how many stages of a level are those of the default one. A higher one tries all
// that does, and then what more it has, so that it comes to nothing slower.
func (s *search) below(level passes.Pipeline) int {
	if s.k.z.o.number() > suite.DefaultLevel {
		if p, err := suite.KernelLevel(suite.DefaultLevel); err == nil {
			return len(s.k.z.o.coarser(p))
		}
	}
	return len(level)
}

// enterLevel enters a plan that the level is a part of.
func (s *search) enterLevel(p *plan) *timedKernel {
	s.levels = append(s.levels, p)
	return s.enter(p)
}

// enterRest goes on with the plans that the level is a part of.
func (s *search) enterRest(rest passes.Pipeline) {
	if len(rest) == 0 {
		return
	}
	for _, p := range s.levels {
		if p.unit == nil {
			continue
		}
		more := *p
		more.own()
		more.pipeline = slices.Concat(p.pipeline, rest)
		s.k.carryOut(&more, len(more.pipeline), nil)
		s.enter(&more)
	}
}

// surprised reports whether what the level makes takes more than estimates say, or is bound
// by what these know least of.
func (s *search) surprised(p *plan) bool {
	estimate, before, t := float64(p.report.After[0])/float64(max(s.k.cost[0], 1)), s.before.Cycles, &s.main.cost
	if s.k.pricer.still || before == 0 {
		return false
	}
	return t.Cycles > surprise*estimate*before || t.Bottleneck == "fetch" && t.Cycles > (1-little)*before
}

// enterStages enters what there is after each stage of the level.
func (s *search) enterStages(stages []*plan) {
	for _, p := range stages {
		s.enter(p)
	}
}

// enterLeast enters pipelines that do little.
func (s *search) enterLeast() {
	for _, pipeline := range suite.KernelLeast(s.k.z.o.number()) {
		pipeline = s.k.z.o.coarser(pipeline)
		p := s.begin(pipeline)
		if t := s.enterHalf(p); t == nil && placing(pipeline) > 0 || t != nil && t.cost.Cycles >= near*s.least {
			continue
		}
		s.k.carryOut(p, len(pipeline), nil)
		s.enter(p)
	}
}

// enterOpening enters the level behind its opening, and that alone. Tiles are made first, so
// they have none.
func (s *search) enterOpening(level passes.Pipeline) {
	opening := suite.KernelOpening(s.k.z.o.number())
	if opening == nil || s.k.z.o.Coarsen != "" || len(s.k.kernel.Insts) > openable {
		return
	}
	alone := plan{pipeline: opening}
	s.k.carryOut(&alone, len(alone.pipeline), nil)
	if alone.unit == nil || float64(s.k.priceOf(alone.unit, s.k.z.o.spend.price).cost[0]) > (1-promising)*float64(s.k.cost[0]) {
		return
	}
	whole := alone
	whole.own()
	whole.pipeline = slices.Concat(alone.pipeline, level)
	s.enter(&alone)
	s.k.carryOut(&whole, len(whole.pipeline), nil)
	s.enterLevel(&whole)
}

// enterBranching enters the level that leaves branches which alone do not pay, of kernels that do not
// take long; and of a level that surprised, where what is computed does not take the time, the
// one that leaves all, and that behind its opening: what branches keep apart may fetch less, which
// estimates do not tell.
func (s *search) enterBranching(level passes.Pipeline, surprised bool) {
	enter := func(level passes.Pipeline) {
		p := plan{pipeline: level}
		s.k.carryOut(&p, len(level), nil)
		s.enterLevel(&p)
	}
	if len(s.k.kernel.Insts) <= openable {
		each := slices.Clone(level)
		for i, st := range each {
			if st.Pass == ifconvert.Pass {
				each[i].Settings = []passes.Setting{{Name: "each", Value: "true"}}
			}
		}
		enter(each)
	}
	if surprised && s.main.cost.Bottleneck != "alu" {
		without := slices.DeleteFunc(slices.Clone(level), func(st passes.Stage) bool { return st.Pass == ifconvert.Pass })
		enter(without)
		s.enterOpening(without)
	}
}

// changed reports whether a stage of a pass has changed the kernel.
func (p *plan) changed(pass *passes.Pass) bool {
	return slices.ContainsFunc(p.report.Stats, func(s passes.Stat) bool {
		return s.Stage == pass.Name && s.Outcome == passes.Changed
	})
}

// enterWholes enters the best of the pipelines that have to pay as a whole, and of each what
// there is before registers are merged: that takes most of the time, and changes the order
// little. Where no loop fetches it does not matter how far loops are unrolled, but for the
// code that this takes, and the most is tried alone; where nothing does, windows do not matter.
func (s *search) enterWholes() {
	var best *plan
	least := near * s.least
	loops, fetches := loopsOf(s.k.lifted)
	rows := suite.KernelWholes(s.k.z.o.number())
	for i, row := range rows {
		if s.before.Fetches == 0 && i == 0 || i > 0 && (!loops || !fetches && i < len(rows)-1) {
			continue
		}
		hopeful := false
		for _, pipeline := range row {
			p := s.begin(s.k.z.o.coarser(pipeline))
			if t := s.enterHalf(p); t != nil && t.cost.Cycles < near*s.least {
				hopeful = true
				if t.cost.Cycles < least {
					best, least = p, t.cost.Cycles
				}
			}
		}
		if i > 0 && !hopeful {
			break
		}
	}
	if best != nil {
		s.k.carryOut(best, len(best.pipeline), nil)
		s.enter(best)
	}
}

// enterHalf carries out the part of a plan before registers are merged, and enters what
// there is then.
func (s *search) enterHalf(p *plan) *timedKernel {
	s.k.carryOut(p, placing(p.pipeline), nil)
	half := *p
	half.pipeline = p.pipeline[:placing(p.pipeline)]
	p.own()
	return s.enterWithin(&half, near)
}

// begin is a plan that has to pay as a whole, carried out as far as others begin alike: up to
// the grouping of fetches.
func (s *search) begin(pipeline passes.Pipeline) *plan {
	p := plan{pipeline: pipeline, whole: true}
	n := slices.IndexFunc(pipeline, func(s passes.Stage) bool { return s.Pass == groupfetch.Pass })
	if n < 0 {
		return &p
	}
	alike := pipeline[:n].String()
	if begun, known := s.begun[alike]; known {
		p.unit, p.report = begun.unit, begun.report
	} else {
		s.k.carryOut(&p, n, nil)
		s.begun[alike] = p
	}
	p.own()
	return &p
}

// own gives a plan a unit and a report of its own, to go on with.
func (p *plan) own() {
	if p.unit != nil {
		p.unit, p.report.Stats = p.unit.Clone(), slices.Clip(p.report.Stats)
	}
}

// placing is the number of stages before those that decide where values live.
func placing(p passes.Pipeline) int {
	if i := slices.IndexFunc(p, func(s passes.Stage) bool { return s.Pass == merge.Pass }); i >= 0 {
		return i
	}
	return len(p)
}

// enter simulates what a plan makes and adds it. It adds nothing, and returns nil, if there
// is nothing, or if that keeps the vector units busy for longer than the best takes.
func (s *search) enter(p *plan) *timedKernel { return s.enterWithin(p, 1) }

// enterWithin is enter for a plan that may keep them busy for so many times as long.
func (s *search) enterWithin(p *plan, times float64) *timedKernel {
	if p.unit == nil || !p.report.Changed() || s.k.z.o.spend.whole.Err() != nil || s.floor(p) > times*s.least {
		return nil
	}
	t := s.k.simulated(p)
	if t != nil {
		s.least = min(s.least, t.cost.Cycles)
		s.contest.enter(p, t)
	}
	return t
}

// floor is what the vector units take for what a plan makes, as the simulation of the main
// plan tells, which may be of a part of the launch.
func (s *search) floor(p *plan) float64 {
	if s.work == 0 {
		return 0
	}
	return s.k.priceOf(p.unit, s.k.z.o.spend.price).alu / s.work * s.main.busy
}

// contest is plans, and what the versions cost that they make.
type contest struct {
	plans []*plan
	costs []*timedKernel
}

// enter adds a plan, unless another one makes the same.
func (c *contest) enter(p *plan, t *timedKernel) {
	if !slices.Contains(c.costs, t) {
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

// carryOut goes on with a plan until so many stages of it are done.
func (k *kernel) carryOut(p *plan, stages int, observe func(int, bool, *passes.Unit)) {
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
		return
	}
	p.report.Append(report)
}

// simulated is what comes of a plan, nil if that cannot be told.
func (k *kernel) simulated(p *plan) *timedKernel {
	t, err := k.timeOf(p.unit)
	if err != nil {
		return nil
	}
	return t
}

// loopsOf reports whether f has loops, and whether one of them fetches.
func loopsOf(f *ir.Func) (some, fetch bool) {
	f.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpLoop {
			some = true
			in.Sub[0].Walk(func(in *ir.Instr) { fetch = fetch || in.Op.Has(ir.IsFetch) })
		}
	})
	return some, fetch
}
