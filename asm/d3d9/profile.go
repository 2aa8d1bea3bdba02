package d3d9

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// Profile is a shader model and what a class of devices has of it, as compilers name
// them: the version token of ps_2_x leaves open what ps_2_a and ps_2_b say. A caller
// may narrow Limits further.
type Profile struct {
	Name   string
	Model  Model
	Limits Limits
}

// profiles are the ones that programs are made to fit. Those of version 2_x are the
// compiler's (MSDN, "Pixel Shader Profiles", D3DXGetPixelShaderProfile): 2_a is the
// NV3x, 2_b the R4xx. What compilers make for 2_a has predication and gradients instead
// of branches, and for 2_b has neither.
var profiles = []struct {
	name string
	// What is left of the most generous device of the model.
	narrow func(l *Limits)
}{
	{name: "vs_2_0"},
	{name: "vs_2_a", narrow: func(l *Limits) { l.Regs[Temp], l.Loops, l.Calls = 13, 1, 1 }},
	{name: "vs_3_0"},
	{name: "ps_2_0"},
	{name: "ps_2_a", narrow: func(l *Limits) {
		l.Regs[Temp] = 22
		l.StaticIf, l.DynamicIf, l.Loops, l.Calls = 0, 0, 0, 0
	}},
	// R4xx hardware has more registers and slots than ps_2_0 and hardly anything else.
	{name: "ps_2_b", narrow: func(l *Limits) {
		least := PS20.Limits()
		l.TextureLevels, l.Swizzles = least.TextureLevels, least.Swizzles
		l.StaticIf, l.DynamicIf, l.Loops, l.Calls = 0, 0, 0, 0
		l.Predication, l.Gradients = false, false
	}},
	{name: "ps_3_0"},
}

// Profiles are the names of the profiles that there are, vertex ones first.
func Profiles() (names []string) {
	for _, row := range profiles {
		names = append(names, row.name)
	}
	return names
}

// ParseProfile reads the name of a profile, and after a comma one further limit:
// ps_2_0, or ps_2_b,max-temps=16. The limit only ever narrows the profile's own.
func ParseProfile(text string) (p Profile, err error) {
	name, rest, more := strings.Cut(text, ",")
	k := slices.Index(Profiles(), name)
	if k < 0 {
		return p, fmt.Errorf("%q is no profile to fit: %s", name, strings.Join(Profiles(), ", "))
	}
	p.Name = name
	p.Model, _, _ = scanVersion(name)
	p.Limits = p.Model.Limits()
	if narrow := profiles[k].narrow; narrow != nil {
		narrow(&p.Limits)
	}
	if more {
		what, number, _ := strings.Cut(rest, "=")
		n, err := strconv.Atoi(number)
		if what != "max-temps" || err != nil || n < 1 {
			return p, fmt.Errorf("%q is no limit: max-temps=N", rest)
		}
		p.Limits.Regs[Temp] = min(p.Limits.Regs[Temp], n)
	}
	return p, nil
}

// Has reports whether programs of the profile may contain op. It is for making
// programs, so it asks what a device can do rather than what the model can spell.
func (p *Profile) Has(op Op) bool {
	l := &p.Limits
	switch op {
	case OpDsx, OpDsy, OpTexldd:
		return op.Exists(p.Model) && l.Gradients
	case OpSetp:
		return op.Exists(p.Model) && l.Predication
	case OpIf, OpElse, OpEndIf:
		return l.StaticIf > 0
	case OpIfc:
		return l.DynamicIf > 0
	case OpLoop, OpEndLoop, OpRep, OpEndRep, OpBreak, OpBreakc, OpBreakp:
		return op.Exists(p.Model) && l.Loops > 0
	}
	return op.Exists(p.Model)
}

// Validate is [Validate] by the limits of the profile.
func (p *Profile) Validate(q *Program) asm.Diags { return validateWithin(q, p.Limits) }
