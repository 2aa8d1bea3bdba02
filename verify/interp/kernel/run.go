package kernel

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/budget"
)

// Options configure a run.
type Options struct {
	// Steps bounds the executed instructions. An instruction counts once for every lane of a batch, active
	// or not, and at least eight times. 0 means defaultRun. Exceeding the limit is an error, so every run
	// ends.
	Steps int
	// Workers is the number of goroutines that share the work if invocations cannot see each other's
	// stores; 0 means 1. The result does not depend on it.
	Workers int
	// Budget, if set, also pays for the steps, 64 of them as one. Its exhaustion ends the run.
	Budget *budget.Budget
	// Unwritten, if not 0, seeds the initial values of registers other than outputs, which the language
	// leaves undefined; otherwise they are 0. The words depend on the seed, the name of the register and
	// the lane. The two lowest bits select the kind: small numbers (1), floats between 1 and 2 (2), or any
	// words.
	Unwritten uint64

	// Scale and Offset, across and down, relocate invocations if Scale is not 0. The invocation at (x, y)
	// gets the positions and thread numbers of (Scale*x+Offset, Scale*y+Offset) in the whole domain. Flat
	// numbers use the first two. Within, if not 0, clamps coordinates to a domain of that size.
	Scale, Offset, Within [2]int

	// Seen, if not nil, has one entry for each of [Program.Statements], and records the statements that
	// some invocation executes. It requires a single worker.
	Seen []bool
	// Kinds, if set, records the kinds of words that the kernel computes. It requires a single worker.
	Kinds *Seen
	// Trace, if set, records the values of one invocation. It requires a single worker, and a program of
	// [CompileTraced].
	Trace *Trace
}

// defaultRun bounds a run without a limit of its own: some tens of seconds.
const defaultRun = math.MaxInt32

// Lanes is the size of a batch, except for larger groups.
const Lanes = 64

// Outputs is the number of colour outputs.
const Outputs = 8

// Result is the result of a launch. Words are the stored bits.
type Result struct {
	Width, Height int
	// Out holds o0 to o7, four words an element, row by row; nil for outputs that the kernel does not use.
	// Discarded elements hold 0.
	Out         [Outputs][]uint32
	Depth, Mask []uint32 // oDepth and oMask, one word an element
	Discarded   []bool   // nil if the kernel discards nothing
	Global      []uint32 // g[], nil if the kernel does not use it
	Views       []Memory // declared views, in order of their numbers
	Shares      []Memory // declared parts of the global data share
	Steps       int      // steps of the launch, as counted by Options.Steps
}

// Memory is the final contents of a view or of a part of the global data share.
type Memory struct {
	ID    int
	Words []uint32
}

// View returns the final contents of a view, or nil if the kernel has no such view.
func (r *Result) View(id int) []uint32 {
	for _, v := range r.Views {
		if v.ID == id {
			return v.Words
		}
	}
	return nil
}

// Run launches the kernel. The error is an *asm.Diag: the case is out of range, the kernel runs for too
// long, or its threads do not meet at a barrier. Run is deterministic: the result does not depend on the
// number of workers, and limits count steps, not time.
func (p *Program) Run(c *Case, o Options) (*Result, error) {
	if d := c.check(&executed); d != nil {
		return nil, d
	}
	if o.Steps <= 0 {
		o.Steps = defaultRun
	}
	g := p.launchGrid(c)
	if g.batches > maxDomain {
		return nil, asm.Errorf(asm.Pos{}, "domain-size", "groups of %v make too many threads of a domain of %d by %d",
			p.group, c.Width, c.Height)
	}
	l := newLaunch(p, c)
	l.budget = o.Budget
	l.seed = o.Unwritten
	l.scale, l.offset, l.within = o.Scale, o.Offset, o.Within
	r := p.newResult(c, l)
	err := p.batches(l, &g, r, o, min(o.Workers, g.batches))
	// Errors of several workers depend on timing; a single worker finds the first error in order.
	if err != nil && o.Workers > 1 && !p.stores {
		err = p.batches(l, &g, r, o, 1) // finds where it happened first
	}
	if err != nil {
		return nil, err
	}
	r.Steps = int(l.taken.Load())
	return r, nil
}

// newResult allocates the results of the kernel. Memory is shared with the launch.
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

// batches runs all batches of a launch. They run in order on one machine if an invocation may see the
// stores of another. Otherwise workers machines run them, each taking the next batch when it is free.
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

// keepsLocal reports whether local memory keeps its contents between groups.
func (p *Program) keepsLocal() bool {
	return slices.ContainsFunc(p.local, func(m localMemory) bool { return m.keep })
}

// runBatch runs batch b and copies its outputs, except for discarded or nonexistent lanes.
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
		m.loadInputs(lane, &v)
	}
	if m.started.empty() {
		return nil
	}
	taken := m.taken
	err := m.batch()
	if out := m.budget.SpendSteps((m.taken - taken) / Lanes); out != nil && err == nil {
		err = asm.Errorf(asm.Pos{}, "step-limit", "%v", out)
	}
	if err != nil {
		return err
	}
	if m.by >= 0 {
		m.trace.At = at[m.by]
	}
	for lane := range m.real.eachLane {
		if m.discarded.has(lane) {
			r.Discarded[at[lane]] = true
			continue
		}
		for _, o := range m.p.outputs {
			w := m.r[m.wordIndex(o.at)+lane]
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
