package sched

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// runner schedules one run by list scheduling, phase by phase. A phase has fetch clauses, then the
// arithmetic that is due, then later arithmetic in free slots. Above a limit of live values the
// runner keeps to program order, whose register need is known.
type runner struct {
	*scheduler
	g     *graph
	nodes []part
	left  int   // remaining nodes, without the condition
	cond  int32 // the condition's node, or -1
	phase int32

	// urgent holds ready arithmetic that is due in this phase.
	urgent queue
	// later holds ready arithmetic that is due later, which fills free slots.
	later   container.Heap
	fetches container.Heap // by phase, then in program order
	writes  container.Heap // in program order
	// users counts the urgent nodes that use data fetched in this phase.
	users int

	// live counts live values, in channels; limit is four for each register.
	live    int
	limit   int // the live values above which the runner keeps to program order
	fetched int // fetched values that still have uses

	moved mir.Val // values from here on were created by the runner

	placed []int32 // nodes of the open group
	stash  []int32
}

// scheduleRun schedules r into clauses. Each step of the loop makes one clause. Fetches come first, if
// their phase has begun and not too much fetched data is waiting. Urgent arithmetic comes next,
// then writes and exports, on which nothing depends. If nothing is ready, the next phase begins.
func (s *scheduler) scheduleRun(r *run) ([]part, error) {
	x := &s.room.run
	*x = runner{scheduler: s, g: s.room.graphs.build(r), cond: -1, moved: mir.Val(s.code.Vals()),
		urgent: x.urgent, later: x.later[:0], fetches: x.fetches[:0], writes: x.writes[:0],
		placed: x.placed[:0], stash: x.stash[:0]}
	x.urgent.begin(x.g)
	x.left = len(x.g.nodes)
	if r.cond != nil {
		x.left--
		x.cond = int32(x.left)
	}
	x.live = r.in.Len()
	x.limit = max(4*registerTarget, x.g.pressure(x.live))
	// All nodes without predecessors are ready.
	for i := range x.g.nodes {
		if x.g.nodes[i].wait == 0 {
			x.enter(int32(i))
		}
	}
	for x.left > 0 {
		if err := s.o.Budget.SpendSteps(1); err != nil {
			return nil, err
		}
		fetch := len(x.fetches) > 0 && x.g.nodes[x.fetches.First()].phase <= x.phase
		switch {
		case fetch && (x.fetched < 4*ahead || x.users == 0):
			x.fetch()
		case x.urgent.len() > 0:
			if err := x.arithmetic(); err != nil {
				return nil, err
			}
		case fetch:
			x.fetch()
		case len(x.writes) > 0:
			x.write()
		default:
			if x.phase > x.g.phases {
				return nil, fmt.Errorf("machine: %s: dependences form a cycle", s.code.Name)
			}
			x.nextPhase()
		}
	}
	// The condition of a branch ends the last clause.
	if err := x.condition(); err != nil {
		return nil, err
	}
	if r.cond != nil {
		x.pack.clause.open.Cond = r.cond
	}
	x.closeALU()
	s.done = append(s.done, runNodes{r, x.nodes})
	return x.nodes, nil
}

// enter queues a node that has become ready.
func (x *runner) enter(i int32) {
	nd := &x.g.nodes[i]
	switch nd.item.(type) {
	case *mir.ALU:
		switch {
		case i == x.cond:
		case nd.due <= x.phase:
			x.urgent.makeReady(i)
			if nd.phase == x.phase && x.phase > 0 {
				x.users++
			}
		default:
			x.later.Push(int64(nd.due)<<32-int64(nd.high), i)
		}
	case *mir.Fetch:
		x.fetches.Push(int64(nd.phase)<<32|int64(i), i)
	default:
		x.writes.Push(int64(i), i)
	}
}

// nextPhase admits the fetches of the next phase and the arithmetic due in it.
func (x *runner) nextPhase() {
	x.phase++
	x.users = 0
	for len(x.later) > 0 && x.g.nodes[x.later.First()].due <= x.phase {
		x.enter(x.later.Pop())
	}
}

