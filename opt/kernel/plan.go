package kernel

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/fetches"
	"github.com/shaderlift/shaderlift/passes/ifconvert"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/regalloc/merge"
	"github.com/shaderlift/shaderlift/unroll"
)

// MaxPlans limits the plans that are verified, best first. maxCandidates limits the plans that are
// priced on all launches.
const (
	MaxPlans      = 3
	maxCandidates = 12
	maxOthers     = 8 // of OtherPlans
)

// Parameters of the search, fitted to the versions of the corpus and of testdata, over which docs/results.md reports
// totals. They bound the effort: other values run more pipelines or fewer, and simulation decides between the results.
const (
	// A launch that takes more than this factor of its estimate shows that the estimates are
	// unreliable.
	estimateSlack = 1.01
	// A plan bound by fetches must save this part of a launch to be accepted without further search.
	minFetchGain = 0.05
	// If units work for this part of a launch, at most the rest can still be saved.
	saturation = 0.97
	// Prices of units that are not written yet are wrong by up to this factor, for 98 % of the versions that the package
	// documentation counts.
	placement = 1.02
	// If estimates of two versions differ by more than this factor, cache hits are assumed not to
	// change their order.
	hits = 1.1
	// At this number of wavefronts, latency is poorly hidden: the kernel may lack only registers.
	crowded = 4
	// A plan within this factor of the best so far is developed further.
	explorationSlack = 1.05
	// Merging registers makes a plan faster by at most this factor.
	mergeSlack = 1.025
)

// A prologue takes long on large kernels. It is tried up to maxOpeningStatements statements, unless the
// level saves the part minBranchGain through its branches. It is continued only if it is estimated to
// save the part minOpeningGain.
const (
	maxOpeningStatements = 256
	minOpeningGain       = 0.02
	minBranchGain        = 0.06
)

// minWholeGain is the part of a launch above which the savings of a level make joint pipelines useless,
// for kernels without loops to unroll; chosen like the constants above.
const minWholeGain = 0.05

// maxHeldStatements limits the kernels whose plans all keep their units.
const maxHeldStatements = 1 << 14

// maxEach limits the branches of a kernel whose conversions are priced one by one. With many branches,
// each changes little.
const maxEach = 64

// Runner runs the pipeline of a plan from its current stage up to stages, and tells observe of each. After
// an error the plan has no unit.
type Runner func(p *passes.Plan, stages int, observe func(stage int, changed bool, u *passes.Unit))

// Plans returns the profitable plans, best first, or the level if there are none. Passes compare versions
// by estimates, which assume the cache hits of the input. If fetches move between trips of a loop, or
// their hits change for other reasons, only a simulation is reliable. So the level runs first. If its
// simulation differs from its estimate, the results of single stages and other pipelines are simulated
// as well (see search).
//
// number is the number of the level, and tile is Options.Kernel.Coarsen.
func (b *Bench) Plans(level passes.Pipeline, number int, tile ir.Tile, run Runner) (plans []passes.Plan) {
	main := passes.Plan{Pipeline: level}
	if len(level) == 0 {
		return []passes.Plan{main}
	}
	s := &search{b: b, number: number, tile: tile, run: run, before: &b.Before, begun: map[string]passes.Plan{}}
	b.search = s
	s.least = s.before.Cycles
	s.known = []known{{s.before, float64(b.cost[0])}}
	// A level above the default runs all stages of the default first, then its additional stages.
	rest := level[s.below(level):]
	level = level[:len(level)-len(rest)]
	main.Pipeline = level
	// Keep a copy of the unit after each stage that changes something, for the case of a surprise.
	run(&main, len(level), func(stage int, changed bool, u *passes.Unit) {
		if changed {
			s.stages = append(s.stages, &passes.Plan{Pipeline: level[:stage+1], Unit: u.Clone()})
		}
	})
	for _, p := range s.stages {
		p.Report = main.Report.FirstStages(len(p.Pipeline))
	}
	surprised := false
	if s.main = s.enterLevel(&main); s.main != nil {
		s.work = b.Price(main.Unit).alu
		if surprised = s.surprised(&main); surprised {
			s.enterStages()
			s.enterLeast(suite.KernelLeast(number))
		}
	}
	if !surprised && s.before.Wavefronts <= crowded {
		s.enterLeast(slices.DeleteFunc(suite.KernelLeast(number),
			func(p passes.Pipeline) bool { return p[0].Pass != merge.Pass }))
	}
	if !s.branchy(&main) {
		s.enterOpening(level)
	}
	if surprised && main.Changed(ifconvert.Pass) {
		s.enterBranching(level)
	}
	s.enterApart(level)
	s.enterWholes()
	s.enterRest(rest)
	for _, p := range s.bestPlans(s.before, maxCandidates) {
		plans = append(plans, *p)
	}
	if plans == nil {
		plans = append(plans, main)
	}
	return plans
}

