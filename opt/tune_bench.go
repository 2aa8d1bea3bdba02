package opt

import (
	"context"
	"crypto/sha256"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/opt/tune"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// bench is a version of a kernel in memory. It is immutable, because several workers may start from it.
type bench struct {
	unit     *passes.Unit
	pipeline string // that made it
	cost     kernel.Price
	pricers  kernel.Pricers // that its stages used
}

// versionFacts returns the facts about a version; zero for an unusable one.
func (b *bench) versionFacts() (m tune.Made) {
	if b.cost.Err == nil {
		m.Key = keyOf(b.cost.Content, b.unit.Tile)
		m.Cost, m.GPRs, m.Words, m.Bound = [4]int(b.cost.Cost[:]), b.cost.Cost[1], b.cost.Words, b.cost.Bound
	}
	return m
}

// keyOf returns the key of a version in the search: its content, and what the host changes for it.
func keyOf(m kernel.Content, t ir.Tile) tune.Key {
	h := sha256.New()
	h.Write(m[:])
	fmt.Fprint(h, t)
	return tune.Key(h.Sum(nil)[:len(tune.Key{})])
}

// fork copies a kernel for work on another goroutine. It shares the input and has its own prices,
// budgets and result. Work on it ends with ctx.
func (k *kernelSubject) fork(ctx context.Context, pipeline string) *kernelSubject {
	res := *k.z.res
	res.Remarks, res.Faults, res.Tuning = slices.Clip(res.Remarks), nil, nil
	res.Kernel = &kernel.Costs{Target: res.Kernel.Target, Before: res.Kernel.Before}
	z := &optimizer{in: k.z.in, o: k.z.o, res: &res, class: k.z.class, least: k.z.least, kept: true}
	z.o.ctx, z.o.Limits.Time, z.o.Pipeline = ctx, 0, pipeline
	z.o.begin()
	f := &kernelSubject{z: z, source: k.source, bench: k.bench.Fork(z.o.kernelSettings(), z.o.spend.price)}
	z.subject = f
	return f
}

// cloneVersion returns a copy of a version for k to work on, with its known price.
func (k *kernelSubject) cloneVersion(b *bench) *passes.Unit {
	u := b.unit.Clone()
	u.Kernel.Budget = k.z.o.spend.price
	k.bench.Inherit(b.pricers)
	k.bench.Learn(u, b.cost)
	return u
}

// priceVersion prices a unit and makes a version of it.
func (k *kernelSubject) priceVersion(u *passes.Unit, pipeline string) *bench {
	price := k.bench.PriceWritten(u)
	return &bench{u, pipeline, price, k.bench.Pricers()}
}

// workDone returns the work that k has done.
func (k *kernelSubject) workDone() int64 {
	whole, _ := k.z.o.spend.whole.Used()
	price, _ := k.z.o.spend.price.Used()
	return whole + price
}

// Make implements tune.Bench: it runs stages over version from. The pipeline of the new version omits
// stages that changed nothing, so that equal results have equal names.
func (t *tuner) Make(ctx context.Context, from *bench, stages string) (b *bench, m tune.Made, err error) {
	k := t.k.fork(ctx, stages)
	p, err := passes.Parse(stages, slices.Concat(suite.Passes, k.z.o.Hooks.Passes))
	if err != nil {
		return nil, m, err
	}
	whole := joinPipelines(from.pipeline, stages)
	defer t.contain(whole)
	defer budget.Catch(&err)
	u := k.cloneVersion(from)
	report, err := passes.Run(u, p, k.z.config(k.z.class))
	for _, f := range report.Faults {
		t.recordPipelineFault(whole, f, f.Stack)
	}
	done := suite.Without(p, report.Stats).String()
	if err == nil || len(report.Faults) > 0 {
		b = k.priceVersion(u, joinPipelines(from.pipeline, done))
		m = b.versionFacts()
	}
	m.Stages, m.Work = done, k.workDone()
	return b, m, ctx.Err()
}

// Time implements tune.Bench: it simulates the launch of a version.
func (t *tuner) Time(ctx context.Context, b *bench) (found tune.Timed, err error) {
	k := t.k.fork(ctx, b.pipeline)
	defer t.contain(b.pipeline)
	defer budget.Catch(&err)
	if timed, err := k.bench.TimeUnit(k.cloneVersion(b)); err == nil {
		found.Cycles = timed.Cost.Cycles
	}
	found.Work = k.workDone()
	return found, ctx.Err()
}

// contain converts a panic into a fault of the running pipeline; the search continues without that
// version. It is for deferred calls.
func (t *tuner) contain(pipeline string) {
	if p := recover(); p != nil {
		t.recordPipelineFault(pipeline, fmt.Errorf("panic: %v", p), debug.Stack())
	}
}

// recordPipelineFault records a fault of a pipeline.
func (t *tuner) recordPipelineFault(pipeline string, err error, stack []byte) {
	o := t.z.o.Options
	o.Pipeline = pipeline
	t.mu.Lock()
	defer t.mu.Unlock()
	t.z.recordFault(&Fault{Task: TaskOptimize, Input: t.z.in, Options: o, Err: err, Stack: stack})
}

func joinPipelines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "," + b
}

// levels runs -O2 and -O3 and returns their pipelines as seeds of the search. Their simulations enter
// the memo. The result of -O2 is also verified immediately, regardless of the time limit, so that there
// is always a result.
func (t *tuner) levels(root *bench) (list []string) {
	k := t.k.fork(t.z.o.ctx, "")
	k.z.kept = false
	from := root.versionFacts().Key
	level := func(name string) {
		t.level(k, name, func(p *passes.Plan, found kernel.Price) {
			stages := suite.Without(p.Pipeline, p.Report.Stats).String()
			if made := (&bench{unit: p.Unit, cost: found}).versionFacts(); stages != "" && made.Key != (tune.Key{}) &&
				!slices.Contains(list, stages) {
				made.Stages = stages
				t.memo.StoreResult(from, stages, made)
				list = append(list, stages)
				t.verifyFirst(made)
			}
		})
	}
	level("O2")
	if t.limit.Err() == nil {
		k.z.o.ctx = t.limit
		k.z.o.begin()
		k.bench.Budget, k.bench.Pricing = k.z.o.spend.whole, k.z.o.spend.price
		level("O3")
	}
	k.bench.EachTimed(func(c kernel.Content, found *kernel.Timed) {
		t.memo.KnowTime(keyOf(c, found.Tile), tune.Timed{Cycles: found.Cost.Cycles})
	})
	return list
}

// level runs one level and passes each of its plans, with its price, to yield.
func (t *tuner) level(k *kernelSubject, name string, yield func(*passes.Plan, kernel.Price)) {
	var err error
	defer t.contain(name)
	defer budget.Catch(&err)
	k.z.o.Pipeline = name
	level, err := k.z.o.pipeline(input.KindKernel)
	if err != nil {
		return
	}
	plans := k.plans(level)
	for _, p := range plans[:min(len(plans), kernel.MaxPlans)] {
		if p.Unit == nil { // released
			k.runPlan(&p, len(p.Pipeline), nil)
		}
		if p.Unit != nil {
			yield(&p, k.bench.PriceWritten(p.Unit))
		}
	}
	for _, f := range k.z.res.Faults {
		t.recordPipelineFault(f.Options.Pipeline, f.Err, f.Stack)
	}
}
