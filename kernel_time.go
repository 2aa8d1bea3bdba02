package shaderlift

import (
	"cmp"
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/machine/sim"
	"github.com/shaderlift/shaderlift/verify"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// defaultDomain is the side of the domain that time is predicted for where no case says:
// enough wavefronts to fill the largest chip, few enough to be simulated at once.
const defaultDomain = 256

// The simulation of a launch that is made up is bounded, and the rest extrapolated from it. In a
// loop wavefronts start in step and drift apart, which is when the cache begins to matter: the
// least number of steps shows only the start. Steps are those of wavefronts; in large kernels each
// takes longer to simulate, so there are fewer. The bounds are chosen for a simulation to take
// about as long as the passes.
const (
	leastSteps = 1 << 16
	mostSteps  = 1 << 18
	workSteps  = 1 << 25 // divided by the statements of the kernel
)

// defaultSeed makes up the case of a kernel that comes without one.
const defaultSeed = 1

// predict adds to cost what launch l of a kernel, compiled to s, is predicted to take. What
// cannot be simulated has no time.
func (o *job) predict(cost *KernelCost, s *sched.Scheduled, l *sim.Launch) sim.Timing {
	if o.spend.whole.Err() != nil {
		return sim.Timing{}
	}
	run := *l
	run.Inputs, run.Budget = s.Code.Preloads(), o.spend.whole
	t, err := o.Times.Simulate(s.Program, &run, s.Target)
	if err != nil {
		return sim.Timing{}
	}
	cost.Notes = t.Notes
	cost.Domain = fmt.Sprintf("%dx%d", l.Width, l.Height)
	cost.Cycles, cost.CacheHit, cost.GFLOPS, cost.Bottleneck = math.Round(t.Cycles), t.L1Hit, t.GFLOPS, t.Bottleneck
	if o.emittedKernel != nil { // for Explain
		for _, i := range t.Course {
			cost.Course = append(cost.Course, Interval{math.Round(i.Cycles), thousandths(i.ALU), thousandths(i.Fetch), thousandths(i.Stalled), i.Requests, thousandths(i.L1Hit)})
		}
	}
	return t
}

func thousandths(x float64) float64 { return math.Round(1000*x) / 1000 }

// launch is the launch that versions of k are timed on: Options.KernelCase, or one made up
// (kernel.DefaultCase) whose resources are as large as the domain, which is the one that a coarser
// kernel is for, if it is for one alone. It is made of the kernel as it
// came, so that no rewrite changes what constants and sizes are taken to be.
func (o *job) launch(k *il.Kernel) *sim.Launch {
	c := o.KernelCase
	made := c == nil
	width, height := defaultDomain, defaultDomain
	if made {
		c = interpreter.DefaultCase(k, defaultSeed)
	} else {
		width, height = c.Width, c.Height
	}
	if o.Domain != [2]int{} {
		width, height = o.Domain[0], o.Domain[1]
	}
	only := o.only()
	width, height = cmp.Or(only[0], width), cmp.Or(only[1], height)
	l := &sim.Launch{Width: width, Height: height, Constants: verify.WithConstants(c.Constants[:], o.known),
		Resources: map[int]sim.Surface{}, Seed: defaultSeed}
	if made {
		l.Limit = min(max(workSteps/max(len(k.Insts), 1), leastSteps), mostSteps)
	}
	types := map[int]il.TexType{}
	for i := range k.Insts {
		switch in := &k.Insts[i]; in.Op {
		case il.OpDclResource:
			types[int(in.Ctl.ID)] = in.Ctl.Tex
		case il.OpDclNumThreadPerGroup:
			l.Group = [3]int{1, 1, 1}
			for i, n := range in.Immediates() {
				l.Group[i] = int(n)
			}
		}
	}
	if k.Stage == il.Compute {
		if l.Group == ([3]int{}) {
			l.Group = [3]int{64, 1, 1}
		}
		l.Groups = groups(l)
	}
	for _, r := range c.Resources {
		surface := sim.Surface{Width: r.Width, Height: r.Height, Bytes: 4 * r.Format.Components()}
		switch types[r.ID] {
		case il.Tex1D, il.TexBuffer, il.Tex1DArray:
			// Linear resources do not grow with the domain.
			surface.Linear = true
		default:
			if made {
				surface.Width, surface.Height = width, height
			}
		}
		l.Resources[r.ID] = surface
	}
	return l
}

// groups is how many work groups cover the domain: in a row if groups are rows, else in tiles.
func groups(l *sim.Launch) [3]int {
	cover := func(n, by int) int { return (n + by - 1) / by }
	if l.Group[1] == 1 && l.Group[2] == 1 {
		return [3]int{cover(l.Width*l.Height, l.Group[0]), 1, 1}
	}
	return [3]int{cover(l.Width, l.Group[0]), cover(l.Height, l.Group[1]), 1}
}
