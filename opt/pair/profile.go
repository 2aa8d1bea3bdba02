package pair

import (
	"errors"
	"fmt"
	"slices"

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
	e := diag.Lookup(code)
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
// dependent texture read phases, temporaries.
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

// exceeded lists the numerical limits of profile p that q exceeds. The validator reports other rules,
// such as swizzles.
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

// partner names the profile of the other stage, by stage and by whether the profile is 3.0. Programs of
// 3.0 are drawn only with programs of 3.0, and older ones only with each other.
var partner = map[d3d9.Stage]map[bool]string{
	d3d9.Vertex: {false: "vs_2_0", true: "vs_3_0"},
	d3d9.Pixel:  {false: "ps_2_0", true: "ps_3_0"},
}

// FitProfiles returns the profiles that programs must fit if the program of one stage must fit to, by stage.
// The program of the other stage keeps its own model. A program of an older model than required also
// keeps it. Only its temporaries are limited, because devices may have fewer.
func FitProfiles(to *d3d9.Profile, programs []*d3d9.Program) (map[d3d9.Stage]d3d9.Profile, error) {
	list := map[d3d9.Stage]d3d9.Profile{}
	modern := to.Model.Major >= 3
	for _, q := range programs {
		own := d3d9.Profile{Name: q.Model.String(), Model: q.Model, Limits: q.Model.Limits()}
		switch {
		case q.Model.Stage != to.Model.Stage:
		case q.Model != to.Model && to.Model.AtLeast(q.Model.Major, q.Model.Minor): // it fits, except for the temporaries
			own.Limits.Regs[d3d9.Temp] = min(own.Limits.Regs[d3d9.Temp], to.Limits.Regs[d3d9.Temp])
			modern = q.Model.Major >= 3
		default:
			own = *to
		}
		list[q.Model.Stage] = own
	}
	for _, q := range programs { // both cross the 3.0 boundary, or neither
		if stage := q.Model.Stage; stage != to.Model.Stage && (q.Model.Major >= 3) != modern {
			p, err := d3d9.ParseProfile(partner[stage][modern])
			if err != nil {
				return nil, err
			}
			list[stage] = p
		}
	}
	return list, nil
}

// Nearest is the version of a program that came nearest to the required profile. It obeys the rules of
// the profile except for the limits that it exceeds.
type Nearest struct {
	Stage   d3d9.Stage `json:"stage"`
	Exceeds []Usage    `json:"exceeds"`
	// Program is the text of the version. It is not verified.
	Program string `json:"program"`
}

// Excess returns the sum of the excesses over all limits.
func (n *Nearest) Excess() (sum int) {
	for _, u := range n.Exceeds {
		sum += u.Used - u.Limit
	}
	return sum
}

// Nearer returns q as the nearest version to profile to, or old if q exceeds no limit, or exceeds the
// limits by no less. The text has no comments.
func Nearer(old *Nearest, to d3d9.Profile, q *d3d9.Program) *Nearest {
	n := &Nearest{Stage: q.Model.Stage, Exceeds: exceeded(to, q)}
	if len(n.Exceeds) == 0 || old != nil && old.Excess() <= n.Excess() {
		return old
	}
	text := *q
	text.Insts = slices.DeleteFunc(slices.Clone(q.Insts), func(in d3d9.Inst) bool { return len(in.Comment) > 0 })
	n.Program = string(d3d9.Print(&text))
	return n
}
