package shaderlift

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/groupfetch"
	"github.com/shaderlift/shaderlift/passes/ifconvert"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/regalloc/merge"
)

// maxPlans bounds how many plans are verified, the best first.
const maxPlans = 3

// Factors that steer the search; all are chosen.
const (
	// A launch that takes more than this factor of its estimate shows that the estimates cannot be
	// relied on.
	estimateSlack = 1.01
	// The part of a launch bound by fetches that a plan has to save to be believed to be the best.
	minFetchGain = 0.05
	// Units that work for this part of a launch leave no more to be gained than the rest of it.
	saturation = 0.97
	// Prices of what is not written yet are off by up to this factor; fitted, see kernel.
	placement = 1.02
	// Versions that estimates have more than this factor apart are taken not to change places by how their
	// fetches hit.
	hits = 1.1
	// So few wavefronts hide each other's latency badly: registers may be all that a kernel lacks.
	crowded = 4
	// A plan that takes at most this factor of the best so far is developed further.
	explorationSlack = 1.05
	// Merging registers makes no plan faster by more than this factor that would pay without it.
	mergeSlack = 1.025
)

// An opening takes long on large kernels, so it is tried up to maxOpeningStatements statements,
// unless the level saves the part minBranchGain by its branches, and continued only if it saves the
// part minOpeningGain by estimate.
const (
	maxOpeningStatements = 256
	minOpeningGain       = 0.02
	minBranchGain        = 0.06
)

// minWholeGain is the part of a launch that levels save where pipelines that have to pay as a whole save
// no more, if there is no loop to unroll; fitted, as what is above.
const minWholeGain = 0.05

// maxEach bounds the branches of which each may have to pay by itself. Each of many changes little.
const maxEach = 64

