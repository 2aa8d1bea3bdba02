package sim

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/chip"
)

// Launch is an execution of a program, with the data that its time depends on.
//
// A pixel kernel has a domain; a compute kernel has groups of threads. Only the sizes of data
// matter: the model computes just the addresses of fetches and the conditions of branches. If these
// depend on fetched data, a pseudo-random number replaces the data and the result reports it.
type Launch struct {
	Width, Height int    // domain of a pixel kernel, in threads
	Group         [3]int // threads of a work group; all 0 for a pixel kernel
	Groups        [3]int // work groups; at least one in each direction

	Inputs    []chip.Preload  // register contents at the start
	Constants [][][4]uint32   // by buffer, by element; 0 beyond the end
	Resources map[int]Surface // by number; others are assumed to be float4 over the domain
	Seed      uint64          // of the numbers that replace data
	MaxTrips  int             // of a loop, which is left after them; 0 means defaultTrips
	Limit     int             // steps to simulate; 0 means defaultLimit
	Budget    *budget.Budget  // limits the work: each clause of a wavefront is a step
}

// defaultTrips bounds loops: enough for a dot product over the largest surface.
const defaultTrips = 1 << 14

// maxSimulated bounds the slots that one simulation evaluates: twice the need of any known launch.
// The rest of a longer launch is extrapolated.
const maxSimulated = 1 << 24

// payment is the number of steps that a simulation charges at once: a charge takes as long as a
// step of control flow.
const payment = 64

// Simulate predicts the time of a launch of a program on a target.
func Simulate(p *r600.Program, l *Launch, t *chip.Target) (Timing, error) {
	tr, err := NewTracer(p, l, t)
	if err != nil {
		return Timing{}, err
	}
	defer tr.Release()
	r, _, err := tr.simulate()
	return r, err
}

// simulate runs the launch. It also returns the number of steps charged to the budget.
func (tr *Tracer) simulate() (r Timing, steps int, err error) {
	l := tr.l
	tr.simplify()
	r = Time(tr.t, Work{Waves: tr.waves, GPRs: tr.p.GPRs, group: tr.perGroup, Trace: tr.Start, limit: l.Limit,
		stop: func(rest bool) bool {
			most := maxSimulated
			if rest {
				most += maxSimulated / 4
			}
			if tr.done > most {
				return true
			}
			steps++
			return steps%payment == 0 && l.Budget.SpendSteps(payment) != nil
		}})
	if err := l.Budget.SpendSteps(steps % payment); err != nil {
		return Timing{}, steps, err
	}
	if err := l.Budget.Err(); err != nil {
		return Timing{}, steps, err
	}
	r.Notes = append(r.Notes, tr.notes()...)
	return r, steps, nil
}

// Tracer runs the part of a program that decides addresses and conditions, one wavefront at a time
// between two steps. The engine interleaves wavefronts, so state that survives a clause is in
// waveTrace; the rest is shared.
type Tracer struct {
	l          *Launch
	t          *chip.Target
	p          *r600.Program
	clauses    []clauseTrace // by index of the CF instruction
	loopEnd    []int         // of a LOOP, BREAK or CONTINUE: its END_LOOP
	surfaces   []Surface
	surface    map[int]int    // of a resource
	global     Surface        // g[], unordered access and scratch
	cells      int            // of a wavefront
	places     int            // of a wavefront: sets of places that a fetch clause reads
	cellOf     []int32        // by location: its cell plus one, 0 for none
	preload    []chip.Builtin // by cell
	isInput    []bool
	consts     []lanes // each holds one word in all lanes
	scratch    [scratchCells]lanes
	texels     [2]lanes // of a fetch, along its sides
	tainted    [scratchCells]taint
	untainted  []taint      // of the constants
	allTainted []taint      // of the results of operations that are not evaluated
	words      []uint32     // the words of consts
	settled    bool         // taints are known statically, see tidy
	free, made []*waveTrace // wavefronts that have ended, and all
	run        int          // number of the program among those that used the memory of the tracer
	done       int          // slots evaluated, each for a wavefront

	line     lineSize // of the L1
	patterns map[pattern]*lanes

	memory traceMemory

	waves, perGroup int
	threads         int // of a group

	// Conditions for notes: addresses or control flow that depend on data, loops that were left
	// early, and operations that are not traced.
	dataAddress, dataControl, tripsReached, unresolved bool
}

// NewTracer returns a tracer for a launch of a program on a target.
func NewTracer(p *r600.Program, l *Launch, t *chip.Target) (*Tracer, error) {
	tr := tracers.Get().(*Tracer)
	tr.begin(p, l, t)
	if t.Wave > len(lanes{}) {
		return nil, fmt.Errorf("wavefronts of %d threads cannot be traced", t.Wave)
	}
	if err := tr.divide(); err != nil {
		return nil, err
	}
	if err := tr.place(); err != nil {
		return nil, err
	}
	if err := tr.matchLoops(); err != nil {
		return nil, err
	}
	tr.compile(slice(p, tr))
	return tr, nil
}

