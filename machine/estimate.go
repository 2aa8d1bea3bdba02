package machine

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sim"
)

// Estimate is the cost of a wavefront in the long run. It is a closed-form model for comparing
// versions of a program, while [sim.Simulate] follows every wavefront. The cost of cache misses
// does not follow from the program, so it is measured once for all versions ([Measured]).
//
// The model is a roofline with latency. A wavefront keeps each unit busy for some cycles. The
// launch takes as long as the busiest unit, unless too few wavefronts hide each other's latency. A
// norm joins the parts rather than their maximum, since units wait for each other when two are
// nearly equally busy.
type Estimate struct {
	// The busy cycles of each unit for a wavefront. A unit that several SIMDs share counts once for
	// each of them.
	ALU, fetch, export, memory float64
	hits                       float64 // as fetch, if all requests hit the first-level cache
	// Bound is the least cycles of the launch: the work of its busiest unit, without misses or waiting.
	Bound float64

	Alone    float64 // cycles from start to end with the SIMD to itself
	longest  float64 // share of the slowest wavefront's cycles: a lower bound of the launch
	resident int     // wavefronts that hide each other's latency
	// Cycles is the wavefront's contribution to the time of a SIMD. It is slightly more than the
	// maximum of the unit times and of the wavefront's share of Alone. The share dominates if too
	// few wavefronts fill the gaps. See norm.
	Cycles float64
	// Cut reports that a loop was left early, or that the walk was too long.
	Cut bool
}

// norm is the exponent of the norm that joins the unit times (assumed). 1 would add them up, as if
// nothing overlapped. Infinity would take the largest, as if everything did.
const norm = 4

// maxEstimated bounds the steps of the followed wavefront, and maxEvaluated the slots evaluated for
// them. Both are six times the need of any known kernel.
const (
	maxEstimated = 1 << 15
	maxEvaluated = 1 << 19
)

// fetchCost is the average cost of a cached fetch in a launch.
type fetchCost struct {
	Cycles float64 // of the texture units
	Bytes  float64 // from memory
}

// Measured holds the results of simulating a launch that also apply to other versions of its
// program. Most rewrites keep the stream of addresses and the work of each wavefront. The zero
// value is for an unknown launch: all fetches hit the first-level cache, and the middle wavefront
// represents all.
type Measured struct {
	fetching fetchCost
	typical  []sim.Typical
}

// Measure extracts the inputs of [Predict] from a simulation on t.
func Measure(r *sim.Timing, t *chip.Target) Measured {
	// Fetching starts from the texture-unit cycles of a hit; the simulation can only add to it.
	m := Measured{fetching: hitCost(t), typical: r.Typical}
	if r.Fetches == 0 {
		return m
	}
	// Lines that missed both L1 and L2 came from memory.
	filled := r.Requests * (1 - r.L1Hit) * (1 - r.L2Hit)
	m.fetching.Cycles = max(r.Fetch*r.Cycles*float64(t.SIMDs)/r.Fetches, m.fetching.Cycles)
	m.fetching.Bytes = filled * float64(t.L2Line) / r.Fetches
	return m
}

// Elsewhere returns m for another launch: the cost of a fetch stays, and the middle wavefront represents all.
func (m Measured) Elsewhere() Measured { return Measured{fetching: m.fetching} }

// hitCost returns the cost of a fetch that hits the first-level cache.
func hitCost(t *chip.Target) fetchCost { return fetchCost{Cycles: float64(t.Wave) / t.FetchRate} }

// Predict estimates the cost of a program on t for a launch with the measurements in known. It
// follows each typical wavefront through the program, weighted by the number of similar wavefronts.
func Predict(p *r600.Program, l *sim.Launch, t *chip.Target, known Measured) (Estimate, error) {
	tr, err := sim.NewTracer(p, l, t)
	if err != nil {
		return Estimate{}, err
	}
	defer tr.Release()
	tr.Count()
	e := Estimate{resident: t.Resident(p.GPRs)}
	if known.fetching == (fetchCost{}) {
		known.fetching = hitCost(t)
	}
	if len(known.typical) == 0 {
		known.typical = []sim.Typical{{Wave: tr.Waves() / 2, Weight: 1}}
	}
	longest := 0.0
	for _, one := range known.typical {
		w, err := follow(tr, one.Wave, t, known.fetching, l.Budget)
		if err != nil {
			return Estimate{}, err
		}
		e.ALU += one.Weight * w.ALU
		e.fetch += one.Weight * w.fetch
		e.hits += one.Weight * w.hits
		e.export += one.Weight * w.export
		e.memory += one.Weight * w.memory
		e.Alone += one.Weight * w.Alone
		e.Cut = e.Cut || w.Cut
		longest = max(longest, w.Alone)
	}
	e.Cut = e.Cut || tr.TripLimitReached()
	waves := float64(tr.Waves()) / float64(t.SIMDs)
	e.longest = longest / waves
	e.Bound = waves * max(e.ALU, e.hits, e.export)
	for _, part := range []float64{e.ALU, e.fetch, e.export, e.memory, e.Alone / float64(e.resident), e.longest} {
		e.Cycles += math.Pow(part, norm)
	}
	e.Cycles = math.Pow(e.Cycles, 1.0/norm)
	return e, nil
}

// follow computes the busy cycles of each unit for one wavefront of a launch, with the given cost
// of a cached fetch.
func follow(tr *sim.Tracer, wave int, t *chip.Target, fetching fetchCost, b *budget.Budget) (e Estimate, err error) {
	// The chip has one set of export units and one memory bus: a cycle of them is a cycle of every
	// SIMD.
	shared := float64(t.SIMDs)
	bus := shared * t.PerByte()
	waiting := false // for fetches
	w := tr.Start(wave)
	var s sim.Step
	for n := 0; w.Next(&s); n++ {
		if n == maxEstimated || tr.Evaluated() > maxEvaluated {
			e.Cut = true
			break
		}
		if err := b.SpendSteps(1); err != nil {
			return e, err
		}
		// Alone adds the latency that the wavefront waits for. Fetches of a clause overlap, so the
		// latency counts once, when a later instruction needs their results.
		if waiting && (s.Kind != sim.StepFetch || s.Wait) {
			e.Alone += t.L1Latency
			waiting = false
		}
		switch s.Kind {
		case sim.StepALU:
			e.ALU += float64(s.Groups * t.GroupCycle)
			e.Alone += float64(s.Groups*t.ALULatency) + t.ClauseSwitch
		case sim.StepFetch:
			takes := fetching
			if s.Direct {
				takes = fetchCost{hitCost(t).Cycles, float64(s.Lines.Touched() * t.L1Line)}
			}
			e.memory += bus * takes.Bytes
			e.fetch += takes.Cycles
			e.hits += hitCost(t).Cycles
			e.Alone += takes.Cycles / float64(t.Sharers())
			if s.Last {
				e.Alone += t.ClauseSwitch
			}
			waiting = true
		case sim.StepWrite, sim.StepExport:
			elements := s.Count * s.Lines.Active()
			bytes := 16 * elements
			if s.Kind == sim.StepWrite {
				bytes = s.Lines.Touched() * t.L1Line
			}
			e.memory += bus * float64(bytes)
			e.export += shared * float64(elements) / t.ExportRate
			e.Alone += float64(elements) / t.ExportRate
		default:
			e.Alone += t.ClauseSwitch
		}
	}
	return e, nil
}