// OtherPlans returns more plans, best first, if all of Plans are slower than the input on some launch. They are the
// results of single stages, short pipelines, and joint pipelines that keep loops: these change less.
func (b *Bench) OtherPlans() (plans []passes.Plan) {
	s := b.search
	if s == nil {
		return nil
	}
	tried := slices.Clone(s.plans)
	s.all = true
	// Sides that a wavefront skips are the usual reason.
	if main := s.levels[0]; main.Changed(ifconvert.Pass) {
		s.enterBranching(main.Pipeline)
		s.stages = slices.DeleteFunc(s.stages, func(p *passes.Plan) bool { return p.Changed(ifconvert.Pass) })
	}
	s.enterStages()
	s.enterLeast(suite.KernelLeast(s.number))
	if rows := suite.KernelWholes(s.number); len(rows) > 0 {
		for _, pipeline := range rows[0] {
			p := s.begin(Coarser(pipeline, s.tile))
			s.run(p, len(p.Pipeline), nil)
			s.enter(p)
		}
	}
	for _, p := range s.bestPlans(s.before, len(tried)+maxOthers) {
		if !slices.Contains(tried, p) {
			plans = append(plans, *p)
		}
	}
	return plans
}

// search looks for the cheapest plan. The functions enterX simulate plans and add them to the
// candidates.
type search struct {
	contest
	b      *Bench
	number int     // of the level
	tile   ir.Tile // of coarsened versions
	run    Runner
	before *Cost
	least  float64 // cycles of the best version so far, the input included
	// main is the result of the level's pipeline, if any. work is the estimated load of its wavefronts
	// on the vector units.
	main *Timed
	work float64
	// known are the simulated versions, the input first.
	known []known
	// stages are the results of the stages of the level.
	stages []*passes.Plan
	all    bool // enter versions that are slower than the best one too
	// levels are the plans that contain the level.
	levels []*passes.Plan
	// begun has plans that ran the stages of the key, for plans that differ only in later stages.
	begun map[string]passes.Plan
}

// below returns the number of stages that a level shares with the default level. A higher level tries
// everything that the default does before its own stages, so its result is never slower.
func (s *search) below(level passes.Pipeline) int {
	if s.number > suite.DefaultLevel {
		if p, err := suite.KernelLevel(suite.DefaultLevel); err == nil {
			return len(Coarser(p, s.tile))
		}
	}
	return len(level)
}

// enterLevel enters a plan that contains the level. enterRest later appends the stages of a higher
// level.
func (s *search) enterLevel(p *passes.Plan) *Timed {
	s.levels = append(s.levels, p)
	return s.enter(p)
}

// enterRest extends the plans that contain the level by the stages of a higher level.
func (s *search) enterRest(rest passes.Pipeline) {
	if len(rest) == 0 {
		return
	}
	for _, p := range s.levels {
		if p.Unit == nil {
			continue
		}
		more := *p
		more.Detach()
		more.Pipeline = slices.Concat(p.Pipeline, rest)
		s.run(&more, len(more.Pipeline), nil)
		s.enter(&more)
	}
}

// surprised reports whether the result of the level takes more cycles than estimated, or is bound by
// fetches without a gain. Estimates are least reliable for fetches.
func (s *search) surprised(p *passes.Plan) bool {
	estimate, before, t := float64(p.Report.After[0])/float64(max(s.b.cost[0], 1)), s.before.Cycles, &s.main.Cost
	if s.b.pricer.still || before == 0 || s.saturated() {
		return false
	}
	return t.Cycles > estimateSlack*estimate*before || t.Bottleneck == "fetch" && t.Cycles > (1-minFetchGain)*before
}

