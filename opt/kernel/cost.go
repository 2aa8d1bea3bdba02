package kernel

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/machine/sim"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// Costs is the cost of a kernel on a GPU, before and after optimization.
type Costs struct {
	Target string `json:"target"`
	Before Cost   `json:"before"`
	After  *Cost  `json:"after,omitempty"`
}

// CurrentCost returns the cost after optimization; an unchanged kernel keeps its cost.
func (c *Costs) CurrentCost() Cost {
	if c.After != nil {
		return *c.After
	}
	return c.Before
}

// Cost is the cost of a kernel, in the terms of AMD's shader analyzer.
type Cost struct {
	ALU              int     `json:"alu"`               // instruction groups
	Ops              int     `json:"ops"`               // filled slots of the groups
	Utilization      float64 `json:"utilization"`       // the share of filled slots
	Fetches          int     `json:"fetches"`           // fetch instructions
	FetchUtilization float64 `json:"fetch_utilization"` // the share of fetched components that are used
	Intensity        float64 `json:"intensity"`         // groups for each fetch
	GPRs             int     `json:"gprs"`              // registers of a thread, four words each
	Spilled          int     `json:"spilled,omitempty"` // registers beyond those of a thread, which are in memory
	Wavefronts       int     `json:"wavefronts"`        // for which a SIMD has registers
	Clauses          int     `json:"clauses"`           // arithmetic and fetch clauses
	FetchClauses     int     `json:"fetch_clauses"`
	Literals         int     `json:"literals"` // words of literals in the groups
	// UnportedALU is the number of groups without the restrictions on read ports and constants. The
	// difference is the cost of these restrictions.
	UnportedALU int `json:"alu_without_ports,omitempty"`

	// The predicted time of a launch over a domain; 0 without a domain.
	Domain     string  `json:"domain,omitempty"` // as WxH
	Cycles     float64 `json:"cycles,omitempty"`
	CacheHit   float64 `json:"cache_hit"` // the share of requests that hit L1
	GFLOPS     float64 `json:"gflops"`
	Bottleneck string  `json:"bottleneck,omitempty"`
	// Notes list the assumptions of the prediction.
	Notes []string `json:"notes,omitempty"`
	// Course is the timeline of the launch, in equal intervals of the simulated part; Explain fills
	// it in.
	Course []Interval `json:"course,omitempty"`
}

// Interval is a part of a launch. ALU and Fetch are the shares of it in which the units work, averaged
// over SIMDs.
type Interval struct {
	Cycles   float64 `json:"cycles"`
	ALU      float64 `json:"alu"`
	Fetch    float64 `json:"fetch"`
	Stalled  float64 `json:"stalled"` // all wavefronts of a SIMD wait
	Requests float64 `json:"requests"`
	CacheHit float64 `json:"cache_hit"` // the share of requests that hit L1
}

// DefaultTarget is the GPU of the published figures.
const DefaultTarget = "rv670"

// Settings are the options for prices and times of a kernel.
type Settings struct {
	// Target is a GPU. If it is empty, it is the oldest of RV670, RV770 and Cypress that supports the
	// kernel: only the later ones have local memory.
	Target string
	// Domain is the requested domain, and Only the one domain that coarsened versions are for. A side of
	// 0 means that the case decides.
	Domain, Only [2]int
	Case         *interpreter.Case // given by the user, if any
	Given        []Launch          // given by the user instead of generated ones
	Promised     []verify.Constant // constants
	Budget       *budget.Budget
}

// Machine returns the GPU of a name, or the default GPU without one.
func Machine(name string) (*chip.Target, error) {
	t, err := chip.ByName(cmp.Or(name, DefaultTarget))
	if err != nil {
		return nil, asm.Errorf(asm.Pos{File: "<options>"}, "wrong-target", "kernels need one of %s as --target, not %s",
			strings.Join(chip.Names(), ", "), name)
	}
	return t, nil
}

// Compile compiles f for the target.
func (o *Settings) Compile(f *ir.Func) (*sched.Scheduled, error) {
	if o.Target == "" {
		for _, name := range []string{DefaultTarget, "rv770", "cypress"} {
			t, err := chip.ByName(name)
			if err != nil {
				return nil, err
			}
			if s, err := machine.Compile(f, t, sched.Options{Budget: o.Budget}); err == nil {
				return s, nil
			}
		}
	}
	t, err := Machine(o.Target)
	if err != nil {
		return nil, err
	}
	return machine.Compile(f, t, sched.Options{Budget: o.Budget})
}

