package pair

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/diag"
	"github.com/shaderlift/shaderlift/passes"
)

// ErrFit marks a well-formed program that exceeds the limits of its shader model.
var ErrFit = errors.New("does not fit the profile")

// unchecked is the diagnostic of models that the validator has no rules for.
const unchecked asm.Code = "unsupported-model"

// isLimit reports whether a diagnostic concerns a program with a clear meaning that exceeds a limit of
// its model: slots, temporaries, swizzles, read ports. Some compilers write such programs. An
// equivalent program can fit the limits, so such inputs are read, and results must keep the limits.
func isLimit(code asm.Code) bool {
	e := diag.LookupChange(code)
	return e != nil && e.Severity == diag.Limit
}

// Validate sorts the diagnostics of p: wrong breaks a rule, large exceeds a limit.
func Validate(p *d3d9.Program) (wrong, large asm.Diags) { return Classify(d3d9.Validate(p)) }

// Classify divides diagnostics into broken rules and exceeded limits. It drops diagnostics of rules that
// the runtime does not enforce.
func Classify(all asm.Diags) (wrong, large asm.Diags) {
	for _, d := range all {
		switch {
		case isLimit(d.Code):
			large = append(large, d)
		case d.Code != unchecked && !d3d9.Tolerated(d.Code):
			wrong = append(wrong, d)
		}
	}
	return wrong, large
}

// FitError returns nil without diagnostics, the wrong ones if there are any, or else an ErrFit with the
// large ones.
func FitError(wrong, large asm.Diags) error {
	if len(wrong) > 0 {
		return wrong
	}
	if len(large) > 0 {
		return fmt.Errorf("%w: %w", ErrFit, large)
	}
	return nil
}

// SlotCost returns the price of programs in slots, in the order of passes.Cost: pixel slots, other slots,
// dependent texture read phases, temporaries, interpolators.
func SlotCost(programs []*d3d9.Program) passes.Cost {
	var c passes.Cost
	for _, p := range programs {
		m := d3d9.Measure(p)
		at := 1
		if p.Model.Stage == d3d9.Pixel {
			at = 0
		}
		c[at] += m.Slots
		c[2] += m.TextureRuns
		c[3] += m.Temps
		c[4] += m.Interpolators
	}
	return c
}

// Usage is the use of one limit of a model by a program.
type Usage struct {
	What  string `json:"what"`
	Used  int    `json:"used"`
	Limit int    `json:"limit"`
}

// String formats the usage as in "7 of 10 interpolators".
func (u Usage) String() string { return fmt.Sprintf("%d of %d %s", u.Used, u.Limit, u.What) }

// Temporaries is the name of temporaries in usages.
const Temporaries = "temporaries"

// usages returns the use of the limits l by a program of a stage with cost c. slots is separate because
// a model has two limits: the slots of every device and the slots of some devices.
func usages(stage d3d9.Stage, l d3d9.Limits, slots int, c d3d9.Cost) []Usage {
	inputs := l.Regs[d3d9.Texture] + l.Regs[d3d9.Input]
	if stage == d3d9.Vertex {
		inputs = l.Regs[d3d9.TexOut] + l.Regs[d3d9.AttrOut] + l.Regs[d3d9.Output]
	}
	return []Usage{
		{"slots", c.Slots, slots},
		{"arithmetic slots", c.Arithmetic, l.Arithmetic},
		{"texture slots", c.Texture, l.Texture},
		{Temporaries, c.Temps, l.Regs[d3d9.Temp]},
		{"constants", c.Constants, l.Regs[d3d9.Const]},
		{"interpolators", c.Interpolators, inputs},
	}
}

// Binding returns the limit with the largest used share.
func Binding(m d3d9.Model, c d3d9.Cost) Usage {
	l := m.Limits()
	all := usages(m.Stage, l, l.Slots, c)
	most := all[0]
	for _, u := range all[1:] {
		// Used/Limit compared without division.
		if u.Limit > 0 && u.Used*most.Limit > most.Used*u.Limit {
			most = u
		}
	}
	return most
}

// Exceeded lists the numerical limits of profile p that q exceeds. The validator reports other rules,
// such as swizzles.
func Exceeded(p d3d9.Profile, q *d3d9.Program) (list []Usage) {
	l := p.Limits
	all := usages(q.Model.Stage, l, l.MaxSlots, d3d9.Measure(q))
	if q.Model.Stage == d3d9.Pixel && l.TextureLevels != d3d9.Unlimited {
		all = append(all, Usage{"dependent texture reads in a row", d3d9.DependentReads(q), l.TextureLevels})
	}
	for _, u := range all {
		if u.Limit > 0 && u.Used > u.Limit {
			list = append(list, u)
		}
	}
	return list
}
