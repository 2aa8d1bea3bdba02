package shaderlift

import (
	"errors"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

// pricer orders versions of one kernel.
type pricer struct {
	// launch is what they are compared on: that of the kernel as it came, so that no
	// rewrite changes what constants are taken to be.
	launch *machine.Launch
	// still tells that no wavefront can be followed to its end: then versions are ordered
	// by what they are alone.
	still bool
}

// fraction is the part of a cycle that counts.
const fraction = 16

var errEndless = errors.New("a wavefront cannot be followed to its end any more")

// newPricer prices versions of kernel k, which was lifted to f and compiled to s.
func newPricer(o *job, k *il.Kernel, f *ir.Func, s *machine.Scheduled) pricer {
	if o.KernelCase != nil {
		return pricer{launch: o.launch(k, s)}
	}
	l := machine.StandardLaunch(k, f)
	l.Constants = verify.WithConstants(l.Constants, o.known)
	return pricer{launch: l}
}

// price is what kernel k costs, which was compiled to s: the cycles that
// a wavefront adds to a launch where many hide each other's latency, which weighs
// registers too; then registers and the like. It is found out at the expense of b.
func (p *pricer) price(k *il.Kernel, s *machine.Scheduled, b *budget.Budget) (passes.Cost, error) {
	cost := issue(k, s)
	if p.still {
		return cost, nil
	}
	l := *p.launch
	l.Budget = b
	l.Inputs = s.Code.Preloads()
	e, err := machine.Predict(s.Program, &l, s.Target)
	if err != nil {
		return cost, err
	}
	if e.Cut {
		return cost, errEndless
	}
	cost[0] = int(fraction * e.Cycles)
	return cost, nil
}
