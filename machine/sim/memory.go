package sim

// startFetch issues the fetch of a wavefront that has the texture units. The wavefront does not
// wait for its data here; w.data is the arrival time of all its fetches.
func (e *engine) startFetch(place int32) {
	w := &e.waves[place]
	u := e.simds[w.simd].units
	var cycles, back float64
	if w.step.Direct {
		cycles, back = e.readUncached(u, &w.step.Lines)
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
	e.releaseSlot(&s.units.clause, e.startFetch)
	e.after(place, e.t.ClauseSwitch)
}

// fetch runs the quads of a fetch through the caches. It returns the cycles that the texture units
// are busy and the arrival time of the last texel.
func (e *engine) fetch(u *samplers, a *Lines) (cycles, back float64) {
	t, l1 := e.t, u.l1
	now, latency, perQuad := e.now, t.L1Latency, u.perQuad
	e.requests += a.Active()
	same := a.repeats()
	again := again(same)
	lines := [4]uint32{}
	for q := 0; q < t.Wave; q += 4 {
		if again>>q&1 != 0 {
			// The line was read last, so it is the first of its set.
			at := now + cycles
			for cycles += perQuad; q+4 < t.Wave && again>>(q+4)&1 != 0; q += 4 {
				at = now + cycles
				cycles += perQuad
			}
			if found := at + latency; found > back {
				back = found
			}
			continue
		}
		n := 1
		if lines[0] = a.line[q]; a.Mask>>q&15 != 15 || same>>q&14 != 14 {
			n = a.quadLines(q, same, &lines)
		}
		for _, line := range lines[:n] {
			at := now + cycles
			way, hit := l1.first(line)
			if !hit && !l1.lookup(way, line) {
				// The pipeline waits if the maximum number of misses is outstanding.
				if free := u.misses[u.oldest]; free > at {
					cycles += free - at
					at = free
				}
				e.l1Miss++
				l1.ready[way] = e.fillLine(at, line)
				u.misses[u.oldest] = l1.ready[way]
				if u.oldest++; u.oldest == len(u.misses) {
					u.oldest = 0
				}
				cycles += t.L1Fill
			}
			// Comparisons replace max, which handles NaN and takes several times as long.
			if found := at + latency; found > back {
				back = found
			}
			if ready := l1.ready[way]; ready > back {
				back = ready
			}
		}
		// A cycle reads one line: a quad that is spread over more lines takes longer.
		cycles += perQuad * float64(max(1, n))
	}
	return cycles, back
}

// fillLine requests a line of L1 from L2, and memory on a miss, and returns its arrival time.
func (e *engine) fillLine(at float64, line uint32) float64 {
	t := e.t
	at = e.toL1.serveRequest(at, float64(t.L1Line)/t.L2Bandwidth)
	behind := uint32(uint64(line) * uint64(t.L1Line) / uint64(t.L2Line))
	way, hit := e.l2.first(behind)
	if !hit && !e.l2.lookup(way, behind) {
		e.l2Miss++
		e.l2.ready[way] = e.memory.serveRequest(at, e.bytes(t.L2Line)) + t.MemoryLatency
	}
	return max(at+t.L2Latency, e.l2.ready[way])
}

// readUncached bypasses the texture caches: every line comes from memory.
func (e *engine) readUncached(u *samplers, a *Lines) (cycles, back float64) {
	cycles = float64(e.t.Wave) / u.rate
	return cycles, e.memory.serveRequest(e.now, e.bytes(a.Touched()*e.t.L1Line)) + e.t.MemoryLatency
}

// exportStep sends the elements of a step through the export path.
func (e *engine) exportStep(s *Step) float64 {
	return e.export.serveRequest(e.now, float64(s.Count*s.Lines.Active())/e.t.ExportRate)
}

// bytes returns the cycles that the memory bus takes for n bytes.
func (e *engine) bytes(n int) float64 { return float64(n) * e.t.PerByte() }
