package shaderlift

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

// KernelCosts is what a kernel costs on a GPU, before and after.
type KernelCosts struct {
	Target string      `json:"target"`
	Before KernelCost  `json:"before"`
	After  *KernelCost `json:"after,omitempty"`
}

// Now is what the kernel costs afterwards; one that is not changed costs what it did.
func (c *KernelCosts) Now() KernelCost {
	if c.After != nil {
		return *c.After
	}
	return c.Before
}

// KernelCost is what a kernel costs, in the terms of AMD's shader analyzer.
type KernelCost struct {
	ALU              int     `json:"alu"`               // instruction groups
	Ops              int     `json:"ops"`               // slots of them that are filled
	Utilization      float64 `json:"utilization"`       // the share of slots filled
	Fetches          int     `json:"fetches"`           // fetch instructions
	FetchUtilization float64 `json:"fetch_utilization"` // the share of fetched components that are used
	Intensity        float64 `json:"intensity"`         // groups for each fetch
	GPRs             int     `json:"gprs"`              // registers of an invocation, four words each
	Wavefronts       int     `json:"wavefronts"`        // that the registers of a SIMD have room for
	Clauses          int     `json:"clauses"`           // of arithmetic and of fetches
	FetchClauses     int     `json:"fetch_clauses"`
	Literals         int     `json:"literals"` // words of them in the groups
	// UnportedALU is how many groups there would be without the rules of read ports and
	// constants: what those rules cost.
	UnportedALU int `json:"alu_without_ports,omitempty"`

	// What a launch over a domain is predicted to take; without a domain nothing is.
	Domain     string  `json:"domain,omitempty"` // as WxH
	Cycles     float64 `json:"cycles,omitempty"`
	CacheHit   float64 `json:"cache_hit"` // the share of requests that L1 has
	GFLOPS     float64 `json:"gflops"`
	Bottleneck string  `json:"bottleneck,omitempty"`
	// Notes say what the prediction rests on.
	Notes []string `json:"notes,omitempty"`
	// Course is how the launch goes on, in equal intervals of what was simulated, as [Explain]
	// tells it.
	Course []Interval `json:"course,omitempty"`
}

// Interval is a part of a launch. Units work for these shares of it, averaged over SIMDs.
type Interval struct {
	Cycles   float64 `json:"cycles"`
	ALU      float64 `json:"alu"`
	Fetch    float64 `json:"fetch"`
	Stalled  float64 `json:"stalled"` // all wavefronts of a SIMD wait
	Requests float64 `json:"requests"`
	CacheHit float64 `json:"cache_hit"` // the share of requests that L1 has
}

// schedule compiles f for the target that o names. Without a target it is the oldest of RV670,
// RV770 and Cypress that has what the kernel needs: local memory came with the later
// ones.
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

// kernelCost is what a kernel, compiled to s, costs on launch l. Where the launch cannot be
// simulated, there are counts alone and the timing is zero.
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

// unported adds to c how many groups the kernel, compiled to s, would take if operands could be read
// without the limits of the read ports of registers and constants ("GPR Read Port Restrictions" and
// "Constant Register Read Port Restrictions" in R600-Family Instruction Set Architecture).
func (o *job) unported(c *KernelCost, s *sched.Scheduled) {
	if groups, err := s.Unported(o.spend.whole); err == nil {
		c.UnportedALU = groups
	}
}

// costOf is what kernel k costs as it is, compiled to s.
func (o *job) costOf(k *il.Kernel, s *sched.Scheduled) KernelCost {
	c, _ := o.kernelCost(s, o.launch(k))
	o.unported(&c, s)
	return c
}

// loopTurns is how often a loop is assumed to run where nothing tells; assumed, not measured.
const loopTurns = 16

// deepest bounds the nesting that counts, so that costs stay in range.
const deepest = 6

// issue is the price of a kernel of so many statements that is compiled to s, without a launch: cycles in which a wavefront
// occupies the vector and the texture units, with loops run loopTurns times; then registers,
// operations, and statements.
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
		// A clause takes about a cycle to begin, so that of equal programs the one with fewer
		// clauses is first.
		if len(cf.Groups)+len(cf.Fetches) > 0 {
			cycles += turns
		}
	}
	return passes.Cost{int(cycles), s.Stats.GPRs, s.Stats.Ops, statements}
}

// statementsOf counts those of k without its declarations.
func statementsOf(k *il.Kernel) (n int) {
	for i := range k.Insts {
		if k.Insts[i].Op.Kind() != il.Declaration {
			n++
		}
	}
	return n
}
