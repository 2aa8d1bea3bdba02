package passes

import (
	"fmt"
	"slices"
	"time"
)

// Outcome says what became of one stage. Reverted stages are no errors: most did not
// pay.
type Outcome uint8

// What may become of a stage.
const (
	Unchanged Outcome = iota
	Changed
	Reverted // it ran, and what it did was taken back
	Skipped  // it did not run
)

func (o Outcome) String() string {
	return [...]string{"unchanged", "changed", "reverted", "skipped"}[o]
}

// Stat is what one stage of a run did.
type Stat struct {
	Stage   string // as written in the pipeline
	Outcome Outcome
	Steps   int // rewrites made
	// Before and After are the costs around it; of a reverted stage After is what it
	// would have cost, where that is known.
	Before, After Cost
	Placement     *Placement // of a pass that chooses what goes where
	Time          time.Duration
}

// Placement is how good a choice of what goes where is: the slots that it saves, and a bound
// for those that any choice could.
type Placement struct{ Saved, Most int }

// Report is what [Run] did.
type Report struct {
	Before, After Cost // zero where nothing is priced
	Steps         int
	Stats         []Stat // one a stage, in order
	Remarks       []Remark
	// Faults are the passes that panicked or broke an invariant; each was reverted.
	Faults []*Fault
}

// Changed reports whether any stage changed anything.
func (r *Report) Changed() bool {
	return slices.ContainsFunc(r.Stats, func(s Stat) bool { return s.Outcome == Changed })
}

// Fault is an internal error of a pass: a panic, a broken invariant, or a result
// that was refused. With the input it is all that it takes to see it again.
type Fault struct {
	Unit     string
	Pipeline string // all of it
	Stage    int    // index of the stage at fault
	Pass     string
	// Steps is how many rewrites the stage had made, and Fuel how many the whole
	// run had: running again with that fuel ends with the rewrite at fault.
	Steps, Fuel int
	Err         error
	Stack       []byte // of a panic
}

func (f *Fault) Error() string {
	return fmt.Sprintf("%s: pass %s failed at step %d: %v", f.Unit, f.Pass, f.Steps, f.Err)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Append adds what a run of further stages did, of the same unit.
func (r *Report) Append(next Report) {
	if len(r.Stats) == 0 {
		r.Before = next.Before
	}
	r.After = next.After
	r.Steps += next.Steps
	r.Stats = append(r.Stats, next.Stats...)
	r.Remarks = append(r.Remarks, next.Remarks...)
	r.Faults = append(r.Faults, next.Faults...)
}

// Part is what the run did in its first n stages, with all that it said.
func (r *Report) Part(n int) Report {
	part := Report{r.Before, r.Before, 0, slices.Clip(r.Stats[:n]), slices.Clip(r.Remarks), slices.Clip(r.Faults)}
	for _, s := range part.Stats {
		part.Steps += s.Steps
		if s.Outcome == Changed {
			part.After = s.After
		}
	}
	return part
}
