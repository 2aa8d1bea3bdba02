package sim

import "github.com/shaderlift/shaderlift/machine/chip"

// engine is the state of a discrete-event simulation. A wavefront is always in one of three states.
// It has an event in the queue (its next action at a time), waits at a station, or waits at a
// barrier. Processing an event may push others, at later times only.
type engine struct {
	t *chip.Target
	w *Work

	now      float64
	events   eventQueue
	simds    []simd
	samplers []samplers  // units of the SIMDs, or those that all share
	waves    []wavefront // one place for each resident wavefront
	group    int         // wavefronts of a work group, which take neighbouring places together
	waiting  [][]int32   // by place of the work group: wavefronts at the barrier
	resident int
	next     int // first wavefront not yet started
	steps    int
	perFetch float64 // minimum cycles of texture units for a fetch

	l2                   *cache
	toL1, memory, export server
	lastWrite            float64

	fetches, requests, l1Miss, l2Miss int
	flops                             float64
	issued                            float64 // cycles of work issued
	ended                             endings
	course                            course
}

// server is a path that serves one request at a time, in order of arrival. free is the time at
// which it is idle again, and busy the cycles in which it worked.
type server struct{ free, busy float64 }

// serveRequest serves a request that arrives at a time and needs some cycles, and returns its end.
func (s *server) serveRequest(at, cycles float64) float64 {
	s.busy += cycles
	s.free = max(s.free, at) + cycles
	return s.free
}

// simd is a SIMD engine: its vector units, and the texture units it uses, which on the R600 family
// all SIMDs share.
type simd struct {
	alu   station
	units *samplers

	waves   int
	active  int // wavefronts at a unit or queueing for one
	since   float64
	stalled float64
	aluBusy float64
}

// samplers are texture units with their L1.
type samplers struct {
	l1     *cache
	clause station
	// Results return in order: a fetch that hits waits for an earlier one that missed.
	rate     float64   // threads served per cycle
	perQuad  float64   // cycles that a line of a quad takes
	returned float64   // return time of the latest fetch
	misses   []float64 // end times of the latest misses, as a ring
	oldest   int
	busy     float64
}

// wavefront is a wavefront in flight.
type wavefront struct {
	trace Trace
	step  Step
	phase wavePhase
	simd  int32
	id    int     // in the launch
	data  float64 // time at which all fetched data has arrived
	work  float64 // cycles of units that it used
}

type wavePhase uint8

const (
	phaseNext  wavePhase = iota // ready for another step
	phaseReady                  // has a step whose data has arrived
	phaseALU                    // its ALU clause is over
	phaseFetch                  // its fetch is issued
	phaseEnd                    // it is over, and all its fetched data has arrived
)

// newEngine fills the chip with wavefronts. Residency is in whole work groups, at least one, since
// the wavefronts of a group wait for each other.
func newEngine(t *chip.Target, w *Work) *engine {
	group := max(w.group, 1)
	resident := t.Resident(w.GPRs)
	resident = max(group, resident/group*group)
	e := &engine{perFetch: float64(t.Wave) / t.FetchRate, ended: newEndings(), course: newCourse(), t: t, w: w,
		resident: resident, group: group, simds: make([]simd, t.SIMDs)}
	e.l2 = newCache(t.L2Size, t.L2Line, t.L2Ways)
	e.samplers = make([]samplers, t.SIMDs/t.Sharers())
	for i := range e.samplers {
		n := t.Sharers()
		e.samplers[i] = samplers{
			l1: newCache(t.L1Size, t.L1Line, t.L1Ways), clause: station{slots: 1},
			rate: t.FetchRate * float64(n), perQuad: 4 / (t.FetchRate * float64(n)), misses: make([]float64, t.L1Misses*n),
		}
	}
	for i := range e.simds {
		s := &e.simds[i]
		// Two wavefronts interleave on the vector units, which hides the latency of a group.
		s.alu.slots = max(1, t.ALULatency/t.GroupCycle)
		s.units = &e.samplers[i/t.Sharers()]
	}
	// Work groups are assigned to the SIMDs in turn, at the rate of the rasteriser.
	n := min(w.Waves, resident*t.SIMDs)
	e.waves, e.events.ring = make([]wavefront, n), make([]event, n)
	e.waiting = make([][]int32, (n+group-1)/group)
	for i := range e.waves {
		e.waves[i].simd = int32(i / group % t.SIMDs)
		e.start(int32(i), float64(i)*float64(t.Wave)/t.LaunchRate)
	}
	return e
}

