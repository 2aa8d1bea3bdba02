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

// first is the way of the most recently used line of the set that a line belongs to, and whether that is
// the line.
func (c *cache) first(line uint32) (way int, hit bool) {
	way = c.set(line) * c.ways
	return way, c.line[way] == line+1
}

// find looks for a line behind the first of its set and makes it the first. Where it was not
// present it takes the place of the least recently used, and the caller must say in
// ready[first] when it arrives.
func (c *cache) find(first int, line uint32) (hit bool) {
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

// set hashes the line number: neighbours spread evenly, and surfaces whose sizes are
// powers of two do not all start in one set.
func (c *cache) set(line uint32) int {
	const golden = 0x9E3779B1 // 2^32 over the golden ratio
	return int(uint64(line*golden) * uint64(c.sets) >> 32)
}
