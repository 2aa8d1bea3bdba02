package opt

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/machine/sim"
	"github.com/shaderlift/shaderlift/passes"
)

// KernelCosts is the cost of a kernel on a GPU, before and after optimization.
type KernelCosts struct {
	Target string      `json:"target"`
	Before KernelCost  `json:"before"`
	After  *KernelCost `json:"after,omitempty"`
}

// CurrentCost returns the cost after optimization; an unchanged kernel keeps its cost.
func (c *KernelCosts) CurrentCost() KernelCost {
	if c.After != nil {
		return *c.After
	}
	return c.Before
}

// KernelCost is the cost of a kernel, in the terms of AMD's shader analyzer.
type KernelCost struct {
	ALU              int     `json:"alu"`               // instruction groups
	Ops              int     `json:"ops"`               // filled slots of the groups
	Utilization      float64 `json:"utilization"`       // the share of filled slots
	Fetches          int     `json:"fetches"`           // fetch instructions
	FetchUtilization float64 `json:"fetch_utilization"` // the share of fetched components that are used
	Intensity        float64 `json:"intensity"`         // groups for each fetch
	GPRs             int     `json:"gprs"`              // registers of a thread, four words each
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
	// Course is the timeline of the launch, in equal intervals of the simulated part; [Explain] fills
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

// schedule compiles f for the target of o. The default is the oldest of RV670, RV770 and Cypress that
// supports the kernel: only the later ones have local memory.
func (o *job) schedule(f *ir.Func) (*sched.Scheduled, error) {
	if o.Target == "" {
		for _, name := range []string{DefaultKernelTarget, "rv770", "cypress"} {
			t, err := chip.ByName(name)
			if err != nil {
				return nil, err
			}
			if s, err := machine.Compile(f, t, sched.Options{Budget: o.spend.whole}); err == nil {
				return s, nil
			}
		}
	}
	t, err := o.machine()
	if err != nil {
		return nil, err
	}
	return machine.Compile(f, t, sched.Options{Budget: o.spend.whole})
}

// kernelCost returns the cost of a kernel, compiled to s, on launch l. If the launch cannot be
// simulated, the cost has only counts and the timing is zero.
func (o *job) kernelCost(s *sched.Scheduled, l *sim.Launch) (KernelCost, sim.Timing) {
	st, t := &s.Stats, s.Target
	c := KernelCost{
		ALU: st.Groups, Ops: st.Ops, Utilization: st.Utilization(),
		Fetches: st.Fetches, FetchUtilization: st.FetchUtilization(), Intensity: st.Intensity(),
		GPRs: st.GPRs, Wavefronts: t.Budget.Waves(t, st.GPRs),
		Clauses: st.ALUClauses + st.FetchClauses, FetchClauses: st.FetchClauses, Literals: st.Literals,
	}
	timing := o.predict(&c, s, l)
	return c, timing
}

// unported adds to c the number of groups without the limits of the read ports of registers and
// constants. See "GPR Read Port Restrictions" and "Constant Register Read Port Restrictions" in
// R600-Family Instruction Set Architecture. The kernel was lifted to f and compiled for target t.
func (o *job) unported(c *KernelCost, f *ir.Func, t *chip.Target) {
	if groups, err := machine.Unported(f, t, o.spend.whole); err == nil {
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
