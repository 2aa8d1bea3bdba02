package shaderlift

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// maxPlans bounds how many plans are verified.
const maxPlans = 3

// plans runs what the levels try, and simulates what comes of it. Passes compare versions by
// estimates, which take fetches to meet in the caches as those of the input do: where they
// are moved between the trips of a loop, that is for the simulation to tell.
func (k *kernel) plans(level passes.Pipeline) []plan {
	list := []plan{{pipeline: level}}
	if k.lifted == nil {
		return list
	}
	if fetchesInLoops(k.lifted) {
		for _, p := range suite.KernelWholes(k.z.o.number()) {
			list = append(list, plan{pipeline: p, whole: true})
		}
	}
	if len(list) == 1 {
		return list
	}
	costs := make([]*KernelCost, len(list)) // nil for what is not to be had
	for i := range list {
		costs[i] = k.carryOut(&list[i])
	}
	var best []plan
	for range maxPlans {
		least, at := &k.z.res.Kernel.Before, -1
		for i, c := range costs {
			if c != nil && c.better(least) {
				least, at = c, i
			}
		}
		if at < 0 {
			break
		}
		best, costs[at] = append(best, list[at]), nil
	}
	if best == nil {
		return list[:1]
	}
	return best
}

// carryOut runs a plan, and tells what comes of it, nil if that cannot be told.
func (k *kernel) carryOut(p *plan) *KernelCost {
	cfg := k.z.config(k.z.class)
	cfg.Keep = p.whole
	u := k.unit()
	report, err := passes.Run(u, p.pipeline, cfg)
	for _, f := range report.Faults {
		k.z.met(faultOf(k.z.in, p.options(k.z.o.Options), f))
	}
	if err != nil && len(report.Faults) == 0 || !report.Changed() || k.z.o.spend.whole.Err() != nil {
		return nil
	}
	p.unit, p.report = u, report
	out, err := k.emit(u)
	if err != nil {
		return nil
	}
	t, err := k.time(out)
	if err != nil {
		return nil
	}
	return &t.cost
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
