package machine

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/r600"
)

// Estimate is what a wavefront costs in the long run: a model in closed form for
// comparing versions of a program, where [Simulate] follows every wavefront. What fetches
// take beyond what they take that meet the first-level cache is not in the program: it is
// measured, once for all versions of it ([Fetching]).
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

// Fetching is what the launch tells of other versions of its program: most rewrites leave
// the stream of addresses as it is.
func (r *Timing) Fetching(t *Target) Fetching {
	if r.Fetches == 0 {
		return t.hits()
	}
	filled := r.Requests * (1 - r.L1Hit) * (1 - r.L2Hit)
	return Fetching{
		Cycles: max(r.Fetch*r.Cycles*float64(t.SIMDs)/r.Fetches, t.hits().Cycles),
		Bytes:  filled * float64(t.L2Line) / r.Fetches,
	}
}

// hits is what fetches take that all meet the first-level cache.
func (t *Target) hits() Fetching { return Fetching{Cycles: float64(t.Wave) / t.FetchRate} }

// Predict estimates a launch of a program. It walks through those wavefronts that are said
// to be typical, or else through one in the middle of the launch.
func Predict(p *r600.Program, l *Launch, t *Target) (Estimate, error) {
	tr, err := newTracer(p, l, t)
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{Resident: t.Resident(p.GPRs)}
	follow := l.Typical
	if len(follow) == 0 {
		follow = []Typical{{tr.waves / 2, 1}}
	}
	longest := 0.0
	for _, one := range follow {
		w := Estimate{}
		if err := w.walk(tr, one.Wave); err != nil {
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
	e.Cut = e.Cut || tr.tripsReached
	e.Longest = longest * float64(t.SIMDs) / float64(tr.waves)
	for _, part := range []float64{e.ALU, e.Fetch, e.Export, e.Memory, e.Alone / float64(e.Resident), e.Longest} {
		e.Cycles += math.Pow(part, norm)
	}
	e.Cycles = math.Pow(e.Cycles, 1.0/norm)
	return e, nil
}

// walk follows a wavefront of a launch.
func (e *Estimate) walk(tr *tracer, wave int) error {
	t := tr.t
	fetching := t.hits()
	if tr.l.Fetching != nil {
		fetching = *tr.l.Fetching
	}
	shared := float64(t.SIMDs) // by all SIMDs
	bus := shared * t.perByte()
	waiting := false // for fetches
	w := tr.start(wave)
	var s Step
	for n := 0; w.Next(&s); n++ {
		if n == maxEstimated || tr.done > maxEvaluated {
			e.Cut = true
			break
		}
		if err := tr.l.Budget.Work(1); err != nil {
			return err
		}
		if waiting && (s.Kind != StepFetch || s.Wait) {
			e.Alone += t.L1Latency
			waiting = false
		}
		switch s.Kind {
		case StepALU:
			e.ALU += float64(s.Groups * t.GroupCycle)
			e.Alone += float64(s.Groups*t.ALULatency) + t.ClauseSwitch
		case StepFetch:
			takes := fetching
			if s.Direct {
				takes = Fetching{t.hits().Cycles, float64(t.touched(&s.Lines) * t.L1Line)}
			}
			e.Memory += bus * takes.Bytes
			e.Fetch += takes.Cycles
			e.Alone += takes.Cycles
			if s.Last {
				e.Alone += t.ClauseSwitch
			}
			waiting = true
		case StepWrite, StepExport:
			elements := s.Count * activeLanes(&s.Lines)
			bytes := 16 * elements
			if s.Kind == StepWrite {
				bytes = t.touched(&s.Lines) * t.L1Line
			}
			e.Memory += bus * float64(bytes)
			e.Export += shared * float64(elements) / t.ExportRate
			e.Alone += float64(elements) / t.ExportRate
		default:
			e.Alone += t.ClauseSwitch
		}
	}
	return nil
}
