package sched

import (
	"sync"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// Options change how code is scheduled.
type Options struct {
	// NoPorts ignores the read ports of registers and constants, to show their cost.
	NoPorts bool
	// Budget limits the work, with one step for an operation; nil means no limit.
	Budget *budget.Budget
}

// Limits of the model of the scheduler; their numbers are assumed.
const (
	// hoist is the number of registers of fetched data that may accumulate: a clause of R600. Above it a fetch
	// waits for the uses that precede it in the program.
	hoist = 8
	// ahead is the number of registers of fetched data that may wait before ready arithmetic runs ahead of
	// further fetches.
	ahead = 16
	// window is the number of ready operations that are tried for a group.
	window = 32
	// registerTarget bounds the registers of a run, unless program order needs more. Above it scheduling keeps
	// to program order.
	registerTarget = 16
)

// Scheduled is a program packed into groups and clauses, with registers. It does not keep the code that it was
// made from, which takes more memory than the program.
type Scheduled struct {
	Inputs  []mir.Input
	Target  *chip.Target
	Program *r600.Program
	Stats   Stats
}

// Preloads returns the inputs of s in the form that launches take.
func (s *Scheduled) Preloads() []chip.Preload {
	list := make([]chip.Preload, len(s.Inputs))
	for i, in := range s.Inputs {
		list[i] = in.Preload
	}
	return list
}

// Schedule packs code for t, allocates registers and writes out the program. It completes the code
// first: values that must share registers are tied, and results that must be written get a value.
//
// If a thread needs more registers than [chip.Target.Usable], [Stats.Excess] counts the excess. No
// value is spilled.
func Schedule(c *mir.Code, t *chip.Target, o Options) (*Scheduled, error) {
	s, err := newSchedule(c, t, o)
	if err != nil {
		return nil, err
	}
	out := s.Scheduled // a copy, so that the rest is freed
	return &out, nil
}

// schedule is a scheduled program with its code and its parts.
type schedule struct {
	Scheduled
	code  *mir.Code
	parts []part
}

// newSchedule works like [Schedule].
func newSchedule(c *mir.Code, t *chip.Target, o Options) (*schedule, error) {
	s, err := scheduleOnce(c, t, o)
	if err != nil || !o.NoPorts {
		return s, err
	}
	// The ports only restrict, so a schedule that obeys them is also valid without them. List
	// scheduling without them can be worse by chance; then the other schedule counts.
	o.NoPorts = false
	with, err := scheduleOnce(c, t, o)
	if err != nil || with.Stats.Groups < s.Stats.Groups {
		return with, err
	}
	return s, nil
}

func scheduleOnce(c *mir.Code, t *chip.Target, o Options) (*schedule, error) {
	if err := c.Complete(t); err != nil {
		return nil, err
	}
	f := flowOf(c.Body)
	room := idle.Get().(*room)
	room.live.solve(c, f)
	room.graphs.begin(c, t, &room.live)
	room.pack.start(c, t, !o.NoPorts)
	s := &scheduler{code: c, t: t, o: &o, live: &room.live, room: room, pack: &room.pack}
	nodes, err := s.scheduleFlow(f)
	if err != nil {
		return nil, err
	}
	out := &schedule{Scheduled: Scheduled{Inputs: c.Inputs, Target: t}, code: c, parts: nodes}
	a, err := allocate(out, s)
	if err != nil {
		return nil, err
	}
	out.Program = a.program()
	out.Stats = out.count(a)
	idle.Put(room)
	return out, nil
}

// room is memory that is reused from program to program. A search schedules thousands of times, and
// garbage collection would be much of its cost.
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

// idle is a pool of unused rooms. A room in which scheduling failed is not returned to it.
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

// runNodes is a run and its scheduled parts.
type runNodes struct {
	run   *run
	nodes []part
}

// scheduleFlow schedules f.
func (s *scheduler) scheduleFlow(f flow) ([]part, error) {
	var nodes []part
	for _, st := range f {
		run, err := s.scheduleRun(st.run)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, run...)
		switch it := st.ends.(type) {
		case *mir.If:
			b := &branch{Item: it}
			if b.Then, err = s.scheduleFlow(st.then); err != nil {
				return nil, err
			}
			if b.Else, err = s.scheduleFlow(st.body); err != nil {
				return nil, err
			}
			nodes = append(nodes, b)
		case *mir.Loop:
			body, err := s.scheduleFlow(st.body)
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
