package d3d9

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// Profile is a shader model with the capabilities of a class of devices, as compilers name them:
// the version token of ps_2_x does not distinguish ps_2_a from ps_2_b. A caller may narrow Limits
// further.
type Profile struct {
	Name   string
	Model  Model
	Limits Limits
}

// profiles are the targets for fitting programs. Those of version 2_x are the compiler's (MSDN,
// "Pixel Shader Profiles", D3DXGetPixelShaderProfile): 2_a is the NV3x, 2_b the R4xx. Compilers use
// predication and gradients instead of branches for 2_a, and neither for 2_b.
var profiles = []struct {
	name string
	// narrow reduces the limits of the most generous device of the model.
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
	// R4xx hardware adds little more than registers and slots to ps_2_0.
	{name: "ps_2_b", narrow: func(l *Limits) {
		least := PS20.Limits()
		l.TextureLevels, l.Swizzles = least.TextureLevels, least.Swizzles
		l.StaticIf, l.DynamicIf, l.Loops, l.Calls = 0, 0, 0, 0
		l.Predication, l.gradients = false, false
	}},
	{name: "ps_3_0"},
}

// Profiles returns the names of the profiles, vertex profiles first.
func Profiles() (names []string) {
	for _, row := range profiles {
		names = append(names, row.name)
	}
	return names
}

// ParseProfile reads the name of a profile and, after a comma, an optional limit: ps_2_0, or
// ps_2_b,max-temps=16. The limit can only narrow the profile's own.
func ParseProfile(text string) (p Profile, err error) {
	name, rest, more := strings.Cut(text, ",")
	k := slices.Index(Profiles(), name)
	if k < 0 {
		return p, fmt.Errorf("unknown profile %q (want %s)", name, strings.Join(Profiles(), ", "))
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
			return p, fmt.Errorf("%q is not a limit (want max-temps=N)", rest)
		}
		p.Limits.Regs[Temp] = min(p.Limits.Regs[Temp], n)
	}
	return p, nil
}

// Supports reports whether programs of the profile may contain op. It serves program generation, so it
// checks the abilities of the device and not only the model's encoding.
func (p *Profile) Supports(op Op) bool {
	l := &p.Limits
	switch op {
	case OpDsx, OpDsy, OpTexldd:
		return op.Exists(p.Model) && l.gradients
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

// Validate checks q like [Validate], with the limits of the profile.
func (p *Profile) Validate(q *Program) asm.Diags { return validateWithin(q, p.Limits) }
