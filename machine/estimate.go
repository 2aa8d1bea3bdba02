package machine

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/r600"
)

// Estimate is what a wavefront costs in the long run: a model in closed form for
// comparing versions of a program, where [Simulate] follows every fetch. All fetches are
// taken to meet the first-level cache.
type Estimate struct {
	ALU, Fetch float64 // cycles that the wavefront keeps the vector units and the texture units busy
	Alone      float64 // cycles from its start to its end with the SIMD to itself
	Resident   int     // wavefronts that hide each other's latency
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

// Predict estimates a launch of a program. It walks through one wavefront in the middle
// of the launch.
func Predict(p *r600.Program, l *Launch, t *Target) (Estimate, error) {
	tr, err := newTracer(p, l, t)
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{Resident: t.Resident(p.GPRs)}
	w := tr.start(tr.waves / 2)
	var s Step
	waiting := false // for fetches
	for n := 0; w.Next(&s); n++ {
		if n == maxEstimated || tr.done > maxEvaluated {
			e.Cut = true
			break
		}
		if err := l.Budget.Work(1); err != nil {
			return Estimate{}, err
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
			cycles := float64(t.Wave) / t.FetchRate
			e.Fetch += cycles
			e.Alone += cycles
			if s.Last {
				e.Alone += t.ClauseSwitch
			}
			waiting = true
		default:
			e.Alone += t.ClauseSwitch
		}
	}
	e.Cut = e.Cut || tr.tripsReached
	for _, part := range []float64{e.ALU, e.Fetch, e.Alone / float64(e.Resident)} {
		e.Cycles += math.Pow(part, norm)
	}
	e.Cycles = math.Pow(e.Cycles, 1.0/norm)
	return e, nil
}