// release updates the successors of node i after it is done. It is called twice. With together, i
// has been placed, and successors that may share its group are released. Without, its group or
// clause is complete.
func (x *runner) release(i int32, together bool) {
	for e := x.g.nodes[i].succ; e >= 0; e = x.g.edges[e].next {
		if ed := &x.g.edges[e]; ed.together == together {
			to := &x.g.nodes[ed.to]
			to.wait--
			if to.wait == 0 {
				x.enter(ed.to)
			}
		}
	}
}

// account updates the count of live values for node i: its reads may end live ranges, and its
// definitions begin them.
func (x *runner) account(i int32) {
	nd := &x.g.nodes[i]
	for k, l := range nd.lives {
		lf := &x.g.lives[l]
		switch {
		case int32(k) < nd.reads:
			lf.left--
			if lf.left == 0 && !lf.out {
				x.alive(lf, -1)
			}
		case lf.left > 0 || lf.out:
			x.alive(lf, 1)
		}
	}
	x.left--
}

func (x *runner) alive(lf *liveRange, by int) {
	x.live += by
	if ch := x.pack.chans[lf.val]; ch >= 0 {
		x.pack.load[ch] += int32(by)
	}
	if lf.data {
		x.fetched += by
	}
}

// arithmetic packs groups until no urgent nodes are left.
func (x *runner) arithmetic() error {
	for x.urgent.len() > 0 {
		x.openALU()
		if err := x.packGroup(); err != nil {
			return err
		}
	}
	return nil
}

// openALU ensures that a clause with room for a group is open.
func (x *runner) openALU() {
	p := x.pack
	if p.clause.open != nil && !p.hasRoom() {
		x.closeALU()
	}
	if p.clause.open == nil {
		p.begin()
	}
}

func (x *runner) closeALU() {
	if c := x.pack.close(); c != nil {
		x.nodes = append(x.nodes, c)
	}
}

// packGroup packs one group. It takes urgent operations in order of paths or, under pressure, in program
// order. Then it takes later ones if registers allow, the load of an address that a candidate
// needs, and the condition if everything else is done. If nothing fits an empty group at the start
// of a clause, the first candidate is split.
func (x *runner) packGroup() error {
	p := x.pack
	x.placed = x.placed[:0]
	var address mir.Val // the address that a relative operand needs
	inOrder := x.live > x.limit
	x.fillFrom(func() int32 { return x.urgent.take(inOrder) }, x.urgent.makeReady, &address)
	if p.g.used < r600.NumSlots && x.live < x.limit {
		x.fillFrom(func() int32 {
			if len(x.later) == 0 {
				return -1
			}
			return x.later.Pop()
		}, x.enter, &address)
	}
	if address != 0 && p.g.rel == 0 && (p.g.used > 0 || p.clause.address == 0) {
		p.addUnit(&mir.ALU{Slots: []mir.Slot{{Op: r600.OpMovaInt, Args: [3]mir.Arg{mir.V(address)}}}})
	}
	if x.left == 0 && x.cond >= 0 && x.g.nodes[x.cond].wait == 0 && p.addUnit(x.g.nodes[x.cond].unit) {
		x.cond = -1
	}
	if p.g.used > 0 {
		x.endGroup()
	} else if p.clause.work {
		x.closeALU() // the constants of the remaining candidates need other locks
	} else if err := x.relieveFirst(); err != nil {
		return err
	}
	for _, i := range x.placed {
		x.release(i, false)
	}
	return nil
}

// relieveFirst packs the first urgent node, which fits no group.
func (x *runner) relieveFirst() error {
	i := x.urgent.take(false)
	if x.g.nodes[i].phase == x.phase && x.phase > 0 {
		x.users--
	}
	if err := x.relieve(x.g.nodes[i].unit); err != nil {
		return err
	}
	x.account(i)
	x.release(i, true)
	x.placed = append(x.placed, i)
	return nil
}

