package sched

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// node is an item of a run in the dependence graph. Nodes are indexed in program order; edges
// always lead from smaller to larger indices.
type node struct {
	item mir.Item
	unit *mir.ALU // item, if it is an ALU unit
	// succ is the first outgoing edge in graph.edges, or -1.
	succ int32
	// wait counts the predecessors that are not done yet.
	wait int32
	// high is the length of the longest path from here to the end of the run, the priority of list
	// scheduling.
	high  int32
	phase int32 // of a fetch: the fetches it is issued with; otherwise the last phase it needs
	due   int32 // the phase in which it is due
	lives []int32
	reads int32 // it reads lives[:reads], with repeats, and begins the rest
	rank  uint8 // of the slots it may take, see slotRank
}

// edge is a dependence of node to on the node that owns the list. The lists are linked in one
// slice, which saves an allocation for each node.
type edge struct {
	to, next int32
	// together marks a reader before a writer: both may run in one group, since all reads of a
	// group precede its writes.
	together bool
}

// liveRange is one definition of a value within a run, with its reads: the unit of register pressure.
type liveRange struct {
	val  mir.Val
	left int32 // remaining reads
	out  bool  // live after the run
	data bool  // fetched
}

// graph is the dependence graph of a run. It has read-after-write, write-after-write and
// write-after-read edges, as code is not in SSA form, and edges between accesses to memory.
type graph struct {
	nodes  []node
	edges  []edge
	lives  []liveRange
	entry  []int32 // live ranges that exist at the start
	left   []int32 // memory of pressure
	phases int32
}

// Weights of paths, in groups; assumed. A fetch weighs as much as the arithmetic that hides it, so
// that the operands of a fetch come first.
const (
	aluWeight   = 1
	fetchWeight = 32
	writeWeight = 4
)

// grapher builds the graphs of the runs of a program, each in the memory of the last. Arrays by Val
// are cleared by epoch: an entry of another epoch counts as empty.
type grapher struct {
	g     graph
	lists []int32 // memory of the nodes' lists of live ranges
	code  *mir.Code
	t     *chip.Target
	live  *liveness
	epoch int32
	vals  []valState

	reads []edge // lists of readers: to is the node
	fence int32  // last access to all spaces, or -1
	since []int32
	space map[mir.Space]*spaceState
}

// valState is the state of a value in the current run: its last writer and the readers since.
type valState struct {
	epoch   int32
	def     int32 // last writer, or -1
	readers int32 // readers since, a list in grapher.reads, or -1
	life    int32
}

// spaceState is the same for a memory.
type spaceState struct {
	write int32
	reads []int32
}

// begin resets the grapher for a program.
func (b *grapher) begin(c *mir.Code, t *chip.Target, l *liveness) {
	b.code, b.t, b.live, b.epoch = c, t, l, 0
	b.vals = container.Zeros(b.vals, c.Vals())
}

// build returns the graph of r, with heights and phases.
func (b *grapher) build(r *run) *graph {
	g := &b.g
	*g = graph{nodes: g.nodes[:0], edges: g.edges[:0], lives: g.lives[:0], entry: g.entry[:0], left: g.left}
	b.lists = b.lists[:0]
	b.epoch++
	b.reads = b.reads[:0]
	b.fence, b.since, b.space = -1, nil, nil
	n := len(r.items)
	if r.cond != nil {
		n++
	}
	g.nodes = slices.Grow(g.nodes, n)
	r.units(func(it mir.Item) {
		i := int32(len(g.nodes))
		g.nodes = append(g.nodes, node{item: it, succ: -1})
		if u, ok := it.(*mir.ALU); ok {
			g.nodes[i].unit = u
			g.nodes[i].rank = slotRank(u.Slots[0].Op.Slots(b.t.Family))
		}
		b.values(g, r, i)
		b.memory(g, i)
	})
	for i := range g.lives {
		l := &g.lives[i]
		l.out = b.vals[l.val].life == int32(i) && b.live.liveOut(r, l.val)
	}
	g.heights()
	g.assignPhases()
	return g
}

// slotRank orders operations of equal height. Those that take all slots, or only t, come first,
// since they fit the fewest groups.
func slotRank(c r600.SlotClass) uint8 {
	switch c {
	case r600.Trans, r600.Quad:
		return 0
	case r600.Pair:
		return 1
	case r600.Vector:
		return 2
	}
	return 3
}

func (g *graph) addEdge(from, to int32, together bool) {
	if from < 0 || from == to {
		return
	}
	g.edges = append(g.edges, edge{to: to, next: g.nodes[from].succ, together: together})
	g.nodes[from].succ = int32(len(g.edges) - 1)
	g.nodes[to].wait++
}

// values adds the dependences of node i through values. A read depends on the last write. A write
// depends on the last write and on all reads since; those may share its group.
func (b *grapher) values(g *graph, r *run, i int32) {
	nd := &g.nodes[i]
	mark := len(b.lists)
	mir.EachUse(nd.item, func(v mir.Val) {
		s := b.state(g, v)
		g.addEdge(s.def, i, false)
		b.reads = append(b.reads, edge{to: i, next: s.readers})
		s.readers = int32(len(b.reads) - 1)
		g.lives[s.life].left++
		b.lists = append(b.lists, s.life)
	})
	nd.reads = int32(len(b.lists) - mark)
	mir.EachDef(nd.item, func(v mir.Val) {
		s := b.state(g, v)
		g.addEdge(s.def, i, false)
		for e := s.readers; e >= 0; e = b.reads[e].next {
			g.addEdge(b.reads[e].to, i, true)
		}
		_, fetch := nd.item.(*mir.Fetch)
		g.lives = append(g.lives, liveRange{val: v, data: fetch})
		*s = valState{epoch: b.epoch, def: i, readers: -1, life: int32(len(g.lives) - 1)}
		b.lists = append(b.lists, s.life)
	})
	nd.lives = b.lists[mark:len(b.lists):len(b.lists)]
}

