package price

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sim"
)

// Estimate is what a wavefront costs in the long run: a model in closed form for
// comparing versions of a program, where [sim.Simulate] follows every wavefront. What fetches
// take beyond what they take that meet the first-level cache is not in the program: it is
// measured, once for all versions of it ([Measured]).
// The model is a roofline with latency: a wavefront keeps each unit busy for so long, and the
// launch takes as long as the busiest unit, unless there are too few wavefronts to hide what each
// waits for. The parts are joined by a norm rather than by their maximum, since units do wait for
// each other when two are nearly equally busy.
type Estimate struct {
	// What the wavefront keeps each unit busy for, in cycles. Units that the chip has one of
	// count for as many SIMDs as share them.
	ALU, Fetch, Export, Memory float64

	Alone    float64 // cycles from its start to its end with the SIMD to itself
	Longest  float64 // its share of those of the wavefront that takes longest: the launch takes no less
	Resident int     // wavefronts that hide each other's latency
	// Cycles is what it adds to the time of a SIMD: a little more than the largest of what
	// each unit takes and of its share of the time that it would take alone, which counts
	// where there are not wavefronts enough to fill the gaps. See norm.
	Cycles float64
	// Cut tells that a loop was left early, or that the walk was too long.
	Cut bool
}

// norm is the exponent of the norm that joins what units take: 1 would add them up, as
// if nothing overlapped, infinity would take the largest, as if everything did. Assumed.
const norm = 4

// maxEstimated bounds the steps of the wavefront that is followed, and maxEvaluated the
// slots that are evaluated for them: six times what any kernel known takes.
const (
	maxEstimated = 1 << 15
	maxEvaluated = 1 << 19
)

// Fetching is what a fetch through the caches takes on the average in a launch, of the
// texture units and of the memory behind the caches.
type Fetching struct {
	Cycles float64 // of the texture units
	Bytes  float64 // from memory
}

// Measured is what the simulation of a launch tells of other versions of its program: most
// rewrites leave the stream of addresses as it is, and how much wavefronts have to do. The
// zero value is for a launch of which nothing is known: then all fetches meet the first-level
// cache, and the wavefront in the middle stands for all.
type Measured struct {
	Fetching Fetching
	Typical  []sim.Typical
}

// Measure takes from a simulation on t what [Predict] goes by.
func Measure(r *sim.Timing, t *chip.Target) Measured {
	// Fetching starts from what a hit costs the texture units; the simulation can only add to it.
	m := Measured{Fetching: hits(t), Typical: r.Typical}
	if r.Fetches == 0 {
		return m
	}
	// Lines that neither L1 nor L2 had came from memory.
	filled := r.Requests * (1 - r.L1Hit) * (1 - r.L2Hit)
	m.Fetching.Cycles = max(r.Fetch*r.Cycles*float64(t.SIMDs)/r.Fetches, m.Fetching.Cycles)
	m.Fetching.Bytes = filled * float64(t.L2Line) / r.Fetches
	return m
}

// hits is what fetches take that all meet the first-level cache.
func hits(t *chip.Target) Fetching { return Fetching{Cycles: float64(t.Wave) / t.FetchRate} }

// Predict estimates a launch of a program on t by what is known of the launch.
// It follows each typical wavefront through the program, and weighs them by how many of the launch
// are like it.
func Predict(p *r600.Program, l *sim.Launch, t *chip.Target, known Measured) (Estimate, error) {
	tr, err := sim.NewTracer(p, l, t)
	if err != nil {
		return Estimate{}, err
	}
	defer tr.Release()
	tr.Count()
	e := Estimate{Resident: t.Resident(p.GPRs)}
	if known.Fetching == (Fetching{}) {
		known.Fetching = hits(t)
	}
	if len(known.Typical) == 0 {
		known.Typical = []sim.Typical{{Wave: tr.Waves() / 2, Weight: 1}}
	}
	longest := 0.0
	for _, one := range known.Typical {
		w, err := follow(tr, one.Wave, t, known.Fetching, l.Budget)
		if err != nil {
			return Estimate{}, err
		}
		e.ALU += one.Weight * w.ALU
		e.Fetch += one.Weight * w.Fetch
		e.Export += one.Weight * w.Export
		e.Memory += one.Weight * w.Memory
		e.Alone += one.Weight * w.Alone
		e.Cut = e.Cut || w.Cut
		longest = max(longest, w.Alone)
	}
	e.Cut = e.Cut || tr.Cut()
	e.Longest = longest * float64(t.SIMDs) / float64(tr.Waves())
	for _, part := range []float64{e.ALU, e.Fetch, e.Export, e.Memory, e.Alone / float64(e.Resident), e.Longest} {
		e.Cycles += math.Pow(part, norm)
	}
	e.Cycles = math.Pow(e.Cycles, 1.0/norm)
	return e, nil
}

// follow is what one wavefront of a launch keeps units busy for, fetches taking what is
// given.
func follow(tr *sim.Tracer, wave int, t *chip.Target, fetching Fetching, b *budget.Budget) (e Estimate, err error) {
	// Export units and memory bus are one for the chip: a cycle of them is a cycle of every SIMD.
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
		if err := b.Work(1); err != nil {
			return e, err
		}
		// Alone: what the wavefront waits for. Fetches of a clause overlap, so the latency counts
		// once, when something behind them needs their results.
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
				takes = Fetching{hits(t).Cycles, float64(s.Lines.Touched() * t.L1Line)}
			}
			e.Memory += bus * takes.Bytes
			e.Fetch += takes.Cycles
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
			e.Memory += bus * float64(bytes)
			e.Export += shared * float64(elements) / t.ExportRate
			e.Alone += float64(elements) / t.ExportRate
		default:
			e.Alone += t.ClauseSwitch
		}
	}
	return e, nil
}
