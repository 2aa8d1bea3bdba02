package shaderlift

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/diag"
	"github.com/shaderlift/shaderlift/passes"
)

// ErrFit marks a program that is well formed but takes more than its shader model has.
var ErrFit = errors.New("does not fit the profile")

// unchecked is the diagnostic of models that the validator has no rules for.
const unchecked asm.Code = "unsupported-model"

// isLimit reports whether a diagnostic is of a program that says clearly what it computes,
// but takes more than its model has: slots, temporaries, swizzles, read ports. Compilers
// are known to write such programs. The same can be said within the limits, so they are
// read, and what is written must keep them.
func isLimit(code asm.Code) bool {
	e := diag.Lookup(code)
	return e != nil && e.Severity == diag.Limit
}

// validate sorts what is wrong with p: wrong breaks a rule, large is beyond a limit.
func validate(p *d3d9.Program) (wrong, large asm.Diags) { return sorted(d3d9.Validate(p)) }

// sorted sorts diagnostics in that way. What neither breaks a rule that the runtime has nor a limit is
// left out.
func sorted(all asm.Diags) (wrong, large asm.Diags) {
	for _, d := range all {
		switch {
		case isLimit(d.Code):
			large = append(large, d)
		case d.Code != unchecked && !tolerable(d.Code):
			wrong = append(wrong, d)
		}
	}
	return wrong, large
}

// fits returns nil if p can be used: an ErrFit or diagnostics if not.
func fits(p *d3d9.Program) error { return fitting(validate(p)) }

func fitting(wrong, large asm.Diags) error {
	if len(wrong) > 0 {
		return wrong
	}
	if len(large) > 0 {
		return fmt.Errorf("%w: %w", ErrFit, large)
	}
	return nil
}

// costOf is the price of programs in slots, in the order of passes.Cost: pixel slots, other slots,
// runs of texture reads, temporaries.
func costOf(programs []*d3d9.Program) passes.Cost {
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
	}
	return c
}

// Usage is how much of one of its model's limits a program takes.
type Usage struct {
	What  string `json:"what"`
	Used  int    `json:"used"`
	Limit int    `json:"limit"`
}

// String is the usage as in "7 of 10 interpolators".
func (u Usage) String() string { return fmt.Sprintf("%d of %d %s", u.Used, u.Limit, u.What) }

// temporaries are what usages call these.
const temporaries = "temporaries"

// usages are what a program of a stage with cost c takes of the limits l. slots is given apart
// because a model has two limits: what every device has, and what some have.
func usages(stage d3d9.Stage, l d3d9.Limits, slots int, c d3d9.Cost) []Usage {
	inputs := l.Regs[d3d9.Texture] + l.Regs[d3d9.Input]
	if stage == d3d9.Vertex {
		inputs = l.Regs[d3d9.TexOut] + l.Regs[d3d9.AttrOut] + l.Regs[d3d9.Output]
	}
	return []Usage{
		{"slots", c.Slots, slots},
		{"arithmetic slots", c.Arithmetic, l.Arithmetic},
		{"texture slots", c.Texture, l.Texture},
		{temporaries, c.Temps, l.Regs[d3d9.Temp]},
		{"constants", c.Constants, l.Regs[d3d9.Const]},
		{"interpolators", c.Interpolators, inputs},
	}
}

// binding is the limit that a program is nearest to, by the part of it that is used.
func binding(m d3d9.Model, c d3d9.Cost) Usage {
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

// exceeded lists the numerical limits of profile p that q exceeds. Rules that are no numbers, such
// as swizzles, are diagnostics of the validator.
func exceeded(p d3d9.Profile, q *d3d9.Program) (list []Usage) {
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
