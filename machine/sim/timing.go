package sim

import (
	"fmt"

	"github.com/shaderlift/shaderlift/machine/chip"
)

// Timing is what a launch is predicted to take, and why. The shares of units are of the
// time that the launch takes, averaged over SIMDs where each has its own.
type Timing struct {
	Cycles   float64
	Seconds  float64
	GFLOPS   float64 // additions and multiplications of active threads
	Resident int     // wavefronts a SIMD holds

	ALU     float64 // share of time the vector units work
	Fetch   float64 // the texture units
	Export  float64 // the export path
	L2      float64 // the path from L2 to L1
	Memory  float64 // the memory bus
	Stalled float64 // a SIMD has wavefronts, but each of them waits for data or control flow

	Fetches  float64 // fetch instructions of all wavefronts
	Requests float64 // texels asked for by active threads
	L1Hit    float64 // share of them that caused no line to be filled; 0 without fetches
	L2Hit    float64 // share of the lines filled that L2 had

	Bottleneck string  // the unit with the largest share, or "latency"
	Simulated  float64 // share of the work that was simulated; the rest is extrapolated
	Notes      []string

	// Course is how what was simulated went on, from its start to its end.
	Course []Interval
	// Typical are wavefronts that stand for all others, if all came to their end.
	Typical []Typical
}

// Time simulates the wavefronts of w as they share the chip t.
//
// A SIMD runs clauses of as many wavefronts at once as hide the latency of its vector
// units (two), and texture units one fetch clause: those of a SIMD, or on the R600 family those that
// all SIMDs share, with as much for each. Where wavefronts wait for a unit, the oldest goes
// first, as ATI's patents have it (US 8072461) and reviews tell of these chips. Fetches go
// through L1 and L2 quad by quad and come back in order. An ALU clause waits for all
// fetches of its wavefront. Beyond the limit of steps the rest of the launch is taken to
// run as what was simulated.
//
// L1 counts a texel as found unless asking for it caused a line to be filled: a line under
// way counts as present.
func Time(t *chip.Target, w Work) Timing {
	if w.Limit == 0 {
		w.Limit = DefaultLimit
	}
	e := newEngine(t, &w)
	e.run()
	return e.timing()
}

// timing makes the result of what an engine counted. If only a part of the launch was simulated,
// time and counts are scaled by the ratio of its work to all work.
func (e *engine) timing() Timing {
	t := e.t
	scale := 1.0
	r := Timing{Resident: e.resident, Simulated: 1}
	if !e.finished() {
		total, whole := e.total()
		scale = max(1, total/max(e.issued, 1))
		r.Simulated = 1 / scale
		if !whole {
			r.Notes = append(r.Notes, fmt.Sprintf("wavefronts are longer than %d steps: the time is that of their beginning", e.w.Limit))
		}
		r.Notes = append(r.Notes, fmt.Sprintf("extrapolated from %d of %d wavefronts, %.2g of the work", e.next, e.w.Waves, r.Simulated))
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
	r.Stalled = idle / all
	r.Export = e.export.busy / time
	r.L2 = e.toL1.busy / time
	r.Memory = e.memory.busy / time
	r.Fetches = float64(e.fetches) * scale
	r.Requests = float64(e.requests) * scale
	r.L1Hit = float64(e.requests-e.l1Miss) / float64(max(e.requests, 1))
	r.L2Hit = float64(e.l1Miss-e.l2Miss) / float64(max(e.l1Miss, 1))
	r.Bottleneck = r.bottleneck()
	r.Course = e.told(time)
	if e.finished() {
		r.Typical = typical(e.ended)
	}
	return r
}

// bottleneck is the unit with the largest share of time, or latency where SIMDs are stalled for
// longer than any unit works.
func (r *Timing) bottleneck() string {
	name, most := "latency", r.Stalled
	for _, u := range []struct {
		name  string
		share float64
	}{{"alu", r.ALU}, {"fetch", r.Fetch}, {"export", r.Export}, {"l2", r.L2}, {"memory", r.Memory}} {
		if u.share > most {
			name, most = u.name, u.share
		}
	}
	return name
}
