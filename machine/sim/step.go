package sim

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sim/internal/wave"
)

// Step is one thing a wavefront does, as the timing model needs to know it.
type Step struct {
	Kind   StepKind
	Groups int // ALU: instruction groups of the clause
	Flops  int // ALU: floating-point operations of a thread
	Count  int // Export, Write: 128-bit elements of a thread; Control: instructions

	Last   bool  // Fetch: ends its clause
	Wait   bool  // Fetch, Control: needs what was fetched before
	Direct bool  // Fetch: goes past the texture caches
	Lines  Lines // what is read or written; its mask says for every kind who is active
}

// begin makes a step of nothing but a kind. Lines stay as they are, and no lane is active.
func (s *Step) begin(kind StepKind) {
	s.Kind, s.Groups, s.Flops, s.Count = kind, 0, 0, 0
	s.Last, s.Wait, s.Direct = false, false, false
	s.Lines.Mask = 0
}

// StepKind tells steps apart.
type StepKind uint8

// The kinds of steps.
const (
	StepALU     StepKind = iota // a clause of instruction groups; waits for outstanding fetches
	StepFetch                   // one fetch of a clause
	StepWrite                   // a write to memory
	StepExport                  // an export to a render target
	StepControl                 // control flow that starts no clause
	StepBarrier                 // wait for the other wavefronts of the work group
)

// Lines is what the threads of a wavefront read or write: the line of memory, in lines
// of the L1, that each active lane touches.
type Lines struct {
	Line [chip.MaxWave]uint32
	Mask uint64
}

// Active is how many lanes are active.
func (a *Lines) Active() int { return bits.OnesCount64(a.Mask) }

// Touched counts the lines that the quads of a wavefront touch, each quad by itself.
func (a *Lines) Touched() int {
	total, same := 0, a.repeats()
	var lines [4]uint32
	for first := 0; first < chip.MaxWave; first += 4 {
		total += a.quad(first, same, &lines)
	}
	return total
}

// repeats is the lanes that touch the line of the lane before, both of them active.
func (a *Lines) repeats() uint64 { return wave.Repeats(&a.Line) & a.Mask & (a.Mask << 1) }

// again has the first lanes of the quads that touch one line, the only one of the quad before; same
// are the repeats.
func again(same uint64) uint64 {
	pairs := same & (same >> 1)
	fours := pairs & (pairs >> 2)
	return fours & (fours << 3) // seven, of which the first lane of the quad is in the middle
}

// quad finds the different lines that the active lanes of a quad touch; same are the repeats.
func (a *Lines) quad(first int, same uint64, lines *[4]uint32) (n int) {
	l := (*[4]uint32)(a.Line[first:])
	if a.Mask>>first&15 == 15 {
		lines[0], n = l[0], 1
		if same>>first&14 == 14 { // most do
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

// Trace yields the steps of one wavefront in order, and false after the last. The step
// is the caller's and is overwritten.
type Trace interface {
	Next(*Step) bool // the next step, or false
}

// Work is a launch for the timing model.
type Work struct {
	Waves int                  // wavefronts
	GPRs  int                  // registers of a thread
	Group int                  // wavefronts that meet at a barrier; 0 where none do
	Trace func(wave int) Trace // begins the trace of a wavefront
	Limit int                  // steps to simulate before extrapolating; 0 is DefaultLimit
	// Stop is asked at every step whether to stop before that, and again when what is left
	// is told from a few wavefronts; nil for never.
	Stop func(rest bool) bool
}

// DefaultLimit is how many steps are simulated: enough for every wavefront that a small
// chip holds at once to run thousands of fetches.
const DefaultLimit = 500_000
