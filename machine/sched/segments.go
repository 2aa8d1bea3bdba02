package sched

import (
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// segment is a part of a value's live range within a run, over which the value keeps its register
// channel. Time is in ticks. Each group, fetch and write has two: it reads in the even tick and
// writes in the odd one. A result may thus take the register of an operand that ends in the same
// group. Runs follow each other in program order, with a gap.
type segment struct {
	val        mir.Val
	start, end int32
	place      segmentPlace
	temp       int8 // clause temporary, if place is inTemp
}

type segmentPlace uint8

const (
	inRegister segmentPlace = iota
	inTemp                  // a temporary of the clause
	nowhere                 // read through PV and PS only
)

// runGap is the number of empty ticks between two runs.
const runGap = 2

// segments finds the segments of all values by walking each run backwards. A value that is live
// through several runs has a segment in each, from end to end.
type segments struct {
	s     *scheduler
	list  []segment
	runs  []int         // by run: the end of its segments in list
	open  []openSegment // by Val
	vals  []mir.Val     // open values
	local []int32       // segments within the clause being walked
	clock int32
}

// openSegment is a segment whose reads have been visited, but not its definition.
type openSegment struct {
	run     int32 // the run it is open in, 0 if it is closed
	end     int32
	clause  *aluClause // the clause of all its reads, or nil
	forward bool       // all reads are forwarded
}

// findSegments computes all segments and assigns clause temporaries to those within one clause.
func findSegments(s *scheduler) []segment {
	g := &s.room.segments
	*g = segments{s: s, open: container.Zeros(g.open, s.code.Vals()), list: g.list[:0], runs: g.runs[:0], vals: g.vals[:0],
		local: g.local[:0]}
	for i, r := range s.done {
		g.processRun(int32(i+1), r)
		g.runs = append(g.runs, len(g.list))
	}
	return g.list
}

// ticks assigns ticks to the nodes of a run, from start on, and returns its end.
func ticks(nodes []part, start int32) int32 {
	for _, n := range nodes {
		switch n := n.(type) {
		case *aluClause:
			n.first = start
			start += 2 * int32(len(n.Groups))
		case *fetchClause:
			n.first = start
			start += 2 * int32(len(n.Fetches))
		case *write:
			n.at = start
			start += 2
		case *output:
			n.at = start
			start += 2
		}
	}
	return start
}

func (g *segments) processRun(id int32, r runNodes) {
	start := g.clock
	end := ticks(r.nodes, start)
	g.clock = end + runGap
	g.vals = g.vals[:0]
	for n := range r.run.out.All() {
		g.recordRead(id, g.s.live.values[n], end, nil, false)
	}
	for i := len(r.nodes) - 1; i >= 0; i-- {
		switch n := r.nodes[i].(type) {
		case *aluClause:
			g.local = g.local[:0]
			for k := len(n.Groups) - 1; k >= 0; k-- {
				g.group(id, n, n.Groups[k], n.first+2*int32(k))
			}
			g.temps()
		case *fetchClause:
			for k := len(n.Fetches) - 1; k >= 0; k-- {
				g.processItem(id, n.Fetches[k], n.first+2*int32(k))
			}
		case *write:
			g.processItem(id, n.Item, n.at)
		case *output:
			g.processItem(id, n.Item, n.at)
		}
	}
	for _, v := range g.vals {
		if o := &g.open[v]; o.run == id {
			g.list = append(g.list, segment{val: v, start: start, end: o.end})
			o.run = 0
		}
	}
}

// processItem processes a fetch, write or export. These access only registers, never forwarded values or
// clause temporaries.
func (g *segments) processItem(id int32, it mir.Item, tick int32) {
	mir.EachDef(it, func(v mir.Val) { g.define(id, v, tick+1, nil, true) })
	mir.EachUse(it, func(v mir.Val) { g.recordRead(id, v, tick, nil, false) })
}

// group processes a group. Definitions come first, because the walk is backwards and a group reads
// before it writes.
func (g *segments) group(id int32, c *aluClause, grp *bundle, tick int32) {
	for s := range grp.Slots {
		pd := &grp.Slots[s]
		pd.segment = -1
		if pd.Unit != nil && pd.Dst != 0 {
			pd.segment = g.define(id, pd.Dst, tick+1, c, pd.Unit.Slots[0].Op.ThreeSource())
		}
	}
	for s := range grp.Slots {
		pd := &grp.Slots[s]
		if pd.Unit == nil {
			continue
		}
		slot := &pd.Unit.Slots[pd.Lane]
		for j := range slot.Op.Sources() {
			if a := &slot.Args[j]; a.Kind == mir.ValArg {
				g.recordRead(id, a.Val, tick, c, pd.Forward[j].Kind != 0)
			}
		}
	}
}

// recordRead records a read of v by a group of clause c (nil: outside of clauses).
func (g *segments) recordRead(id int32, v mir.Val, tick int32, c *aluClause, forward bool) {
	o := &g.open[v]
	if o.run != id {
		*o = openSegment{run: id, end: tick, clause: c, forward: forward}
		g.vals = append(g.vals, v)
		return
	}
	if o.clause != c {
		o.clause = nil
	}
	o.forward = o.forward && forward
}

// define closes the segment of v at its definition. If all reads are forwarded, or there are none,
// the value needs no register. Operations of three sources are the exception: they have no bit to
// suppress the write, so such a result takes a register for one tick.
func (g *segments) define(id int32, v mir.Val, tick int32, c *aluClause, must bool) int32 {
	o := &g.open[v]
	seg := segment{val: v, start: tick, end: tick}
	read := o.run == id
	local := c != nil
	switch {
	case read && o.forward || !read:
		if !must {
			seg.place = nowhere
		}
	default:
		seg.end = o.end
		local = local && o.clause == c
	}
	o.run = 0
	g.list = append(g.list, seg)
	n := int32(len(g.list) - 1)
	if local && seg.place == inRegister {
		g.local = append(g.local, n)
	}
	return n
}

// temps assigns clause temporaries, which cost no registers, to segments within one clause. It
// scans them in order of starts. If all temporaries are taken, it keeps the segments that end
// first, as linear scan does (Poletto and Sarkar, Linear Scan Register Allocation, TOPLAS 1999).
func (g *segments) temps() {
	var held [4][]int32 // by channel: segments in temporaries
	for i := len(g.local) - 1; i >= 0; i-- {
		n := g.local[i]
		seg := &g.list[n]
		ch := g.s.pack.chans[seg.val]
		var used uint64
		keep := held[ch][:0]
		last := int32(-1)
		for _, h := range held[ch] {
			if other := &g.list[h]; other.end >= seg.start {
				keep = append(keep, h)
				used |= 1 << other.temp
				if last < 0 || other.end > g.list[last].end {
					last = h
				}
			}
		}
		held[ch] = keep
		if len(keep) == g.s.t.ClauseTemps {
			if last < 0 || g.list[last].end <= seg.end {
				continue
			}
			out := &g.list[last]
			out.place = inRegister
			seg.place, seg.temp = inTemp, out.temp
			for k, h := range keep {
				if h == last {
					keep[k] = n
				}
			}
			continue
		}
		for used&(1<<seg.temp) != 0 {
			seg.temp++
		}
		seg.place = inTemp
		held[ch] = append(keep, n)
	}
}