// saturated reports whether the result of the level is faster than the input and keeps a unit busy
// whose load cannot be reduced. This unit is the vector units, whose load estimates predict well, or
// texture units or memory with no more load than in the input. Then the surprise concerns only waiting
// times of that unit, and intermediate stages give it no less work.
func (s *search) saturated() bool {
	c, t, before := &s.main.Cost, s.main.load, s.b.load
	full := func(load float64) bool { return load >= saturation*c.Cycles }
	same := func(load, before float64) bool { return load <= (1+Threshold)*before }
	return c.Cycles < s.before.Cycles &&
		(full(t.alu) || full(t.fetch) && same(t.fetch, before.fetch) || full(t.memory) && same(t.memory, before.memory))
}

// enterStages enters the results of each stage of the level. A middle stage may be faster than the
// last.
func (s *search) enterStages() {
	for _, p := range s.stages {
		s.enter(p)
	}
}

// enterLeast enters short pipelines of package suite. Merging registers takes most of the time, so it
// runs only on pipelines that look promising without it.
func (s *search) enterLeast(list []passes.Pipeline) {
	for _, pipeline := range list {
		pipeline = Coarser(pipeline, s.tile)
		p := s.begin(pipeline)
		if t := s.enterHalf(p); t == nil && beforeRegalloc(pipeline) > 0 ||
			t != nil && !s.all && t.Cost.Cycles >= explorationSlack*s.least {
			continue
		}
		s.run(p, len(pipeline), nil)
		s.enter(p)
	}
}

// enterOpening enters the level after its prologue, and the prologue alone, if the input keeps the
// vector units busy. Coarsening must run before any other pass, so a level with a tile has no prologue.
func (s *search) enterOpening(level passes.Pipeline) {
	opening := suite.KernelOpening(s.number)
	if opening == nil || s.tile != (ir.Tile{}) || len(s.b.Source.Insts) > maxOpeningStatements ||
		s.b.load.alu < saturation*s.before.Cycles {
		return
	}
	alone := passes.Plan{Pipeline: opening}
	s.run(&alone, len(alone.Pipeline), nil)
	if alone.Unit == nil || float64(s.b.Price(alone.Unit).Cost[0]) > (1-minOpeningGain)*float64(s.b.cost[0]) {
		return
	}
	whole := alone
	whole.Detach()
	whole.Pipeline = slices.Concat(alone.Pipeline, level)
	s.enter(&alone)
	s.run(&whole, len(whole.Pipeline), nil)
	s.enterLevel(&whole)
}

// enterApart enters a prefix that moves branches out of loops, if there are such branches, and the level after it if the
// prefix is estimated to save the part minOpeningGain. Coarsening must run first, so a level with a tile has no prefix.
func (s *search) enterApart(level passes.Pipeline) {
	prefix := suite.KernelApart(s.number)
	if prefix == nil || s.tile != (ir.Tile{}) || !unroll.HasInvariantBranches(s.b.Lifted) {
		return
	}
	alone := passes.Plan{Pipeline: prefix}
	s.run(&alone, len(prefix), nil)
	if alone.Unit == nil || !alone.Changed(unroll.Unswitch) ||
		float64(s.b.Price(alone.Unit).Cost[0]) > (1-minOpeningGain)*float64(s.b.cost[0]) {
		return
	}
	whole := alone
	whole.Detach()
	whole.Pipeline = slices.Concat(prefix, level)
	s.enter(&alone)
	s.run(&whole, len(whole.Pipeline), nil)
	s.enterLevel(&whole)
}

// enterBranching enters variants of the level that keep branches, after a surprise. For small kernels
// with few branches, each conversion of a branch must pay on its own. If arithmetic is not the
// bottleneck, another variant keeps all branches: a side that a wavefront skips fetches nothing, which
// estimates ignore.
func (s *search) enterBranching(level passes.Pipeline) {
	enter := func(level passes.Pipeline) {
		p := passes.Plan{Pipeline: level}
		s.run(&p, len(level), nil)
		s.enterLevel(&p)
	}
	if len(s.b.Source.Insts) <= maxOpeningStatements && branchesOf(s.b.Lifted) <= maxEach {
		each := slices.Clone(level)
		for i, st := range each {
			if st.Pass == ifconvert.Pass {
				each[i].Settings = []passes.Setting{{Name: "each", Value: "true"}}
			}
		}
		enter(each)
	}
	if s.all || s.main.Cost.Bottleneck != "alu" {
		without := slices.DeleteFunc(slices.Clone(level), func(st passes.Stage) bool { return st.Pass == ifconvert.Pass })
		enter(without)
		s.enterOpening(without)
	}
}

