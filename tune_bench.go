package shaderlift

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/tune"
)

// bench is a version of a kernel in memory. It is immutable, as several workers may go on from it.
type bench struct {
	unit     *passes.Unit
	pipeline string // that made it
	cost     priced
}

// made is what there is to know of a version, zero of one that cannot be used.
func (b *bench) made() (m tune.Made) {
	if b.cost.err == nil {
		m.Key = keyOf(b.cost.meaning)
		m.Cost, m.GPRs, m.Words = b.cost.cost, b.cost.cost[1], b.cost.words
	}
	return m
}

// keyOf is what the search calls the content of a version.
func keyOf(m meaning) tune.Key { return tune.Key(m[:len(tune.Key{})]) }

// fork copies a kernel for work on another goroutine: what was read is shared, prices, budgets and
// result are its own. Work on it ends with ctx.
func (k *kernel) fork(ctx context.Context, pipeline string) *kernel {
	res := *k.z.res
	res.Remarks, res.Faults, res.Tuning = slices.Clip(res.Remarks), nil, nil
	res.Kernel = &KernelCosts{Target: res.Kernel.Target, Before: res.Kernel.Before}
	z := &optimizer{in: k.z.in, o: k.z.o, res: &res, class: k.z.class, least: k.z.least, kept: true}
	z.o.ctx, z.o.TimeLimit, z.o.Pipeline = ctx, 0, pipeline
	z.o.begin()
	f := &kernel{z: z, kernel: k.kernel, lifted: k.lifted, target: k.target, cost: k.cost, pricer: k.pricer,
		strict: k.strict}
	f.forget()
	z.subject = f
	return f
}

// take is a copy of a version for k to work on, with what is known of its price.
func (k *kernel) take(b *bench) *passes.Unit {
	u := b.unit.Clone()
	u.Kernel.Budget = k.z.o.spend.price
	k.written[u.Kernel.Fingerprint()], k.prices[b.cost.meaning] = b.cost, b.cost
	return u
}

// put prices a unit and makes a version of it.
func (k *kernel) put(u *passes.Unit, pipeline string) *bench {
	return &bench{u, pipeline, k.writtenOf(u)}
}

// work is what k has done.
func (k *kernel) work() int64 {
	whole, _ := k.z.o.spend.whole.Used()
	price, _ := k.z.o.spend.price.Used()
	return whole + price
}

// Make implements tune.Bench: it runs stages over version from. Stages that changed nothing are
// left out of the pipeline of the new version, so that equal ways have equal names.
func (t *tuner) Make(ctx context.Context, from *bench, stages string) (b *bench, m tune.Made, err error) {
	k := t.k.fork(ctx, stages)
	p, err := passes.Parse(stages, slices.Concat(suite.Passes, k.z.o.Passes))
	if err != nil {
		return nil, m, err
	}
	whole := join(from.pipeline, stages)
	defer t.contain(whole)
	defer budget.Catch(&err)
	u := k.take(from)
	report, err := passes.Run(u, p, k.z.config(k.z.class))
	for _, f := range report.Faults {
		t.met(whole, f, f.Stack)
	}
	done := suite.Without(p, report.Stats).String()
	if err == nil || len(report.Faults) > 0 {
		b = k.put(u, join(from.pipeline, done))
		m = b.made()
	}
	m.Stages, m.Work = done, k.work()
	return b, m, ctx.Err()
}

// Time implements tune.Bench: it simulates the launch of a version.
func (t *tuner) Time(ctx context.Context, b *bench) (found tune.Timed, err error) {
	k := t.k.fork(ctx, b.pipeline)
	defer t.contain(b.pipeline)
	defer budget.Catch(&err)
	if timed, err := k.timeOf(k.take(b)); err == nil {
		found.Cycles = timed.cost.Cycles
	}
	found.Work = k.work()
	return found, ctx.Err()
}

// contain turns a panic into a fault of the pipeline at work; the search goes on without that
// version. It is for deferred calls.
func (t *tuner) contain(pipeline string) {
	if p := recover(); p != nil {
		t.met(pipeline, fmt.Errorf("panic: %v", p), debug.Stack())
	}
}

// met notes a fault that a pipeline met.
func (t *tuner) met(pipeline string, err error, stack []byte) {
	o := t.z.o.Options
	o.Pipeline = pipeline
	t.mu.Lock()
	defer t.mu.Unlock()
	t.z.met(&Fault{Task: TaskOptimize, Input: t.z.in, Options: o, Err: err, Stack: stack})
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "," + b
}

// levels carries out -O2 and -O3 and returns their pipelines as seeds of the search. What was
// simulated for them goes into the memo. The result of -O2 is also verified at once, whatever the
// time limit, so that there is one in the end.
func (t *tuner) levels(root *bench) (list []string) {
	k := t.k.fork(t.z.o.ctx, "")
	k.z.kept = false
	from := root.made().Key
	level := func(name string) {
		t.level(k, name, func(p *plan, found priced) {
			stages := suite.Without(p.pipeline, p.report.Stats).String()
			if made := (&bench{cost: found}).made(); stages != "" && made.Key != (tune.Key{}) && !slices.Contains(list, stages) {
				made.Stages = stages
				t.memo.Know(from, stages, made)
				list = append(list, stages)
				t.hold(made)
			}
		})
	}
	level("O2")
	if t.limit.Err() == nil {
		k.z.o.ctx = t.limit
		k.z.o.begin()
		level("O3")
	}
	for m, found := range k.timed {
		t.memo.KnowTime(keyOf(m), tune.Timed{Cycles: found.cost.Cycles})
	}
	return list
}

// level carries out one level and hands each of its plans, with its price, to yield.
func (t *tuner) level(k *kernel, name string, yield func(*plan, priced)) {
	var err error
	defer t.contain(name)
	defer budget.Catch(&err)
	k.z.o.Pipeline = name
	level, err := k.z.o.pipeline(true)
	if err != nil {
		return
	}
	for _, p := range k.plans(level) {
		if p.unit != nil {
			yield(&p, k.writtenOf(p.unit))
		}
	}
	for _, f := range k.z.res.Faults {
		t.met(f.Options.Pipeline, f.Err, f.Stack)
	}
}
