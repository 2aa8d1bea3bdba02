package sched

import (
	"sync"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// Options change how code is scheduled. The zero value is the model.
// The defaults of the numbers are chosen.
type Options struct {
	// NoPorts ignores the read ports of registers and constants, to show what they cost.
	NoPorts bool
	// Hoist is how many registers of fetched data may gather before a fetch is held back
	// behind the uses that the program has before it; 0 is 8, a clause of R600.
	Hoist int
	// Ahead is how many registers of fetched data may wait before arithmetic that is ready
	// runs ahead of further fetches; 0 is 16.
	Ahead int
	// Window is how many ready operations are tried for a group; 0 is 32.
	Window int
	// Registers is how far scheduling may raise the registers a run needs beyond what it
	// needs in program order, before it keeps to that order; 0 is 16 in all.
	Registers int
	// Budget pays for it, an operation being a step; without one it has no bounds.
	Budget *budget.Budget
}

func (o *Options) fill() {
	for _, f := range []struct {
		at *int
		n  int
	}{{&o.Hoist, 8}, {&o.Ahead, 16}, {&o.Window, 32}, {&o.Registers, 16}} {
		if *f.at == 0 {
			*f.at = f.n
		}
	}
}

// Scheduled is a program packed into groups and clauses, with registers.
type Scheduled struct {
	Code    *mir.Code
	Target  *chip.Target
	parts   []part
	Program *r600.Program
	Stats   Stats
}

// Schedule packs code for t, allocates registers and writes out the program. It completes
// the code: values it must tie are tied, and results that must be written get a value.
//
// Where a thread needs more registers than [chip.Target.Usable], [Stats.Excess] says by how
// many; nothing is spilled.
func Schedule(c *mir.Code, t *chip.Target, o Options) (*Scheduled, error) {
	o.fill()
	s, err := schedule(c, t, o)
	if err != nil || !o.NoPorts {
		return s, err
	}
	// What obeys the ports needs no fewer groups than are possible without: list
	// scheduling by itself does not always find that.
	// The ports only restrict; a schedule that obeys them is also one without. If list scheduling
	// without them came out worse by chance, the other one counts.
	o.NoPorts = false
	with, err := schedule(c, t, o)
	if err != nil || with.Stats.Groups < s.Stats.Groups {
		return with, err
	}
	return s, nil
}

func schedule(c *mir.Code, t *chip.Target, o Options) (*Scheduled, error) {
	if err := c.Complete(t); err != nil {
		return nil, err
	}
	f := cut(c.Body)
	room := idle.Get().(*room)
	room.live.solve(c, f)
	room.graphs.begin(c, t, &room.live)
	room.pack.start(c, t, !o.NoPorts)
	s := &scheduler{code: c, t: t, o: &o, live: &room.live, room: room, pack: &room.pack}
	nodes, err := s.flow(f)
	if err != nil {
		return nil, err
	}
	out := &Scheduled{Code: c, Target: t, parts: nodes}
	a, err := allocate(out, s)
	if err != nil {
		return nil, err
	}
	out.Program = a.program()
	out.Stats = out.count(a)
	idle.Put(room)
	return out, nil
}

// room is memory that is reused from program to program: scheduling runs thousands of times in a
// search, and garbage would be much of its cost.
type room struct {
	live     liveness
	graphs   grapher
	pack     packer
	run      runner // its lists
	segments segments
	webs     webs
	file     file
	moments  [4][]int32
	temps    []tempUse
}

// idle are rooms that nobody uses. One in which scheduling ended half way is not among them.
var idle = sync.Pool{New: func() any { return new(room) }}

// scheduler schedules the runs of a program in order. Values keep their channels from run to run.
type scheduler struct {
	code *mir.Code
	t    *chip.Target
	o    *Options
	live *liveness
	room *room
	pack *packer
	done []runNodes // the runs scheduled, in program order
}

// runNodes is a run and what became of it.
type runNodes struct {
	run   *run
	nodes []part
}

// flow schedules f.
func (s *scheduler) flow(f flow) ([]part, error) {
	var nodes []part
	for _, st := range f {
		run, err := s.run(st.run)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, run...)
		switch it := st.ends.(type) {
		case *mir.If:
			b := &branch{Item: it}
			if b.Then, err = s.flow(st.then); err != nil {
				return nil, err
			}
			if b.Else, err = s.flow(st.body); err != nil {
				return nil, err
			}
			nodes = append(nodes, b)
		case *mir.Loop:
			body, err := s.flow(st.body)
			if err != nil {
				return nil, err
			}
			nodes = append(nodes, &repeat{Item: it, Body: body})
		case *mir.Break:
			nodes = append(nodes, &leave{Item: it, Cond: it.Cond})
		case *mir.Continue:
			nodes = append(nodes, &leave{Item: it, Cond: it.Cond, Continue: true})
		}
	}
	return nodes, nil
}