// branchy reports whether the level gains through its branches and is then bound by arithmetic. A
// prologue would pack the sides of branches, which the level no longer separates.
func (s *search) branchy(p *passes.Plan) bool {
	gain := func(after, before float64) bool { return after < (1-minBranchGain)*before }
	return s.main != nil && s.main.Cost.Bottleneck == "alu" && gain(s.main.Cost.Cycles, s.before.Cycles) &&
		slices.ContainsFunc(p.Report.Stats, func(st passes.Stat) bool {
			return st.Stage == ifconvert.Pass.Name && gain(float64(st.After[0]), float64(st.Before[0]))
		})
}

// enterWholes enters joint pipelines, such as unrolling, whose stages pay only together. There is a row
// per unroll factor, and in each row a pipeline per window of fetches. Each is simulated before
// registers are merged, because merging takes most of the time and rarely changes the order; only the
// best is completed. Kernels without loops have one row. If no loop fetches, the unroll factor affects
// little but code size, so only the last row is tried. Without fetches, windows have no effect.
func (s *search) enterWholes() {
	var best *passes.Plan
	least := mergeSlack * s.least
	loops, fetches := loopsOf(s.b.Lifted)
	rows := suite.KernelWholes(s.number)
	if !loops && s.least < (1-minWholeGain)*s.before.Cycles {
		return
	}
	for i, row := range rows {
		if s.before.Fetches == 0 && i == 0 || i > 0 && (!loops || !fetches && i < len(rows)-1) {
			continue
		}
		hopeful := false
		for _, pipeline := range row {
			p := s.begin(Coarser(pipeline, s.tile))
			if t := s.enterHalf(p); t != nil && t.Cost.Cycles < explorationSlack*s.least {
				hopeful = true
				if t.Cost.Cycles < least {
					best, least = p, t.Cost.Cycles
				}
			}
		}
		// Larger unroll factors are skipped once a row gave nothing.
		if i > 0 && !hopeful {
			break
		}
	}
	if best != nil {
		s.run(best, len(best.Pipeline), nil)
		s.enter(best)
	}
}

// enterHalf runs a plan up to the merging of registers and enters the result. The plan itself can
// continue from there.
func (s *search) enterHalf(p *passes.Plan) *Timed {
	s.run(p, beforeRegalloc(p.Pipeline), nil)
	half := *p
	half.Pipeline = p.Pipeline[:beforeRegalloc(p.Pipeline)]
	p.Detach()
	return s.enterWithin(&half, explorationSlack)
}

// begin returns a plan for a joint pipeline. It runs the plan up to the prefix shared with others: the
// stages before the grouping of fetches, whose window differs.
func (s *search) begin(pipeline passes.Pipeline) *passes.Plan {
	p := passes.Plan{Pipeline: pipeline, Whole: true}
	n := slices.IndexFunc(pipeline, func(s passes.Stage) bool { return s.Pass == fetches.Group })
	if n < 0 {
		return &p
	}
	alike := pipeline[:n].String()
	if begun, known := s.begun[alike]; known {
		p.Unit, p.Report = begun.Unit, begun.Report
	} else {
		s.run(&p, n, nil)
		s.begun[alike] = p
	}
	p.Detach()
	return &p
}

// beforeRegalloc returns the number of stages before registers are merged.
func beforeRegalloc(p passes.Pipeline) int {
	if i := slices.IndexFunc(p, func(s passes.Stage) bool { return s.Pass == merge.Pass }); i >= 0 {
		return i
	}
	return len(p)
}