// fillFrom offers up to window candidates to the open group and puts back those that did
// not fit. Releasing a placed node may add candidates that share the group.
func (x *runner) fillFrom(take func() int32, put func(int32), address *mir.Val) {
	p := x.pack
	x.stash = x.stash[:0]
	for len(x.stash) < window && p.g.used < r600.NumSlots {
		i := take()
		if i < 0 {
			break
		}
		nd := &x.g.nodes[i]
		if !p.addUnit(nd.unit) {
			x.stash = append(x.stash, i)
			if v := addressOf(nd.unit); v != 0 && v != p.clause.address && *address == 0 {
				*address = v
			}
			continue
		}
		if nd.phase == x.phase && x.phase > 0 && nd.due <= x.phase {
			x.users--
		}
		p.clause.work = true
		x.account(i)
		x.placed = append(x.placed, i)
		x.release(i, true)
	}
	for _, i := range x.stash {
		put(i)
	}
}

// addressOf returns the value that a unit's relative operand needs in the address register, or 0.
func addressOf(u *mir.ALU) mir.Val {
	for i := range u.Slots {
		for j := range u.Slots[i].Args {
			if v := u.Slots[i].Args[j].Rel; v != 0 {
				return v
			}
		}
	}
	return 0
}

// condition packs the unit that computes the run's predicate, if no group had room for it.
func (x *runner) condition() error {
	if x.cond < 0 {
		return nil
	}
	x.openALU()
	u := x.g.nodes[x.cond].unit
	if addressOf(u) == 0 && x.pack.addUnit(u) {
		x.endGroup()
		return nil
	}
	return x.relieve(u)
}

// fetch packs one fetch clause, of texture or of vertex fetches, up to the maximum length. A fetch
// stays together with its setup.
func (x *runner) fetch() {
	x.closeALU()
	c := &fetchClause{}
	var taken []int32
	for room := x.t.FetchClause; len(x.fetches) > 0; {
		i := x.fetches.First()
		f := x.g.nodes[i].item.(*mir.Fetch)
		n := 1 + len(f.Setup)
		if x.g.nodes[i].phase > x.phase || n > room && len(taken) > 0 || len(taken) > 0 && f.Op.Vertex() != c.Vertex {
			break
		}
		x.fetches.Pop()
		room -= n
		c.Vertex = f.Op.Vertex()
		c.Fetches = append(c.Fetches, f)
		taken = append(taken, i)
		x.pack.fetch(f)
		x.account(i)
	}
	x.nodes = append(x.nodes, c)
	for _, i := range taken {
		x.release(i, true)
		x.release(i, false)
	}
}

// write emits the writes and exports that are ready.
func (x *runner) write() {
	x.closeALU()
	for len(x.writes) > 0 {
		i := x.writes.Pop()
		switch it := x.g.nodes[i].item.(type) {
		case *mir.Memory:
			x.nodes = append(x.nodes, &write{Item: it})
		case *mir.Export:
			x.nodes = append(x.nodes, &output{Item: it})
		}
		mir.EachUse(x.g.nodes[i].item, func(v mir.Val) { x.pack.settle(v, x.pack.channel(v)) })
		x.account(i)
		x.release(i, true)
		x.release(i, false)
	}
}

// pressure returns the maximum number of live values if the run executes in program order.
func (g *graph) pressure(live int) int {
	left := g.left[:0]
	for i := range g.lives {
		left = append(left, g.lives[i].left)
	}
	g.left = left
	most := live
	for i := range g.nodes {
		nd := &g.nodes[i]
		for _, l := range nd.lives[:nd.reads] {
			left[l]--
			if left[l] == 0 && !g.lives[l].out {
				live--
			}
		}
		for _, l := range nd.lives[nd.reads:] {
			if left[l] > 0 || g.lives[l].out {
				live++
			}
		}
		most = max(most, live)
	}
	return most
}
