package passes

import (
	"fmt"
	"slices"
)

// Outcome is the result of one stage. A reverted stage is not an error: most did not pay.
type Outcome uint8

// The outcomes of a stage.
const (
	Unchanged Outcome = iota
	Changed
	Reverted // it ran, and its changes were reverted
	Skipped  // it did not run
)

func (o Outcome) String() string {
	return [...]string{"unchanged", "changed", "reverted", "skipped"}[o]
}

// Stat is the record of one stage of a run.
type Stat struct {
	Stage   string // as written in the pipeline
	Outcome Outcome
	Steps   int // rewrites made
	// Before and After are the costs around it. For a reverted stage, After is the cost it would have had, if
	// known.
	Before, After Cost
	Placement     *Placement // of a pass that selects operands to move
	remarks       int        // in the report, up to this stage
}

// Placement holds the slots that a selection of operands to move saves, and an upper bound for every
// selection of the same candidates. Neither counts the packing of components in registers, which may save
// more slots. The bound is a limit of the search and does not bound the size of the smallest program.
type Placement struct{ Saved, Most int }

// Report is the record of a [Run].
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

// Fault is an internal error of a pass: a panic, a broken invariant, or a rejected result. Together with the
// input it suffices to reproduce the error.
type Fault struct {
	Unit     string
	Pipeline string // all of it
	Stage    int    // index of the stage at fault
	Pass     string
	// Steps is the number of rewrites of the stage, and Fuel the number in the whole run: a run with that
	// fuel ends with the faulty rewrite.
	Steps, Fuel int
	Err         error
	Stack       []byte // of a panic
}

func (f *Fault) Error() string {
	return fmt.Sprintf("%s: pass %s failed at step %d: %v", f.Unit, f.Pass, f.Steps, f.Err)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Append adds the report of further stages on the same unit.
func (r *Report) Append(next Report) {
	if len(r.Stats) == 0 {
		r.Before = next.Before
	}
	r.After = next.After
	r.Steps += next.Steps
	for _, s := range next.Stats {
		s.remarks += len(r.Remarks)
		r.Stats = append(r.Stats, s)
	}
	r.Remarks = append(r.Remarks, next.Remarks...)
	r.Faults = append(r.Faults, next.Faults...)
}

// FirstStages returns the report of the first n stages, with all faults.
func (r *Report) FirstStages(n int) Report {
	part := Report{r.Before, r.Before, 0, slices.Clip(r.Stats[:n]), nil, slices.Clip(r.Faults)}
	for _, s := range part.Stats {
		part.Steps += s.Steps
		part.Remarks = slices.Clip(r.Remarks[:s.remarks])
		if s.Outcome == Changed {
			part.After = s.After
		}
	}
	return part
}