// plans returns the plans that pay, best first, after trying what the level tries. Passes compare
// versions by estimates, which take cache hits to be those of the input. Where fetches move between
// trips of a loop, or hit otherwise all the same, only a simulation can tell. So the level itself
// is carried out first; if its simulation differs from its estimate, the results of single stages
// and other pipelines are simulated as well (see search).
func (k *kernel) plans(level passes.Pipeline) (plans []plan) {
	main := plan{pipeline: level}
	if k.lifted == nil || len(level) == 0 {
		return []plan{main}
	}
	s := search{k: k, before: &k.z.res.Kernel.Before, begun: map[string]plan{}}
	s.least = s.before.Cycles
	s.known = []known{{s.before, float64(k.cost[0])}}
	// A level above the default tries all that the default does, then its own additional stages.
	rest := level[s.below(level):]
	level = level[:len(level)-len(rest)]
	main.pipeline = level
	var stages []*plan
	// A copy of the unit behind each stage that changes something, for the case of a surprise.
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
		s.work = k.priceOf(main.unit).alu
		if surprised = s.surprised(&main); surprised {
			s.enterStages(stages)
			s.enterLeast(suite.KernelLeast(k.z.o.number()))
		}
	}
	if !surprised && s.before.Wavefronts <= crowded {
		s.enterLeast(slices.DeleteFunc(suite.KernelLeast(k.z.o.number()), func(p passes.Pipeline) bool { return p[0].Pass != merge.Pass }))
	}
	if !s.branchy(&main) {
		s.enterOpening(level)
	}
	if surprised && main.changed(ifconvert.Pass) {
		s.enterBranching(level)
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

// search looks for the plan that costs least. Functions enterX simulate candidates and add them to
// the contest.
type search struct {
	contest
	k      *kernel
	before *KernelCost
	least  float64 // cycles of the best version so far, the input included
	// main is what the pipeline of the level makes, if anything, and work what its wavefronts
	// keep the vector units busy for by estimate.
	main *timedKernel
	work float64
	// known are the versions that were simulated, the input first.
	known []known
	// levels are the plans that the level is a part of.
	levels []*plan
	// begun has plans carried out up to the stages given as key, for plans that differ only behind
	// these.
	begun map[string]plan
}

// below is the number of stages of a level that are those of the default level. A higher level
// tries everything that the default does and then what it has more, so it comes to nothing slower.
func (s *search) below(level passes.Pipeline) int {
	if s.k.z.o.number() > suite.DefaultLevel {
		if p, err := suite.KernelLevel(suite.DefaultLevel); err == nil {
			return len(s.k.z.o.coarser(p))
		}
	}
	return len(level)
}

// enterLevel enters a plan of which the level is a part. The stages of a higher level are appended
// to these in the end.
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

// surprised reports whether the result of the level takes more cycles than estimated, or is bound
// by fetches, of which estimates know least, without gaining anything.
func (s *search) surprised(p *plan) bool {
	estimate, before, t := float64(p.report.After[0])/float64(max(s.k.cost[0], 1)), s.before.Cycles, &s.main.cost
	if s.k.pricer.still || before == 0 || s.saturated() {
		return false
	}
	return t.Cycles > estimateSlack*estimate*before || t.Bottleneck == "fetch" && t.Cycles > (1-minFetchGain)*before
}

// saturated reports whether the result of the level is faster than the input and keeps a unit working
// that has as little to do as estimates have it: the vector units, whose work they know, or texture
// units or memory that have no more to do than for the input. Then what was surprising is how long
// that unit waits, in the input or in the estimate, and what lies between the two gives it no less
// to do.
func (s *search) saturated() bool {
	c, t, before := &s.main.cost, s.main.load, s.k.load
	full := func(load float64) bool { return load >= saturation*c.Cycles }
	same := func(load, before float64) bool { return load <= (1+Threshold)*before }
	return c.Cycles < s.before.Cycles &&
		(full(t.alu) || full(t.fetch) && same(t.fetch, before.fetch) || full(t.memory) && same(t.memory, before.memory))
}

// enterStages enters the results of each stage of the level. One in the middle may be faster than
// the last.
func (s *search) enterStages(stages []*plan) {
	for _, p := range stages {
		s.enter(p)
	}
}

// enterLeast enters short pipelines of package suite. Merging
// registers takes most of the time, so it is left for those that look good without it.
func (s *search) enterLeast(list []passes.Pipeline) {
	for _, pipeline := range list {
		pipeline = s.k.z.o.coarser(pipeline)
		p := s.begin(pipeline)
		if t := s.enterHalf(p); t == nil && beforeRegalloc(pipeline) > 0 || t != nil && t.cost.Cycles >= explorationSlack*s.least {
			continue
		}
		s.k.carryOut(p, len(pipeline), nil)
		s.enter(p)
	}
}

// enterOpening enters the level behind its opening, and the opening alone, where the input keeps the
// vector units busy. Tiles have to be made before any other pass runs, so with a tile there is no opening.
func (s *search) enterOpening(level passes.Pipeline) {
	opening := suite.KernelOpening(s.k.z.o.number())
	if opening == nil || s.k.z.o.Coarsen != "" || len(s.k.kernel.Insts) > maxOpeningStatements || s.k.load.alu < saturation*s.before.Cycles {
		return
	}
	alone := plan{pipeline: opening}
	s.k.carryOut(&alone, len(alone.pipeline), nil)
	if alone.unit == nil || float64(s.k.priceOf(alone.unit).cost[0]) > (1-minOpeningGain)*float64(s.k.cost[0]) {
		return
	}
	whole := alone
	whole.own()
	whole.pipeline = slices.Concat(alone.pipeline, level)
	s.enter(&alone)
	s.k.carryOut(&whole, len(whole.pipeline), nil)
	s.enterLevel(&whole)
}

// enterBranching enters variants of the level that keep branches, if it surprised. For small kernels with
// few of them: one in which each conversion of a branch has to pay by itself. If arithmetic is not what
// limits it: one that keeps all branches, since the side that a wavefront does not take fetches nothing,
// which estimates do not see.
func (s *search) enterBranching(level passes.Pipeline) {
	enter := func(level passes.Pipeline) {
		p := plan{pipeline: level}
		s.k.carryOut(&p, len(level), nil)
		s.enterLevel(&p)
	}
	if len(s.k.kernel.Insts) <= maxOpeningStatements && branchesOf(s.k.lifted) <= maxEach {
		each := slices.Clone(level)
		for i, st := range each {
			if st.Pass == ifconvert.Pass {
				each[i].Settings = []passes.Setting{{Name: "each", Value: "true"}}
			}
		}
		enter(each)
	}
	if s.main.cost.Bottleneck != "alu" {
		without := slices.DeleteFunc(slices.Clone(level), func(st passes.Stage) bool { return st.Pass == ifconvert.Pass })
		enter(without)
		s.enterOpening(without)
	}
}

// branchy reports whether branches are what the level gains by, and arithmetic is what is left: what
// would be packed before it are their sides, which then are no longer apart.
func (s *search) branchy(p *plan) bool {
	gain := func(after, before float64) bool { return after < (1-minBranchGain)*before }
	return s.main != nil && s.main.cost.Bottleneck == "alu" && gain(s.main.cost.Cycles, s.before.Cycles) && slices.ContainsFunc(p.report.Stats, func(st passes.Stat) bool {
		return st.Stage == ifconvert.Pass.Name && gain(float64(st.After[0]), float64(st.Before[0]))
	})
}

// changed reports whether a stage of a pass has changed the kernel.
func (p *plan) changed(pass *passes.Pass) bool {
	return slices.ContainsFunc(p.report.Stats, func(s passes.Stat) bool {
		return s.Stage == pass.Name && s.Outcome == passes.Changed
	})
}

// enterWholes enters pipelines that have to pay as a whole (unrolling, which pays by what follows).
// There is a row for each unroll factor and in each row one for each window of fetches; each is
// simulated before registers are merged, which takes most of the time and changes the order little,
// and only the best is completed. Kernels without loops have one row; without fetches in loops it
// does not matter how far they are unrolled, apart from code size, so only the last is tried;
// without fetches windows do not matter.
func (s *search) enterWholes() {
	var best *plan
	least := mergeSlack * s.least
	loops, fetches := loopsOf(s.k.lifted)
	rows := suite.KernelWholes(s.k.z.o.number())
	if !loops && s.least < (1-minWholeGain)*s.before.Cycles {
		return
	}
	for i, row := range rows {
		if s.before.Fetches == 0 && i == 0 || i > 0 && (!loops || !fetches && i < len(rows)-1) {
			continue
		}
		hopeful := false
		for _, pipeline := range row {
			p := s.begin(s.k.z.o.coarser(pipeline))
			if t := s.enterHalf(p); t != nil && t.cost.Cycles < explorationSlack*s.least {
				hopeful = true
				if t.cost.Cycles < least {
					best, least = p, t.cost.Cycles
				}
			}
		}
		// Further unrolling is not tried once a row gave nothing.
		if i > 0 && !hopeful {
			break
		}
	}
	if best != nil {
		s.k.carryOut(best, len(best.pipeline), nil)
		s.enter(best)
	}
}

// enterHalf carries out a plan up to the merging of registers, and enters what there is then. The
// plan itself can go on from there.
func (s *search) enterHalf(p *plan) *timedKernel {
	s.k.carryOut(p, beforeRegalloc(p.pipeline), nil)
	half := *p
	half.pipeline = p.pipeline[:beforeRegalloc(p.pipeline)]
	p.own()
	return s.enterWithin(&half, explorationSlack)
}

// begin returns a plan for pipeline, to pay as a whole, carried out as far as others begin alike:
// up to the grouping of fetches, whose window is what they differ in.
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

// own gives a plan a unit and a report of its own, so that going on with it leaves others alone.
func (p *plan) own() {
	if p.unit != nil {
		p.unit, p.report.Stats = p.unit.Clone(), slices.Clip(p.report.Stats)
	}
}

// beforeRegalloc is the number of stages before registers are merged.
func beforeRegalloc(p passes.Pipeline) int {
	if i := slices.IndexFunc(p, func(s passes.Stage) bool { return s.Pass == merge.Pass }); i >= 0 {
		return i
	}
	return len(p)
}

// enter simulates what a plan makes and adds it to the contest. It returns nil if the plan changed
// nothing, cannot be simulated, keeps the vector units busy for longer than the best version
// takes in all, or is estimated to be too much slower.
func (s *search) enter(p *plan) *timedKernel { return s.enterWithin(p, 1) }

// enterWithin is enter with that bound multiplied by times.
func (s *search) enterWithin(p *plan, times float64) *timedKernel {
	if p.unit == nil || !p.report.Changed() || s.k.z.o.spend.whole.Err() != nil || s.floor(p) > placement*times*s.least {
		return nil
	}
	price := float64(s.k.priceOf(p.unit).cost[0])
	if s.estimated(price) > s.slack()*s.least {
		return nil
	}
	t := s.k.simulated(p)
	if t != nil {
		s.known = append(s.known, known{&t.cost, price})
		s.least = min(s.least, t.cost.Cycles)
		s.contest.enter(p, t)
	}
	return t
}

// floor is about the least that a plan's result can take in cycles: what its vector units have to do by
// estimate, scaled by the ratio of simulation and estimate in the main plan.
func (s *search) floor(p *plan) float64 {
	if s.work == 0 {
		return 0
	}
	return s.k.priceOf(p.unit).alu / s.work * s.main.load.alu
}

// known is a version that was simulated, and its price in cycles.
type known struct {
	cost  *KernelCost
	price float64
}

// slack is the factor of the best so far that a version may be estimated to take to be simulated. How
// fetches hit, estimates do not know: where anything but arithmetic limits a version it is larger. Of
// 650 versions of the corpus and of testdata none was better that was estimated to take a fiftieth more.
func (s *search) slack() float64 {
	if slices.ContainsFunc(s.known, func(v known) bool { return v.cost.Bottleneck != "alu" }) {
		return hits
	}
	return placement
}

// estimated is the least that a version of some price can be expected to take in cycles: as if it waited
// as that version known does of which this is best.
func (s *search) estimated(price float64) float64 {
	if s.k.pricer.still {
		return 0
	}
	least := math.Inf(1)
	for _, v := range s.known {
		least = min(least, v.cost.Cycles/max(v.price, 1)*price)
	}
	return least
}

// contest collects plans with the simulated versions that they lead to.
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

// best returns up to most plans, best first, among those better than least. Selection by repeated
// minimum, as better is no total order.
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

// carryOut runs a plan's pipeline from where it is up to stages. Fuel counts over all of them. On
// an error the plan has no unit.
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

// branchesOf counts the branches of f.
func branchesOf(f *ir.Func) (n int) {
	f.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpIf {
			n++
		}
	})
	return n
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