// state returns the state of v in this run; at first mention its live range began before the run.
func (b *grapher) state(g *graph, v mir.Val) *valState {
	s := &b.vals[v]
	if s.epoch != b.epoch {
		g.lives = append(g.lives, liveRange{val: v})
		*s = valState{epoch: b.epoch, def: -1, readers: -1, life: int32(len(g.lives) - 1)}
		g.entry = append(g.entry, s.life)
	}
	return s
}

// memory adds the dependences of node i through memory. Reads commute with reads; all other
// accesses to one space keep their order. An access to all spaces (a fence) keeps its order with
// everything.
func (b *grapher) memory(g *graph, i int32) {
	for _, a := range accesses(g.nodes[i].item) {
		b.access(g, i, a)
	}
}

func (b *grapher) access(g *graph, i int32, a mir.Access) {
	g.addEdge(b.fence, i, false)
	if a.Space == mir.AllSpace {
		for _, j := range b.since {
			g.addEdge(j, i, false)
		}
		b.fence, b.since, b.space = i, b.since[:0], nil
		return
	}
	b.since = append(b.since, i)
	if b.space == nil {
		b.space = map[mir.Space]*spaceState{}
	}
	s := b.space[a.Space]
	if s == nil {
		s = &spaceState{write: -1}
		b.space[a.Space] = s
	}
	g.addEdge(s.write, i, false)
	if !a.Write {
		s.reads = append(s.reads, i)
		return
	}
	for _, j := range s.reads {
		g.addEdge(j, i, false)
	}
	s.write, s.reads = i, s.reads[:0]
}

// exportSpace orders exports among themselves and after kills.
const exportSpace mir.Space = -2

// accesses lists the memory accesses of an item. A kill is a fence: writes before it must happen,
// and writes after it must not. Exports keep their order.
func accesses(it mir.Item) []mir.Access {
	one := func(a mir.Access) []mir.Access {
		if a.Space == mir.NoSpace {
			return nil
		}
		return []mir.Access{a}
	}
	switch it := it.(type) {
	case *mir.ALU:
		if op := it.Slots[0].Op; op.Kills() || op == r600.OpGroupBarrier {
			return one(mir.Access{Space: mir.AllSpace, Write: true})
		}
		return one(it.Mem)
	case *mir.Fetch:
		return one(it.Mem)
	case *mir.Memory:
		if it.Mem.Space == mir.NoSpace {
			return one(mir.Access{Space: mir.AllSpace, Write: true})
		}
		return one(it.Mem)
	case *mir.Export:
		return one(mir.Access{Space: exportSpace, Write: true})
	}
	return nil
}

// heights computes the longest paths backwards. An edge between operations that may share a group
// has length zero.
func (g *graph) heights() {
	for i := len(g.nodes) - 1; i >= 0; i-- {
		nd := &g.nodes[i]
		w := int32(aluWeight)
		switch nd.item.(type) {
		case *mir.Fetch:
			w = fetchWeight
		case *mir.Memory, *mir.Export:
			w = writeWeight
		}
		for e := nd.succ; e >= 0; e = g.edges[e].next {
			h := g.nodes[g.edges[e].to].high
			if !g.edges[e].together {
				h += w
			}
			nd.high = max(nd.high, h)
		}
		nd.high = max(nd.high, w)
	}
}

// assignPhases divides the run into phases. A phase is a set of fetches that are issued together,
// with the arithmetic that is due before the next set. Without phases, list scheduling would issue
// all fetches at once, since they have the longest paths. Registers would then hold all data that
// is fetched but not used. The phases therefore follow the program's own grouping. A fetch moves
// ahead of an earlier use of fetched data only while its phase has fetched fewer than hoist
// registers.
//
// The first pass computes the phase of each fetch, which follows the phases of its dependences. The
// second computes when other nodes are due: in the phase before any fetch that depends on them.
func (g *graph) assignPhases() {
	var now, lanes int32
	used := false // a use of the fetches of this phase has been seen
	for i := range g.nodes {
		nd := &g.nodes[i]
		f, fetch := nd.item.(*mir.Fetch)
		if fetch {
			n := int32(0)
			for _, v := range f.Dst {
				if v != 0 {
					n++
				}
			}
			nd.phase++ // after the phase of its dependences
			if now == 0 || nd.phase > now || used && lanes+n > int32(4*hoist) {
				now, lanes, used = max(now+1, nd.phase), 0, false
			}
			nd.phase = now
			lanes += n
		} else if now > 0 && nd.phase == now {
			used = true
		}
		nd.due = max(now, nd.phase)
		for e := nd.succ; e >= 0; e = g.edges[e].next {
			to := &g.nodes[g.edges[e].to]
			to.phase = max(to.phase, nd.phase)
		}
	}
	g.phases = now
	for i := len(g.nodes) - 1; i >= 0; i-- {
		nd := &g.nodes[i]
		if _, fetch := nd.item.(*mir.Fetch); fetch {
			nd.due = nd.phase
			continue
		}
		due := nd.due
		for e := nd.succ; e >= 0; e = g.edges[e].next {
			to := &g.nodes[g.edges[e].to]
			if _, fetch := to.item.(*mir.Fetch); fetch {
				due = min(due, to.phase-1)
			} else {
				due = min(due, to.due)
			}
		}
		nd.due = max(due, nd.phase)
	}
}