// Cost returns the cost of a kernel, compiled to s, on launch l. If the launch cannot be simulated, the
// cost has only counts and the timing is zero.
func (o *Settings) Cost(s *sched.Scheduled, l *sim.Launch) (Cost, sim.Timing) {
	st, t := &s.Stats, s.Target
	c := Cost{
		ALU: st.Groups, Ops: st.Ops, Utilization: st.Utilization(),
		Fetches: st.Fetches, FetchUtilization: st.FetchUtilization(), Intensity: st.Intensity(),
		GPRs: st.GPRs, Spilled: max(0, st.GPRs-t.Usable()), Wavefronts: t.Budget.Waves(t, st.GPRs),
		Clauses: st.ALUClauses + st.FetchClauses, FetchClauses: st.FetchClauses, Literals: st.Literals,
	}
	timing := o.predict(&c, s, l)
	return c, timing
}

// Unported adds to c the number of groups without the limits of the read ports of registers and
// constants. See "GPR Read Port Restrictions" and "Constant Register Read Port Restrictions" in
// R600-Family Instruction Set Architecture. The kernel was lifted to f and compiled for target t.
func (o *Settings) Unported(c *Cost, f *ir.Func, t *chip.Target) {
	if groups, err := machine.Unported(f, t, o.Budget); err == nil {
		c.UnportedALU = min(groups, c.ALU)
	}
}

// loopTurns is the assumed trip count of a loop with an unknown trip count; it is not measured.
const loopTurns = 16

// deepest limits the nesting depth that counts, so that costs stay in range.
const deepest = 6

// issue returns the price of a kernel without a launch, for the given number of statements and the
// program s. The price has the cycles in which a wavefront occupies the vector and the texture units,
// with loops run loopTurns times. Registers, operations and statements follow.
func issue(statements int, s *sched.Scheduled) passes.Cost {
	t := s.Target
	// Texture units take FetchRate lanes of a wavefront per cycle.
	fetch := float64(t.Wave) / t.FetchRate
	cycles, depth := 0.0, 0
	for i := range s.Program.CF {
		cf := &s.Program.CF[i]
		switch cf.Op {
		case r600.CFLoop:
			depth++
		case r600.CFEndLoop:
			depth--
		}
		turns := math.Pow(loopTurns, float64(min(depth, deepest)))
		cycles += turns * (float64(t.GroupCycle*len(cf.Groups)) + fetch*float64(len(cf.Fetches)))
		// A clause takes about a cycle to start, so among equal programs the one with fewer clauses is
		// preferred.
		if len(cf.Groups)+len(cf.Fetches) > 0 {
			cycles += turns
		}
	}
	return passes.Cost{int(cycles), s.Stats.GPRs, s.Stats.Ops, statements}
}

// statementsOf counts the statements of k without declarations.
func statementsOf(k *il.Kernel) (n int) {
	for i := range k.Insts {
		if k.Insts[i].Op.Kind() != il.Declaration {
			n++
		}
	}
	return n
}

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

// DefaultSeed is the seed for the case of a kernel without one.
const DefaultSeed = 1

// simulations caches results for all runs of a process: runs under several options simulate common
// versions, such as the input. It does not change results.
var simulations sim.Memo

// predict adds the predicted time of launch l to cost, for a kernel compiled to s. A launch that cannot
// be simulated has no time.
func (o *Settings) predict(cost *Cost, s *sched.Scheduled, l *sim.Launch) sim.Timing {
	if o.Budget.Err() != nil {
		return sim.Timing{}
	}
	run := *l
	run.Inputs, run.Budget = s.Preloads(), o.Budget
	t, err := simulations.Simulate(s.Program, &run, s.Target)
	if err != nil {
		return sim.Timing{}
	}
	cost.Notes = t.Notes
	cost.Domain = fmt.Sprintf("%dx%d", l.Width, l.Height)
	cost.Cycles, cost.CacheHit, cost.GFLOPS, cost.Bottleneck = math.Round(t.Cycles), t.L1Hit, t.GFLOPS, t.Bottleneck
	return t
}

// CourseOf returns the timeline of a launch in its report form.
func CourseOf(course []sim.Interval) (list []Interval) {
	for _, i := range course {
		list = append(list, Interval{math.Round(i.Cycles), thousandths(i.ALU), thousandths(i.Fetch),
			thousandths(i.Stalled), i.Requests, thousandths(i.L1Hit)})
	}
	return list
}

func thousandths(x float64) float64 { return math.Round(1000*x) / 1000 }
