package sim

// startFetch issues the fetch of a wavefront that has the texture units. The wavefront does not
// wait for its data here; w.data is when all that it fetched has come.
func (e *engine) startFetch(place int32) {
	w := &e.waves[place]
	u := e.simds[w.simd].units
	var cycles, back float64
	if w.step.Direct {
		cycles, back = e.read(u, &w.step.Lines)
	} else {
		cycles, back = e.fetch(u, &w.step.Lines)
	}
	e.fetches++
	u.busy += cycles
	e.issued += e.perFetch
	w.work += e.perFetch
	u.returned = max(u.returned, back)
	w.data = max(w.data, u.returned)
	w.phase = phaseFetch
	e.events.push(e.now+cycles, place)
}

// nextFetch issues the next fetch of a clause, or ends the clause, which frees the units for
// another wavefront.
func (e *engine) nextFetch(place int32) {
	w := &e.waves[place]
	if !w.step.Last && w.trace.Next(&w.step) {
		e.steps++
		e.startFetch(place)
		return
	}
	s := &e.simds[w.simd]
	e.leave(s)
	e.free(&s.units.clause, e.startFetch)
	e.after(place, e.t.ClauseSwitch)
}

// fetch runs the quads of a fetch through the caches. It returns how long the texture
// units are taken and when the last texel is there.
func (e *engine) fetch(u *samplers, a *Lines) (cycles, back float64) {
	t, l1 := e.t, u.l1
	e.requests += a.Active()
	same := a.repeats()
	again := again(same)
	var lines [4]uint32
	for q := 0; q < t.Wave; q += 4 {
		if again>>q&1 != 0 {
			// The line was read last, so it is the first of its set.
			if found := e.now + cycles + t.L1Latency; found > back {
				back = found
			}
			cycles += u.perQuad
			continue
		}
		n := a.quad(q, same, &lines)
		for _, line := range lines[:n] {
			at := e.now + cycles
			way, hit := l1.first(line)
			if !hit && !l1.find(way, line) {
				// With as many misses under way as there can be, the pipeline waits.
				if free := u.misses[u.oldest]; free > at {
					cycles += free - at
					at = free
				}
				e.l1Miss++
				l1.ready[way] = e.fill(at, line)
				u.misses[u.oldest] = l1.ready[way]
				if u.oldest++; u.oldest == len(u.misses) {
					u.oldest = 0
				}
				cycles += t.L1Fill
			}
			// Comparisons, and not max, which has to think of NaN and takes several times as long.
			if found := at + t.L1Latency; found > back {
				back = found
			}
			if ready := l1.ready[way]; ready > back {
				back = ready
			}
		}
		// A cycle reads one line: a quad that is spread over more takes longer.
		cycles += u.perQuad * float64(max(1, n))
	}
	return cycles, back
}

// fill asks L2, and memory behind it, for a line of L1 and returns when it is there.
func (e *engine) fill(at float64, line uint32) float64 {
	t := e.t
	at = e.toL1.pass(at, float64(t.L1Line)/t.L2Bandwidth)
	behind := uint32(uint64(line) * uint64(t.L1Line) / uint64(t.L2Line))
	way, hit := e.l2.first(behind)
	if !hit && !e.l2.find(way, behind) {
		e.l2Miss++
		e.l2.ready[way] = e.memory.pass(at, e.bytes(t.L2Line)) + t.MemoryLatency
	}
	return max(at+t.L2Latency, e.l2.ready[way])
}

// read bypasses the texture caches: every line comes from memory.
func (e *engine) read(u *samplers, a *Lines) (cycles, back float64) {
	cycles = float64(e.t.Wave) / u.rate
	return cycles, e.memory.pass(e.now, e.bytes(a.Touched()*e.t.L1Line)) + e.t.MemoryLatency
}

// put sends the elements of a step through the export path.
func (e *engine) put(s *Step) float64 {
	return e.export.pass(e.now, float64(s.Count*s.Lines.Active())/e.t.ExportRate)
}

// bytes is how many cycles the memory bus takes for n bytes.
func (e *engine) bytes(n int) float64 { return float64(n) * e.t.PerByte() }
