package draw

import "slices"

// group is a group that is being filled, as in Mesa's compiler (sfn_instr_alugroup.cpp and
// sfn_alu_readport_validation.cpp). It assigns the read cycles of an operation's operands when it
// takes the operation, and does not revise them.
type group struct {
	*groupScheduler
	slots uint8 // taken slots
	taken [6]int32
	count int // length of taken
	ports ports
}

// takeReady removes up to most ready operations that fit from their list.
func (g *group) takeReady(p place, most int, fits func(*group, int32) bool) {
	list, left := g.ready[p], 0
	for k, i := range list {
		if most == 0 {
			left += copy(list[left:], list[k:])
			break
		}
		if fits(g, i) {
			g.taken[g.count] = i
			g.count++
			most--
		} else {
			list[left] = i
			left++
		}
	}
	g.ready[p] = list[:left]
}

// ports holds the operands that a group reads: in each of three cycles one value of each lane, and
// constants.
type ports struct {
	values             [3][4]int32 // plus one
	pairs              [groupPairs]int32
	words              [groupWords]uint32
	numPairs, numWords int
}

// Cycles in which the first, second and third operand are read, by the kind of slot.
var (
	laneCycles = [][3]uint8{{0, 1, 2}, {0, 2, 1}, {1, 2, 0}, {1, 0, 2}, {2, 0, 1}, {2, 1, 0}}
	lastCycles = [][3]uint8{{2, 1, 0}, {1, 2, 2}, {2, 1, 2}, {2, 2, 1}}
)

// addPort adds x to a list of length n and fixed capacity, and reports whether it fits.
func addPort[T comparable](list []T, n *int, x T) bool {
	if slices.Contains(list[:*n], x) {
		return true
	}
	if *n == len(list) {
		return false
	}
	list[*n] = x
	*n++
	return true
}

// constants adds the constants and literals among operands. It also counts them, including inline
// literals.
func (p *ports) constants(list []operand) (n uint8, ok bool) {
	ok = true
	for _, x := range list {
		switch {
		case x.pair >= 0:
			ok = addPort(p.pairs[:], &p.numPairs, x.pair) && ok
		case x.literal && !short(x.word):
			ok = addPort(p.words[:], &p.numWords, x.word) && ok
		case !x.literal:
			continue
		}
		n++
	}
	return n, ok
}

// assignReads assigns operands to the given cycles, none before first.
func (p *ports) assignReads(values []value, list []operand, cycles [3]uint8, first uint8, twice bool) bool {
	for k, x := range list {
		if x.value < 0 || k == 1 && twice && x == list[0] {
			continue
		}
		c := cycles[min(k, 2)]
		at := &p.values[c][values[x.value].lane]
		if c < first || *at != 0 && *at != x.value+1 {
			return false
		}
		*at = x.value + 1
	}
	return true
}

// reads adds the operands of an operation if some read order fits.
func (g *group) reads(list []operand, cycles [][3]uint8) bool {
	p := g.ports
	n, ok := p.constants(list)
	if last := len(cycles) == len(lastCycles); !last {
		n = 0
	} else if n > groupPairs {
		return false
	}
	if !ok {
		return false
	}
	for _, c := range cycles {
		if next := p; next.assignReads(g.values, list, c, n, len(cycles) == len(laneCycles)) {
			g.ports = next
			return true
		}
	}
	return false
}

// takeWide takes an operation that needs several slots, the first in the group.
func (g *group) takeWide(i int32) bool {
	o := &g.ops[i]
	for k := 0; k+1 < len(o.sources); k += 2 {
		g.reads(o.sources[k:k+2], laneCycles)
	}
	g.slots |= o.lanes
	return true
}

// vector takes an operation for one of four slots: its own, or the first one that it can move to.
func (g *group) vector(i int32) bool {
	o := &g.ops[i]
	lane := int8(0)
	if o.value >= 0 {
		v := &g.values[o.value]
		if lane = v.lane; g.slots>>lane&1 != 0 {
			if v.hold&inLane != 0 {
				return false
			}
			for lane = 0; lane < 4 && (g.slots>>lane&1 != 0 || g.others(v)>>lane&1 != 0); lane++ {
			}
			if lane == 4 {
				return false
			}
			g.move(v, lane)
		}
	} else if g.slots&1 != 0 {
		return false
	}
	if !g.reads(o.sources, laneCycles) {
		return false
	}
	g.slots |= 1 << lane
	if o.value >= 0 {
		g.values[o.value].hold |= inLane
	}
	return true
}

// takeLast takes an operation for the last slot. An operation that other slots could execute qualifies
// only if its own slot is taken, or if it can move to a taken one.
func (g *group) takeLast(i int32) bool {
	o := &g.ops[i]
	if o.place == anySlot {
		if o.value < 0 {
			if g.slots&1 == 0 {
				return false
			}
		} else if v := &g.values[o.value]; g.slots>>v.lane&1 == 0 {
			if v.hold != loose {
				return false
			}
			lane := int8(3)
			for ; lane >= 0 && g.slots>>lane&1 == 0; lane-- {
			}
			if lane < 0 {
				return false
			}
			v.lane = lane
		}
	}
	if g.slots&lastSlot != 0 || !g.reads(o.sources, lastCycles) {
		return false
	}
	g.slots |= lastSlot
	return true
}

// others returns the lanes that other values of a value's register have.
func (g *group) others(v *value) uint8 {
	if v.gather < 0 {
		return 0
	}
	return g.gathers[v.gather].lanes
}

// move changes the lane of a value.
func (g *group) move(v *value, lane int8) {
	if v.gather >= 0 {
		lanes := &g.gathers[v.gather].lanes
		*lanes = *lanes&^(1<<v.lane) | 1<<lane
	}
	v.lane = lane
}
