package replay

import (
	"context"
	"slices"

	"github.com/shaderlift/shaderlift/opt"
)

// Replayed is the result of repeating the operation behind a fault.
type Replayed struct {
	// Again is the fault with the same symptom, if it happened again. For a fault without an Err, the
	// symptom is a verdict below Options.Require.
	Again *opt.Fault
	// Others are faults of other symptoms.
	Others []*opt.Fault
	// Result and Err are the results of Optimize, Verify or Stats.
	Result *opt.Result
	Err    error
}

// Replay repeats the operation in which f happened, with all options except the time limit. A fault
// without an Err stands for a verdict below Options.Require.
func Replay(ctx context.Context, f *opt.Fault) *Replayed {
	r := &Replayed{}
	r.Result, r.Err = opt.Repeat(ctx, f)
	for _, g := range r.Result.Faults {
		if r.Again == nil && f.Err != nil && opt.SymptomOf(g) == opt.SymptomOf(f) {
			r.Again = g
		} else {
			r.Others = append(r.Others, g)
		}
	}
	if f.Err == nil && slices.ContainsFunc(r.Result.Remarks, func(m opt.Remark) bool { return m.Code == opt.Unverified }) {
		again := *f
		r.Again = &again
	}
	return r
}