// enter simulates the result of a plan and adds it to the candidates. It returns nil if the plan
// changed nothing, cannot be simulated or is estimated to be too slow. It also returns nil if the load
// of the vector units exceeds the total time of the best version.
func (s *search) enter(p *passes.Plan) *Timed { return s.enterWithin(p, 1) }

// enterWithin works like enter, with the bound on the load multiplied by times.
func (s *search) enterWithin(p *passes.Plan, times float64) *Timed {
	if p.Unit == nil || !p.Report.Changed() || s.b.Budget.Err() != nil || !s.all && s.floor(p) > placement*times*s.least {
		return nil
	}
	price := float64(s.b.Price(p.Unit).Cost[0])
	if !s.all && s.estimated(price) > s.slack()*s.least {
		return nil
	}
	t := s.b.simulated(p)
	if t != nil {
		s.known = append(s.known, known{&t.Cost, price})
		s.least = min(s.least, t.Cost.Cycles)
		if t.Cost.Improves(s.before) { // bestPlans selects no other
			s.contest.enter(p, t)
			s.release()
		}
	}
	return t
}

// release drops the units of plans that are not the best of a large kernel, each of which takes 600 bytes for a
// statement. If a plan is tried after all, its pipeline runs again.
func (s *search) release() {
	if len(s.b.Source.Insts) <= maxHeldStatements {
		return
	}
	best := s.bestPlans(s.before, 1)
	for _, p := range s.plans {
		if !slices.Contains(best, p) && !slices.Contains(s.levels, p) {
			p.Unit, p.Report = nil, passes.Report{}
		}
	}
}

// floor returns an approximate lower bound on the cycles of a plan's result: the estimated load of its
// vector units, scaled by the ratio of simulation to estimate in the main plan.
func (s *search) floor(p *passes.Plan) float64 {
	if s.work == 0 {
		return 0
	}
	return s.b.Price(p.Unit).alu / s.work * s.main.load.alu
}

// known is a simulated version and its price in cycles.
type known struct {
	cost  *Cost
	price float64
}

// slack returns the largest ratio of an estimate to the best cycles so far at which a version is still
// simulated. Estimates do not predict cache hits, so it is larger if anything but arithmetic limits a
// version. Among 650 versions of the corpus and of testdata, no version estimated 2 % slower was
// better.
func (s *search) slack() float64 {
	if slices.ContainsFunc(s.known, func(v known) bool { return v.cost.Bottleneck != "alu" }) {
		return hits
	}
	return placement
}

// estimated returns a lower estimate of the cycles of a version with the given price. It scales the
// price by the best ratio of cycles to price among the simulated versions.
func (s *search) estimated(price float64) float64 {
	if s.b.pricer.still {
		return 0
	}
	least := math.Inf(1)
	for _, v := range s.known {
		least = min(least, v.cost.Cycles/max(v.price, 1)*price)
	}
	return least
}

// contest collects plans with their simulated results.
type contest struct {
	plans []*passes.Plan
	costs []*Timed
}

// enter adds a plan, unless another one has the same result.
func (c *contest) enter(p *passes.Plan, t *Timed) {
	if !slices.Contains(c.costs, t) {
		c.plans, c.costs = append(c.plans, p), append(c.costs, t)
	}
}

// bestPlans returns at most most plans, best first, that are better than least. It selects by repeated
// minimum, as better is not a total order.
func (c *contest) bestPlans(least *Cost, most int) (list []*passes.Plan) {
	for len(list) < most {
		at, than := -1, least
		for i, t := range c.costs {
			if !slices.Contains(list, c.plans[i]) &&
				(than == nil || t.Cost.Better(than) && (than != least || t.Cost.Improves(than))) {
				at, than = i, &t.Cost
			}
		}
		if at < 0 {
			break
		}
		list = append(list, c.plans[at])
	}
	return list
}

// simulated returns the result of a plan, or nil after an error.
func (b *Bench) simulated(p *passes.Plan) *Timed {
	t, err := b.TimeUnit(p.Unit)
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

// loopsOf reports whether f has loops, and whether a loop fetches.
func loopsOf(f *ir.Func) (some, fetch bool) {
	f.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpLoop {
			some = true
			in.Sub[0].Walk(func(in *ir.Instr) { fetch = fetch || in.Op.Has(ir.IsFetch) })
		}
	})
	return some, fetch
}
