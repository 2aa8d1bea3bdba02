package sim

// Interval is a part of the simulated time. The shares of units refer to that part, averaged over
// the units. Work that starts in an interval counts as done in it.
type Interval struct {
	Cycles   float64
	ALU      float64 // share of the time the vector units work
	Fetch    float64 // the texture units
	Stalled  float64 // a SIMD has wavefronts, but each of them waits for data or control flow
	Requests float64 // texels requested by active threads
	L1Hit    float64 // share of them that caused no line fill; 0 without requests
}

// intervals is the minimum number of intervals of a long launch; the maximum is less than twice
// that.
const intervals = 32

// course holds the counters at the ends of intervals. The length of an interval is not known in
// advance: when there are too many, pairs are merged.
type course struct {
	every float64
	end   float64 // of the current interval
	ends  []counted
}

// counted holds the counters of an engine at a time, summed over all units.
type counted struct {
	at, alu, fetch, stalled float64
	requests, missed        int
}

// watch closes the intervals that have ended, before the event at the current time changes
// anything.
func (e *engine) watch() {
	c := &e.course
	for ; e.now >= c.end; c.end = c.next() {
		c.ends = append(c.ends, e.counted(c.end))
		if len(c.ends) == 2*intervals {
			for i := range intervals {
				c.ends[i] = c.ends[2*i+1]
			}
			c.ends = c.ends[:intervals]
			c.every *= 2
		}
	}
}

// newCourse begins the first interval.
func newCourse() course { return course{every: 1, end: 1} }

// next returns the end of the current interval.
func (c *course) next() float64 { return float64(len(c.ends)+1) * c.every }

// counted returns the counters at a time. A SIMD that is stalled then has been stalled since its
// last tally.
func (e *engine) counted(at float64) counted {
	n := counted{at: at, requests: e.requests, missed: e.l1Miss}
	for i := range e.simds {
		s := &e.simds[i]
		n.alu += s.aluBusy
		n.stalled += s.stalled
		if s.active == 0 && s.waves > 0 {
			n.stalled += at - s.since
		}
	}
	for i := range e.samplers {
		n.fetch += e.samplers[i].busy
	}
	return n
}

// intervalShares converts the counters to shares of each interval.
func (e *engine) intervalShares(until float64) (list []Interval) {
	var old counted
	for _, now := range append(e.course.ends, e.counted(until)) {
		cycles := now.at - old.at
		if cycles <= 0 {
			continue
		}
		share := func(by float64, of int) float64 { return min(by/cycles/float64(of), 1) }
		i := Interval{Cycles: cycles, ALU: share(now.alu-old.alu, len(e.simds)),
			Fetch: share(now.fetch-old.fetch, len(e.samplers)), Stalled: share(now.stalled-old.stalled, len(e.simds))}
		if n := now.requests - old.requests; n > 0 {
			i.Requests = float64(n)
			i.L1Hit = 1 - float64(now.missed-old.missed)/i.Requests
		}
		list = append(list, i)
		old = now
	}
	return list
}
