package sim

// cache is a set-associative cache of lines with least-recently-used replacement. It
// holds no data, only when the data of a line arrives: a line that is on its way counts
// as present, so that requests for it are merged with the one that missed.
type cache struct {
	ways, sets int
	// line, used and ready are by way, sets one after the other: the line in it, when it was used
	// last (in ticks), and when its data arrives (in cycles).
	line  []uint32 // of each way, plus one; 0 is empty
	used  []uint64
	ready []float64
	tick  uint64
	// recent are the ways that were found last: neighbouring quads touch the same lines, which are
	// found here without a search of the set.
	recent [4]int // ways found last
	turn   int
}

func newCache(size, line, ways int) *cache {
	lines := max(1, size/line)
	ways = min(ways, lines)
	sets := max(1, lines/ways)
	n := sets * ways
	return &cache{
		ways: ways, sets: sets,
		line: make([]uint32, n), used: make([]uint64, n), ready: make([]float64, n),
	}
}

// look finds a line and makes it the most recently used of its set. Where it was not
// present it takes the place of the least recently used, and the caller must say in
// ready[way] when it arrives.
func (c *cache) look(line uint32) (way int, hit bool) {
	c.tick++
	for _, i := range c.recent {
		if c.line[i] == line+1 {
			c.used[i] = c.tick
			return i, true
		}
	}
	way, hit = c.find(line)
	c.line[way], c.used[way] = line+1, c.tick
	c.recent[c.turn] = way
	c.turn = (c.turn + 1) % len(c.recent)
	return way, hit
}

// find is the way of a line in its set, or the way that it should take: the least recently used
// one.
func (c *cache) find(line uint32) (way int, hit bool) {
	first := c.set(line) * c.ways
	for i, l := range c.line[first : first+c.ways] {
		if l == line+1 {
			return first + i, true
		}
	}
	victim := first
	for i := first + 1; i < first+c.ways; i++ {
		if c.used[i] < c.used[victim] {
			victim = i
		}
	}
	return victim, false
}

// set hashes the line number: neighbours spread evenly, and surfaces whose sizes are
// powers of two do not all start in one set.
func (c *cache) set(line uint32) int {
	const golden = 0x9E3779B1 // 2^32 over the golden ratio
	return int(uint64(line*golden) * uint64(c.sets) >> 32)
}
