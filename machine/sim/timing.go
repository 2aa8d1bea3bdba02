package sim

import (
	"fmt"

	"github.com/shaderlift/shaderlift/machine/chip"
)

// Timing is the predicted time of a launch, with its causes. The shares of units refer to the time
// of the launch, averaged over SIMDs if each has its own units.
type Timing struct {
	Cycles   float64
	Seconds  float64
	GFLOPS   float64 // additions and multiplications of active threads
	resident int     // wavefronts that a SIMD holds

	ALU     float64 // share of time the vector units work
	Fetch   float64 // the texture units
	export  float64 // the export path
	l2      float64 // the path from L2 to L1
	Memory  float64 // the memory bus
	stalled float64 // a SIMD has wavefronts, but each of them waits for data or control flow

	Fetches  float64 // fetch instructions of all wavefronts
	Requests float64 // texels requested by active threads
	L1Hit    float64 // share of them that caused no line fill; 0 without fetches
	L2Hit    float64 // share of the filled lines that hit L2

	Bottleneck string  // the unit with the largest share, or "latency"
	Simulated  float64 // share of the work that was simulated; the rest is extrapolated
	Notes      []string

	// Course is the simulated time in intervals, from start to end.
	Course []Interval
	// Typical holds representative wavefronts, if all were simulated to their ends.
	Typical []Typical
}

// Time simulates the wavefronts of w as they share the chip t.
//
// A SIMD runs clauses of as many wavefronts at once as hide the latency of its vector units (two).
// Texture units run one fetch clause at a time. They belong to a SIMD, or on the R600 family all
// SIMDs share them, with the same number for each. If wavefronts wait for a unit, the oldest goes
// first, as in ATI's patents (US 8072461) and in reviews of these chips. Fetches pass L1 and L2
// quad by quad and return in order. An ALU clause waits for all fetches of its wavefront. Beyond
// the limit of steps, the rest of the launch is assumed to run like the simulated part.
//
// L1 counts a texel as a hit unless its request caused a line fill: an outstanding line counts as
// present.
func Time(t *chip.Target, w Work) Timing {
	if w.limit == 0 {
		w.limit = defaultLimit
	}
	e := newEngine(t, &w)
	e.processEvents()
	return e.timing()
}

// timing computes the result from the counters of an engine. If only a part of the launch was
// simulated, time and counts are scaled by the ratio of all work to its work.
func (e *engine) timing() Timing {
	t := e.t
	scale := 1.0
	r := Timing{resident: e.resident, Simulated: 1}
	if !e.finished() {
		total, whole := e.total()
		scale = max(1, total/max(e.issued, 1))
		r.Simulated = 1 / scale
		if !whole {
			r.Notes = append(r.Notes, fmt.Sprintf("wavefronts are longer than %d steps; the time covers only their beginning",
				e.w.limit))
		}
		r.Notes = append(r.Notes, fmt.Sprintf("extrapolated from %d of %d wavefronts, %.2g of the work", e.next, e.w.Waves,
			r.Simulated))
	}
	time := max(e.now, e.lastWrite, 1)
	r.Cycles = time * scale
	r.Seconds = r.Cycles / (t.Clock * 1e6)
	r.GFLOPS = e.flops * scale / r.Seconds / 1e9
	var idle float64
	for i := range e.simds {
		s := &e.simds[i]
		r.ALU += s.aluBusy
		idle += s.stalled
	}
	for i := range e.samplers {
		r.Fetch += e.samplers[i].busy / (time * float64(len(e.samplers)))
	}
	all := time * float64(len(e.simds))
	r.ALU /= all
	r.stalled = idle / all
	r.export = e.export.busy / time
	r.l2 = e.toL1.busy / time
	r.Memory = e.memory.busy / time
	r.Fetches = float64(e.fetches) * scale
	r.Requests = float64(e.requests) * scale
	r.L1Hit = float64(e.requests-e.l1Miss) / float64(max(e.requests, 1))
	r.L2Hit = float64(e.l1Miss-e.l2Miss) / float64(max(e.l1Miss, 1))
	r.Bottleneck = r.bottleneck()
	r.Course = e.intervalShares(time)
	if e.finished() {
		r.Typical = typical(e.ended)
	}
	return r
}

// bottleneck returns the unit with the largest share of time, or "latency" if SIMDs are stalled for
// longer than any unit works.
func (r *Timing) bottleneck() string {
	name, most := "latency", r.stalled
	for _, u := range []struct {
		name  string
		share float64
	}{{"alu", r.ALU}, {"fetch", r.Fetch}, {"export", r.export}, {"l2", r.l2}, {"memory", r.Memory}} {
		if u.share > most {
			name, most = u.name, u.share
		}
	}
	return name
}