// Waves returns the number of wavefronts of the launch.
func (tr *Tracer) Waves() int { return tr.waves }

// Evaluated returns the number of slots evaluated so far, each for a wavefront.
func (tr *Tracer) Evaluated() int { return tr.done }

// TripLimitReached reports whether a loop was left after the maximum number of trips of the launch.
func (tr *Tracer) TripLimitReached() bool { return tr.tripsReached }

// divide counts the wavefronts of the launch: blocks of 8x8 pixels, or for a compute kernel whole
// wavefronts for each group.
func (tr *Tracer) divide() error {
	l := tr.l
	if l.Group == [3]int{} {
		if l.Width < 1 || l.Height < 1 {
			return fmt.Errorf("the domain of %d by %d threads is out of range", l.Width, l.Height)
		}
		tr.waves = blocks(l.Width) * blocks(l.Height)
		return nil
	}
	groups := 1
	tr.threads = 1
	for i := range 3 {
		if l.Group[i] < 1 || l.Groups[i] < 1 {
			return fmt.Errorf("%v work groups of %v threads are out of range", l.Groups, l.Group)
		}
		tr.threads *= l.Group[i]
		groups *= l.Groups[i]
	}
	tr.perGroup = (tr.threads + tr.t.Wave - 1) / tr.t.Wave
	tr.waves = groups * tr.perGroup
	return nil
}

// blocks returns the number of 8x8 blocks that cover n threads.
func blocks(n int) int { return (n + 7) / 8 }

// globalSize is the size of the modelled memory for g[], views and scratch.
const globalSize = 1 << 28

// place assigns addresses to the resources that the program fetches from.
func (tr *Tracer) place() error {
	for i := range tr.p.CF {
		for _, f := range tr.p.CF[i].Fetches {
			if _, ok := tr.surface[f.Resource]; ok || inMemory(&f) {
				continue
			}
			s, ok := tr.l.Resources[f.Resource]
			if !ok {
				s = Surface{Width: max(1, tr.l.Width), Height: max(1, tr.l.Height), Bytes: 16, unnormal: true}
			}
			if s.Width < 1 || s.Height < 1 || s.Bytes < 1 {
				return fmt.Errorf("resource %d with %d by %d elements of %d bytes is out of range", f.Resource, s.Width, s.Height,
					s.Bytes)
			}
			tr.surface[f.Resource] = len(tr.surfaces)
			tr.surfaces = append(tr.surfaces, s)
		}
	}
	tr.global = Surface{Width: globalSize / 16, Height: 1, Bytes: 16, Linear: true}
	all := append(tr.surfaces, tr.global)
	layout(all, tr.t)
	tr.surfaces, tr.global = all[:len(all)-1], all[len(all)-1]
	return nil
}

// matchLoops finds the end of every loop, for LOOP, BREAK and CONTINUE, and the start for END_LOOP.
func (tr *Tracer) matchLoops() error {
	tr.loopEnd = container.Zeros(tr.loopEnd, len(tr.p.CF))
	var open []int
	inside := make([][]int, 0, 4)
	for i := range tr.p.CF {
		switch tr.p.CF[i].Op {
		case r600.CFLoop:
			open = append(open, i)
			inside = append(inside, []int{i})
		case r600.CFALUBreak, r600.CFALUContinue, r600.CFBreak, r600.CFContinue:
			if len(open) == 0 {
				return fmt.Errorf("%v outside a loop", tr.p.CF[i].Op)
			}
			inside[len(inside)-1] = append(inside[len(inside)-1], i)
		case r600.CFEndLoop:
			if len(open) == 0 {
				return fmt.Errorf("END_LOOP without a loop")
			}
			for _, j := range inside[len(inside)-1] {
				tr.loopEnd[j] = i
			}
			tr.loopEnd[i] = open[len(open)-1]
			open, inside = open[:len(open)-1], inside[:len(inside)-1]
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("loop without END_LOOP")
	}
	return nil
}

// constant reads a channel of a constant buffer.
func (l *Launch) constant(bank, index int, ch uint8) uint32 {
	if bank >= len(l.Constants) || index < 0 || index >= len(l.Constants[bank]) {
		return 0
	}
	return l.Constants[bank][index][ch]
}

// notes returns the assumptions that the result depends on.
func (tr *Tracer) notes() []string {
	var notes []string
	for _, n := range []struct {
		holds bool
		text  string
	}{
		{tr.dataAddress, "addresses depend on fetched data: pseudo-random numbers take its place"},
		{tr.dataControl, "control flow depends on fetched data: pseudo-random numbers take its place"},
		{tr.unresolved, "addresses or conditions depend on operations that are not traced: pseudo-random numbers take their place"},
		{tr.tripsReached, fmt.Sprintf("a loop was left after %d trips", tr.maxTrips())},
		{tr.spilled() > 0, tr.spillNote()},
	} {
		if n.holds {
			notes = append(notes, n.text)
		}
	}
	return notes
}

func (tr *Tracer) maxTrips() int {
	if tr.l.MaxTrips > 0 {
		return tr.l.MaxTrips
	}
	return defaultTrips
}
