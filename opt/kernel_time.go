package opt

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/machine/sim"
)

// defaultDomain is the side of the domain for which time is predicted without a case. It has enough
// wavefronts to fill the largest chip, and few enough for a fast simulation.
const defaultDomain = 256

// The simulation of a generated launch is bounded, and the rest is extrapolated. In a loop, wavefronts
// start in step and drift apart, and then the cache begins to matter: the least number of steps shows
// only the start. Steps count per wavefront. In large kernels each step takes longer to simulate, so
// there are fewer. The bounds make a simulation take about as long as the passes.
const (
	leastSteps = 1 << 16
	mostSteps  = 1 << 18
	workSteps  = 1 << 25 // divided by the statements of the kernel
)

// defaultSeed is the seed for the case of a kernel without one.
const defaultSeed = 1

// predict adds the predicted time of launch l to cost, for a kernel compiled to s. A launch that cannot
// be simulated has no time.
func (o *job) predict(cost *KernelCost, s *sched.Scheduled, l *sim.Launch) sim.Timing {
	if o.spend.whole.Err() != nil {
		return sim.Timing{}
	}
	run := *l
	run.Inputs, run.Budget = s.Preloads(), o.spend.whole
	t, err := o.Times.Simulate(s.Program, &run, s.Target)
	if err != nil {
		return sim.Timing{}
	}
	cost.Notes = t.Notes
	cost.Domain = fmt.Sprintf("%dx%d", l.Width, l.Height)
	cost.Cycles, cost.CacheHit, cost.GFLOPS, cost.Bottleneck = math.Round(t.Cycles), t.L1Hit, t.GFLOPS, t.Bottleneck
	if o.emittedKernel != nil { // for Explain
		for _, i := range t.Course {
			cost.Course = append(cost.Course, Interval{math.Round(i.Cycles), thousandths(i.ALU), thousandths(i.Fetch),
				thousandths(i.Stalled), i.Requests, thousandths(i.L1Hit)})
		}
	}
	return t
}

func thousandths(x float64) float64 { return math.Round(1000*x) / 1000 }
