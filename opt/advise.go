package opt

import (
	"cmp"
	"runtime"
	"slices"

	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/opt/tune"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// Advice is a version of a kernel that is faster if the application changes its launch. It was priced like the
// versions of Optimize, but not verified. Tune finds such versions and verifies them.
type Advice struct {
	// Host has the facts that the application must change.
	Host kernel.Change `json:"host"`
	// Pipeline makes the version, with Options.Keep.
	Pipeline string  `json:"pipeline"`
	Cycles   float64 `json:"cycles"`
}

const (
	// adviceBudget is the work of the search for advice, like TuneOptions.Budget.
	adviceBudget = 1 << 22
	// adviceGain is the part of the cycles that advice must save, against the result and against advice that needs
	// less.
	adviceGain = 0.05
)

// advise adds to res the best version that a brief search finds for each set of facts that the application may
// change. Like the method of Jang and others (section 3), it tries the optimizations and names those that help.
func (o job) advise(in Input, res *Result) (err error) {
	defer budget.Catch(&err)
	z := &optimizer{in: in, o: o, res: newResult(in)}
	defer z.o.begin()()
	if err := z.prepare(); err != nil {
		return err
	}
	k, ok := z.subject.(*kernelSubject)
	if !ok || k.bench == nil || z.res.Kernel.Before.Cycles == 0 {
		return nil
	}
	k.bench.Rough = true
	t := &tuner{o: TuneOptions{Options: o.Options}, z: z, k: k, limit: o.ctx, memo: tune.NewMemo(tune.Key{})}
	root, made := t.root(o.ctx)
	s := tune.Search[*bench]{Bench: t, Shapes: k.bench.Shapes(kernel.AnyChange, true), Jobs: runtime.GOMAXPROCS(0),
		Budget: adviceBudget, Memo: t.memo}
	found, _ := s.Run(o.ctx, root, made)
	slices.SortStableFunc(found, func(a, b *tunedVersion) int { return cmp.Compare(a.Cycles, b.Cycles) })
	// Versions that need less come first, because the others have to be better.
	best := map[kernel.Change]Advice{}
	for _, v := range found {
		p, err := suite.Parse(v.Pipeline)
		if err != nil || v.Cycles == 0 {
			continue
		}
		if needs := k.bench.Needs(p); needs != 0 && best[needs].Cycles == 0 {
			best[needs] = Advice{Host: needs, Pipeline: v.Pipeline, Cycles: v.Cycles}
		}
	}
	for needs := range kernel.AnyChange + 1 {
		a, known := best[needs]
		least := res.Kernel.CurrentCost().Cycles
		for _, b := range res.Advice {
			if b.Host&^needs == 0 {
				least = min(least, b.Cycles)
			}
		}
		if known && a.Cycles < (1-adviceGain)*least {
			res.Advice = append(res.Advice, a)
		}
	}
	return nil
}
