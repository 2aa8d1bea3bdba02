package sim

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sim/internal/wave"
)

// Step is one action of a wavefront in the timing model.
type Step struct {
	Kind   StepKind
	Groups int // ALU: instruction groups of the clause
	flops  int // ALU: floating-point operations of a thread
	Count  int // Export, Write: 128-bit elements of a thread; Control: instructions

	Last   bool  // Fetch: ends its clause
	Wait   bool  // Fetch, Control: needs the data fetched before
	Direct bool  // Fetch: bypasses the texture caches
	Lines  Lines // lines read or written; the mask holds the active lanes for every kind
}

// begin resets a step to a kind, without active lanes. It does not clear Lines.line.
func (s *Step) begin(kind StepKind) {
	s.Kind, s.Groups, s.flops, s.Count = kind, 0, 0, 0
	s.Last, s.Wait, s.Direct = false, false, false
	s.Lines.Mask = 0
}

// StepKind is the kind of a step.
type StepKind uint8

// The kinds of steps.
const (
	StepALU     StepKind = iota // a clause of instruction groups; waits for outstanding fetches
	StepFetch                   // one fetch of a clause
	StepWrite                   // a write to memory
	StepExport                  // an export to a render target
	stepControl                 // control flow that starts no clause
	stepBarrier                 // wait for the other wavefronts of the work group
)

// Lines holds the memory accesses of a wavefront: the line that each active lane touches, numbered
// in L1 lines.
type Lines struct {
	line [chip.MaxWave]uint32
	Mask uint64
}

// Active returns the number of active lanes.
func (a *Lines) Active() int { return bits.OnesCount64(a.Mask) }

// Touched counts the lines that the quads of a wavefront touch, each quad separately.
func (a *Lines) Touched() int {
	total, same := 0, a.repeats()
	var lines [4]uint32
	for first := 0; first < chip.MaxWave; first += 4 {
		total += a.quadLines(first, same, &lines)
	}
	return total
}

// repeats returns the active lanes that touch the same line as the previous active lane.
func (a *Lines) repeats() uint64 { return wave.Repeats(&a.line) & a.Mask & (a.Mask << 1) }

// again returns the first lanes of the quads that touch only one line, the only one of the previous
// quad. same holds the repeats.
func again(same uint64) uint64 {
	pairs := same & (same >> 1)
	fours := pairs & (pairs >> 2)
	return fours & (fours << 3) // seven repeats, with the first lane of the quad in the middle
}

// quadLines collects the different lines that the active lanes of a quad touch. same holds the repeats.
func (a *Lines) quadLines(first int, same uint64, lines *[4]uint32) (n int) {
	l := (*[4]uint32)(a.line[first:])
	if a.Mask>>first&15 == 15 {
		lines[0], n = l[0], 1
		if same>>first&14 == 14 { // the common case
			return 1
		}
		if l[1] != l[0] {
			lines[1], n = l[1], 2
		}
		if l[2] != l[0] && l[2] != l[1] {
			lines[n&3] = l[2]
			n++
		}
		if l[3] != l[0] && l[3] != l[1] && l[3] != l[2] {
			lines[n&3] = l[3]
			n++
		}
		return n
	}
next:
	for lane, line := range l {
		if a.Mask>>first>>lane&1 == 0 {
			continue
		}
		for _, known := range lines[:n] {
			if known == line {
				continue next
			}
		}
		lines[n] = line
		n++
	}
	return n
}

// Trace yields the steps of one wavefront in order, and false after the last. The step belongs to
// the caller and is overwritten.
type Trace interface {
	Next(*Step) bool // the next step, or false
}

// Work is a launch for the timing model.
type Work struct {
	Waves int                  // wavefronts
	GPRs  int                  // registers of a thread
	group int                  // wavefronts that meet at a barrier; 0 for none
	Trace func(wave int) Trace // begins the trace of a wavefront
	limit int                  // steps to simulate before extrapolation; 0 means defaultLimit
	// stop is called at every step and reports whether to end the simulation. It is called with
	// rest when the remaining work is estimated from a few wavefronts. A nil stop never ends it.
	stop func(rest bool) bool
}

// defaultLimit is the number of simulated steps: enough for every wavefront that a small chip holds
// at once to run thousands of fetches.
const defaultLimit = 500_000
