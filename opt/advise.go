package opt

import (
	"cmp"
	"runtime"
	"slices"

	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/opt/tune"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/coarsen"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
)

// Advice is a version of a kernel that is faster if the application changes its launch. It was priced and verified
// like the versions of Optimize. Tune searches longer.
type Advice struct {
	// Host has the facts that the application must change.
	Host kernel.Change `json:"host"`
	// Pipeline makes the version, with Options.Keep.
	Pipeline string         `json:"pipeline"`
	Cycles   float64        `json:"cycles"`
	Verdict  verify.Verdict `json:"verdict"`
}

const (
	// adviceBudget is the work of the search for advice, like TuneOptions.Budget.
	adviceBudget = 1 << 22
	// adviceGain is the part of the cycles that advice must save, against the result and against advice that needs
	// less.
	adviceGain = 0.05
	// adviceTries is the number of tiles that are verified for each set of facts.
	adviceTries = 4
)

// advise adds to res the best version that a brief search finds for each set of facts that the application may
// change, if it can be verified. Like the method of Jang and others (section 3), it tries the optimizations and names those that help.
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
	t := &tuner{o: TuneOptions{Options: o.Options}, z: z, k: k, limit: o.ctx, brief: true, memo: tune.NewMemo(tune.Key{})}
	root, made := t.root(o.ctx)
	s := tune.Search[*bench]{Bench: t, Shapes: k.bench.Shapes(kernel.AnyChange, true), Jobs: runtime.GOMAXPROCS(0),
		Budget: adviceBudget, Memo: t.memo}
	found, _ := s.Run(o.ctx, root, made)
	slices.SortStableFunc(found, func(a, b *tunedVersion) int { return cmp.Compare(a.Cycles, b.Cycles) })
	// Versions that need less come first, because the others have to be better.
	for needs := range kernel.AnyChange + 1 {
		least := res.Kernel.CurrentCost().Cycles
		for _, b := range res.Advice {
			if b.Host&^needs == 0 {
				least = min(least, b.Cycles)
			}
		}
		refused := map[string]bool{} // tiles, or pipelines without any
		for _, v := range found {
			p, err := suite.Parse(v.Pipeline)
			if err != nil || v.Cycles == 0 || k.bench.Needs(p) != needs || needs == 0 {
				continue
			}
			tile := p.String()
			if i := slices.IndexFunc([]passes.Stage(p), func(s passes.Stage) bool { return s.Pass == coarsen.Pass }); i >= 0 {
				tile = p[i].String()
			}
			if refused[tile] {
				continue
			}
			if len(refused) == adviceTries || v.Cycles >= (1-adviceGain)*least {
				break
			}
			e := &frontCandidate{tunedVersion: v, point: v.Point()}
			t.verify(o.ctx, e)
			if e.res != nil && e.point.Cycles < (1-adviceGain)*least {
				res.Advice = append(res.Advice, Advice{needs, v.Pipeline, e.point.Cycles, e.res.Verdict()})
				break
			}
			refused[tile] = true
		}
	}
	return nil
}
