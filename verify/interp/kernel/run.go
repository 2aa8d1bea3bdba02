package kernel

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/budget"
)

// Options say how to run a launch.
type Options struct {
	// Steps bounds the instructions executed, counted for every lane of a batch whether
	// it is active or not, and eight of them at least; 0 means DefaultSteps. Exceeding it is an error, so that
	// nothing runs for ever.
	Steps int
	// Workers is how many goroutines share the work where invocations cannot see each
	// other's stores; 0 means 1. The result does not depend on it.
	Workers int
	// Budget, if set, pays for the steps too, 64 of them as one: what it is out of ends the
	// run.
	Budget *budget.Budget
	// Unwritten, if not 0, seeds what registers other than outputs hold before anything is written
	// to them, which the language leaves open; else that is 0. The words are functions of it, of the name of
	// the register and of the lane: by its two lowest bits small numbers (1), floats between
	// 1 and 2 (2) or any words.
	Unwritten uint64

	// Scale and Offset, across and down, have the invocation at (x, y) take itself to be that
	// at (Scale*x+Offset, Scale*y+Offset), if Scale is not 0: positions and numbers of threads
	// in the whole domain are of there. Flat numbers go by the first two. Those that would be
	// beyond a domain of Within, if that is not 0, are the last ones in it.
	Scale, Offset, Within [2]int

	// Seen, if not nil, as long as [Program.Statements] says, is told which statements some
	// invocation executes. It needs a single worker.
	Seen []bool
	// Kinds, if set, collects what the kernel computes; of a single worker, too.
	Kinds *Seen
	// Trace, if set, collects what one invocation computes; of a single worker, and a program
	// of [CompileTraced].
	Trace *Trace
}

// DefaultSteps bounds a run that names no bound of its own: some tens of seconds.
const DefaultSteps = math.MaxInt32

// Lanes is the size of a batch, but for groups of more threads.
const Lanes = 64

// Outputs is how many colour outputs there are.
const Outputs = 8

// Result is what a launch computed. Words are the bits of whatever was stored.
type Result struct {
	Width, Height int
	// Out are o0 to o7, four words an element, row by row; nil if the kernel has no use
	// for the output. Elements that were discarded hold 0.
	Out         [Outputs][]uint32
	Depth, Mask []uint32 // oDepth and oMask, one word an element
	Discarded   []bool   // nil if the kernel discards nothing
	Global      []uint32 // g[], nil if the kernel has no use for it
	Views       []Memory // those the kernel declares, in order of their numbers
	Shares      []Memory // likewise, of the global data share
	Steps       int      // what the launch took, as Options count them
}

// Memory is what a view, or a part of the global data share, held in the end.
type Memory struct {
	ID    int
	Words []uint32
}

// View is what the view with a number held in the end, nil if the kernel has none such.
func (r *Result) View(id int) []uint32 {
	for _, v := range r.Views {
		if v.ID == id {
			return v.Words
		}
	}
	return nil
}

// Run launches the kernel. The error is an *asm.Diag: the case is out of range, the
// kernel runs for too long or its threads do not meet at a barrier.
// It is deterministic: the result does not depend on the number of workers, and steps are counted,
// not time.
func (p *Program) Run(c *Case, o Options) (*Result, error) {
	if d := c.check(); d != nil {
		return nil, d
	}
	if o.Steps <= 0 {
		o.Steps = DefaultSteps
	}
	g := p.grid(c)
	if g.batches > maxDomain {
		return nil, asm.Errorf(asm.Pos{}, "domain-size", "groups of %v make too many threads of a domain of %d by %d", p.group, c.Width, c.Height)
	}
	l := newLaunch(p, c)
	l.budget = o.Budget
	l.seed = o.Unwritten
	l.scale, l.offset, l.within = o.Scale, o.Offset, o.Within
	r := p.newResult(c, l)
	err := p.batches(l, &g, r, o, min(o.Workers, g.batches))
	// Errors of several workers depend on timing; one worker finds the first in order.
	if err != nil && o.Workers > 1 && !p.stores {
		err = p.batches(l, &g, r, o, 1) // which tells where it happened first
	}
	if err != nil {
		return nil, err
	}
	r.Steps = int(l.taken.Load())
	return r, nil
}

