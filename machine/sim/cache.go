package sim

// cache is a set-associative cache of lines with least-recently-used replacement. It holds no data,
// only the arrival times of lines. An outstanding line counts as present, so that requests for it
// are merged with the one that missed.
type cache struct {
	ways, sets int
	// line and ready are indexed by way. The ways of a set are consecutive, the most recently used
	// first. line is the line number plus one (0 is empty), and ready the arrival time of its data
	// in cycles. Neighbouring quads touch the same lines, which are found at once.
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

// first returns the way of the most recently used line of the set of a line, and reports whether it
// holds that line.
func (c *cache) first(line uint32) (way int, hit bool) {
	way = c.setIndex(line) * c.ways
	return way, c.line[way] == line+1
}

// lookup searches the other ways of the set for a line and makes it the most recently used. If it was
// absent, it replaces the least recently used, and the caller must set ready[first] to its arrival.
func (c *cache) lookup(first int, line uint32) (hit bool) {
	lines, readies := c.line[first:first+c.ways], c.ready[first:first+c.ways]
	moved, ready := lines[0], readies[0]
	for at := 1; at < len(lines); at++ {
		moved, lines[at] = lines[at], moved
		ready, readies[at] = readies[at], ready
		if moved == line+1 {
			hit = true
			break
		}
	}
	lines[0], readies[0] = line+1, ready
	return hit
}

// setIndex hashes the line number. Neighbours spread evenly, and surfaces whose sizes are powers of two
// do not all start in one set.
func (c *cache) setIndex(line uint32) int {
	const golden = 0x9E3779B1 // 2^32 over the golden ratio
	return int(uint64(line*golden) * uint64(c.sets) >> 32)
}
