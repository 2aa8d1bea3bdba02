package machine

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
	Line [64]uint32
	Mask uint64
}

// Trace yields the steps of one wavefront in order, and false after the last. The step
// is the caller's and is overwritten.
type Trace interface {
	Next(*Step) bool
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