// newResult makes room for what the kernel leaves. Memory is that of the launch itself.
func (p *Program) newResult(c *Case, l *launch) *Result {
	r := &Result{Width: c.Width, Height: c.Height, Global: l.global}
	for _, o := range p.outputs {
		n := c.Width * c.Height
		switch {
		case o.reg.File == il.Output && o.comp == 0:
			r.Out[o.reg.Num] = make([]uint32, 4*n)
		case o.reg.File == il.Depth && o.comp == 0:
			r.Depth = make([]uint32, n)
		case o.reg.File == il.SampleMask && o.comp == 0:
			r.Mask = make([]uint32, n)
		}
	}
	if p.discards {
		r.Discarded = make([]bool, c.Width*c.Height)
	}
	for _, v := range p.views {
		if r.View(v.id) == nil {
			r.Views = append(r.Views, Memory{v.id, l.views[v.id].words})
		}
	}
	slices.SortFunc(r.Views, func(a, b Memory) int { return a.ID - b.ID })
	return r
}

// batches runs all batches of a launch: in order on one machine where an invocation may see what
// another stored, otherwise on as many machines as workers says, each taking the next batch when it
// is free.
func (p *Program) batches(l *launch, g *grid, r *Result, o Options, workers int) error {
	l.left.Store(int64(o.Steps))
	l.taken.Store(0)
	if workers <= 1 || p.stores || p.keepsLocal() {
		m := newMachine(p, l, g.lanes)
		m.seen, m.kinds, m.trace = o.Seen, o.Kinds, o.Trace
		for b := range g.batches {
			if err := m.runBatch(g, b, r); err != nil {
				return err
			}
		}
		l.taken.Add(int64(m.taken))
		r.Shares = m.shares()
		return nil
	}
	var next, failed atomic.Int64
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			m := newMachine(p, l, g.lanes)
			for failed.Load() == 0 {
				b := int(next.Add(1) - 1)
				if b >= g.batches {
					break
				}
				if errs[w] = m.runBatch(g, b, r); errs[w] != nil {
					failed.Add(1)
				}
			}
			l.taken.Add(int64(m.taken))
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// keepsLocal reports whether groups find in local memory what others left.
func (p *Program) keepsLocal() bool {
	return slices.ContainsFunc(p.local, func(m localMemory) bool { return m.keep })
}

// runBatch runs batch b and takes over its outputs, apart from lanes that were discarded or do not
// exist.
func (m *machine) runBatch(g *grid, b int, r *Result) error {
	for i := range m.p.local {
		if !m.p.local[i].keep {
			clear(m.local[i])
		}
	}
	clear(m.started)
	clear(m.real)
	m.lane, m.by = -1, -1
	var at [maxGroup]int // by lane: the element
	for lane := range m.n {
		v, ok := g.invocation(m.p, b, lane)
		if !ok {
			continue
		}
		m.started.set(lane)
		if v.exists {
			m.real.set(lane)
			at[lane] = v.y*g.w + v.x
			if t := m.trace; t != nil && !t.memory && t.At == at[lane] {
				m.lane = lane
			}
		}
		m.load(lane, &v)
	}
	if m.started.empty() {
		return nil
	}
	taken := m.taken
	err := m.batch()
	if out := m.budget.Work((m.taken - taken) / Lanes); out != nil && err == nil {
		err = asm.Errorf(asm.Pos{}, "step-limit", "%v", out)
	}
	if err != nil {
		return err
	}
	if m.by >= 0 {
		m.trace.At = at[m.by]
	}
	for lane := range m.real.each {
		if m.discarded.has(lane) {
			r.Discarded[at[lane]] = true
			continue
		}
		for _, o := range m.p.outputs {
			w := m.r[m.word(o.at)+lane]
			switch {
			case o.reg.File == il.Output:
				r.Out[o.reg.Num][4*at[lane]+o.comp] = w
			case o.comp != 0:
			case o.reg.File == il.Depth:
				r.Depth[at[lane]] = w
			default:
				r.Mask[at[lane]] = w
			}
		}
	}
	return nil
}