// start begins the next wavefront of the launch in a free place.
func (e *engine) start(place int32, at float64) {
	w := &e.waves[place]
	w.trace, w.phase, w.id, w.data, w.work = e.w.Trace(e.next), phaseNext, e.next, at, 0
	e.next++
	e.simds[w.simd].waves++
	e.events.push(at, place)
}

// processEvents processes events in order of time until none is left or the limit of steps is reached.
func (e *engine) processEvents() {
	for e.steps < e.w.limit && (e.w.stop == nil || !e.w.stop(false)) {
		at, place, ok := e.events.pop()
		if !ok {
			return
		}
		if e.now = at; at >= e.course.end {
			e.watch()
		}
		switch w := &e.waves[place]; w.phase {
		case phaseNext:
			e.advance(place)
		case phaseReady:
			e.begin(place)
		case phaseALU:
			s := &e.simds[w.simd]
			e.leave(s)
			e.releaseSlot(&s.alu, e.startALU)
			e.after(place, e.t.ClauseSwitch)
		case phaseFetch:
			e.nextFetch(place)
		case phaseEnd:
			e.retire(place)
		}
	}
}

// finished reports whether the whole launch was simulated.
func (e *engine) finished() bool { return e.events.empty() && e.next == e.w.Waves }

// after schedules the next step of a wavefront some cycles from now.
func (e *engine) after(place int32, cycles float64) {
	e.waves[place].phase = phaseNext
	if cycles == e.t.ClauseSwitch {
		e.events.pushSoon(e.now+cycles, place)
		return
	}
	e.events.push(e.now+cycles, place)
}

// advance takes the next step of a wavefront, and waits for fetched data if the step needs it.
func (e *engine) advance(place int32) {
	w := &e.waves[place]
	if !w.trace.Next(&w.step) {
		// The registers that an outstanding fetch will write stay allocated.
		w.phase = phaseEnd
		e.events.push(max(e.now, w.data), place)
		return
	}
	e.steps++
	needs := w.step.Wait || w.step.Kind != StepFetch && w.step.Kind != stepControl
	if needs && w.data > e.now {
		w.phase = phaseReady
		e.events.push(w.data, place)
		return
	}
	e.begin(place)
}

// begin executes a step whose operands are available.
func (e *engine) begin(place int32) {
	w := &e.waves[place]
	s := &e.simds[w.simd]
	switch w.step.Kind {
	case StepALU:
		e.enter(s)
		e.takeSlot(&s.alu, place, e.startALU)
	case StepFetch:
		e.enter(s)
		e.takeSlot(&s.units.clause, place, e.startFetch)
	case StepWrite:
		done := e.exportStep(&w.step)
		e.lastWrite = max(e.lastWrite, e.memory.serveRequest(done, e.bytes(w.step.Lines.Touched()*e.t.L1Line)))
		e.after(place, done-e.now)
	case StepExport:
		done := e.exportStep(&w.step)
		e.lastWrite = max(e.lastWrite, e.memory.serveRequest(done, e.bytes(w.step.Count*w.step.Lines.Active()*16)))
		e.after(place, done-e.now)
	case stepControl:
		e.after(place, e.t.ClauseSwitch*float64(w.step.Count))
	case stepBarrier:
		e.waitForGroup(place)
	}
}

