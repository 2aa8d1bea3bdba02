package sim

// Interval is a part of the time that was simulated. The shares of units are of that part,
// averaged over those there are; what starts in it counts as done in it.
type Interval struct {
	Cycles   float64
	ALU      float64 // share of the time the vector units work
	Fetch    float64 // the texture units
	Stalled  float64 // a SIMD has wavefronts, but each of them waits for data or control flow
	Requests float64 // texels asked for by active threads
	L1Hit    float64 // share of them that caused no line to be filled; 0 without requests
}

// intervals is the least number of intervals that a long launch is told in; there are less
// than twice as many.
const intervals = 32

// course is what was counted by the ends of intervals. How long they are is not known
// beforehand: when there are too many, two become one.
type course struct {
	every float64
	ends  []counted
}

// counted is what an engine has counted up to a time, summed over all units.
type counted struct {
	at, alu, fetch, stalled float64
	requests, missed        int
}

// watch is called before something changes at the time that it is now.
func (e *engine) watch() {
	c := &e.course
	for end := c.next(); e.now >= end; end = c.next() {
		c.ends = append(c.ends, e.counted(end))
		if len(c.ends) == 2*intervals {
			for i := range intervals {
				c.ends[i] = c.ends[2*i+1]
			}
			c.ends = c.ends[:intervals]
			c.every *= 2
		}
	}
}

// next is where the interval ends that has begun.
func (c *course) next() float64 { return float64(len(c.ends)+1) * c.every }

// A SIMD that is stalled at this time has been so since it was last tallied.
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

// told converts the counters to shares of each interval.
func (e *engine) told(until float64) (list []Interval) {
	var old counted
	for _, now := range append(e.course.ends, e.counted(until)) {
		cycles := now.at - old.at
		if cycles <= 0 {
			continue
		}
		share := func(by float64, of int) float64 { return min(by/cycles/float64(of), 1) }
		i := Interval{Cycles: cycles, ALU: share(now.alu-old.alu, len(e.simds)), Fetch: share(now.fetch-old.fetch, len(e.samplers)), Stalled: share(now.stalled-old.stalled, len(e.simds))}
		if n := now.requests - old.requests; n > 0 {
			i.Requests = float64(n)
			i.L1Hit = 1 - float64(now.missed-old.missed)/i.Requests
		}
		list = append(list, i)
		old = now
	}
	return list
}
