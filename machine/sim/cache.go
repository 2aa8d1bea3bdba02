package sim

// cache is a set-associative cache of lines with least-recently-used replacement. It
// holds no data, only when the data of a line arrives: a line that is on its way counts
// as present, so that requests for it are merged with the one that missed.
type cache struct {
	ways, sets int
	// line and ready are by way, sets one after the other and the ways of each in the order of
	// their use, the last one first: the line in it, plus one (0 is empty), and when its data
	// arrives (in cycles). Neighbouring quads touch the same lines, which are found at once.
	line  []uint32
	ready []float64
}

func newCache(size, line, ways int) *cache {
	lines := max(1, size/line)
	ways = min(ways, lines)
	sets := max(1, lines/ways)
	n := sets * ways
	return &cache{
		ways: ways, sets: sets,
		line: make([]uint32, n), ready: make([]float64, n),
	}
}

// look finds a line and makes it the most recently used of its set. Where it was not
// present it takes the place of the least recently used, and the caller must say in
// ready[way] when it arrives. The way is good until the next line is looked for.
func (c *cache) look(line uint32) (way int, hit bool) {
	first := c.set(line) * c.ways
	if c.line[first] == line+1 {
		return first, true
	}
	at := first + 1
	for last := first + c.ways; at < last; at++ {
		if c.line[at] == line+1 {
			hit = true
			break
		}
	}
	if !hit {
		at--
	}
	ready := c.ready[at]
	copy(c.line[first+1:at+1], c.line[first:at])
	copy(c.ready[first+1:at+1], c.ready[first:at])
	c.line[first], c.ready[first] = line+1, ready
	return first, hit
}

// set hashes the line number: neighbours spread evenly, and surfaces whose sizes are
// powers of two do not all start in one set.
func (c *cache) set(line uint32) int {
	const golden = 0x9E3779B1 // 2^32 over the golden ratio
	return int(uint64(line*golden) * uint64(c.sets) >> 32)
}