// takeSlot gives a wavefront a slot of a unit, or a place in its queue.
func (e *engine) takeSlot(u *station, place int32, start func(int32)) {
	if u.slots == 0 {
		u.waiting.Push(int64(e.waves[place].id), place)
		return
	}
	u.slots--
	start(place)
}

// releaseSlot passes a slot of a unit to the oldest waiting wavefront, by number in the launch.
func (e *engine) releaseSlot(u *station, start func(int32)) {
	if len(u.waiting) == 0 {
		u.slots++
		return
	}
	start(u.waiting.Pop())
}

// startALU begins an ALU clause. The clause occupies its slot for the latency of its groups; the
// units work for a part of that time.
func (e *engine) startALU(place int32) {
	w := &e.waves[place]
	work := float64(w.step.Groups * e.t.GroupCycle)
	e.simds[w.simd].aluBusy += work
	e.issued += work
	w.work += work
	e.flops += float64(w.step.flops * w.step.Lines.Active())
	w.phase = phaseALU
	e.events.push(e.now+float64(w.step.Groups*e.t.ALULatency), place)
}

// retire ends a wavefront. When its whole work group has ended, the next group of the launch takes
// their places.
func (e *engine) retire(place int32) {
	w := &e.waves[place]
	s := &e.simds[w.simd]
	e.tally(s)
	s.waves--
	w.trace = nil
	e.ended.add(ended{w.id, w.work})
	if e.alive(place) > 0 {
		e.release(place)
		return
	}
	first := int(place) / e.group * e.group
	for p := first; p < first+e.group && e.next < e.w.Waves; p++ {
		e.start(int32(p), e.now)
	}
}

// alive counts the wavefronts of a work group that have not ended.
func (e *engine) alive(place int32) int {
	first := int(place) / e.group * e.group
	n := 0
	for p := first; p < min(first+e.group, len(e.waves)); p++ {
		if e.waves[p].trace != nil {
			n++
		}
	}
	return n
}

// enter and leave count the wavefronts that are at a unit, or queue for one. A SIMD is stalled
// if it has wavefronts but none of them is at a unit.
func (e *engine) enter(s *simd) {
	e.tally(s)
	s.active++
}

func (e *engine) leave(s *simd) {
	e.tally(s)
	s.active--
}

// tally adds the time since the last change if the SIMD was stalled.
func (e *engine) tally(s *simd) {
	if s.active == 0 && s.waves > 0 {
		s.stalled += e.now - s.since
	}
	s.since = e.now
}

// waitForGroup makes a wavefront wait for the others of its group.
func (e *engine) waitForGroup(place int32) {
	g := int(place) / e.group
	e.waiting[g] = append(e.waiting[g], place)
	e.release(place)
}

// release resumes a work group when all its remaining wavefronts are at the barrier.
func (e *engine) release(place int32) {
	g := int(place) / e.group
	if len(e.waiting[g]) < e.alive(place) {
		return
	}
	for _, p := range e.waiting[g] {
		e.after(p, e.t.ClauseSwitch)
	}
	e.waiting[g] = e.waiting[g][:0]
}

// total estimates the work of the whole launch, in cycles of units, from the traces of a few
// wavefronts spread over it. whole reports whether all of them ended within the limit.
func (e *engine) total() (work float64, whole bool) {
	const probes = 4
	n := min(probes, e.w.Waves)
	whole = true
	for i := range n {
		trace := e.w.Trace(e.w.Waves * (2*i + 1) / (2 * n))
		var s Step
		steps := 0
		for trace.Next(&s) {
			switch s.Kind {
			case StepALU:
				work += float64(s.Groups * e.t.GroupCycle)
			case StepFetch:
				work += float64(e.t.Wave) / e.t.FetchRate
			}
			if steps++; steps > e.w.limit || e.w.stop != nil && e.w.stop(true) {
				whole = false
				break
			}
		}
	}
	return work / float64(n) * float64(e.w.Waves), whole
}
