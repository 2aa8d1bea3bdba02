package opt

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/naming"
	"github.com/shaderlift/shaderlift/opt/pair"
)

// Assumption is a property of the state of a draw that programs do not show and the application
// promises.
type Assumption uint8

const (
	// OneLevel promises that each texture of the pixel program has one mip level and uses the same
	// filter for magnification and minification. The choice of the level then has no effect, so texldl,
	// texldb and texldd read the same texels as texld.
	OneLevel Assumption = iota + 1
	// UnitColours promises that vertex programs output colours between 0 and 1. The clamp of models
	// below 3.0 then has no effect.
	UnitColours
)

var assumptionNames = []string{"", "one-level", "unit-colours"}

// String returns the name of a in --assume.
func (a Assumption) String() string { return naming.String(assumptionNames, a) }

// MarshalText writes the name of a.
func (a Assumption) MarshalText() ([]byte, error) { return naming.Marshal(assumptionNames, a) }

// UnmarshalText reads the name of an assumption.
func (a *Assumption) UnmarshalText(text []byte) error {
	return naming.Unmarshal(assumptionNames, a, text, "assumption")
}

// meant returns the programs with the assumptions of o applied. The input and its replacement are both
// normalized like this before they are compared. Assumptions that change a program are noted in res.
func (o *Options) meant(res *Result, programs []*d3d9.Program) []*d3d9.Program {
	list := slices.Clone(programs)
	pixel := len(list) - 1 // if there is one
	for _, a := range o.Host.Assume {
		matters := false
		switch {
		case list[pixel].Model.Stage != d3d9.Pixel:
		case a == OneLevel:
			list[pixel] = pair.WithoutLevels(list[pixel])
			matters = list[pixel] != programs[pixel]
		case a == UnitColours && pair.ReadsColours(list[pixel]):
			if list[0].Model.Major >= 3 { // an older one has no _sat, see asDrawn
				list[0] = pair.WithinUnit(list[0])
			}
			matters = true
		}
		if matters && !slices.Contains(res.Promises, a) {
			res.Promises = append(res.Promises, a)
		}
	}
	return list
}

// asDrawn returns a pair in the form in which its draws are compared under the assumptions of o.
// MojoShader, unlike Direct3D, draws a vertex program below 3.0 with a pixel program of 3.0. Under
// UnitColours such a vertex program outputs colours within 0..1.
func (o *Options) asDrawn(programs []*d3d9.Program) []*d3d9.Program {
	if len(programs) != 2 || programs[0].Model.Major >= 3 || !pair.ReadsColours(programs[1]) ||
		!slices.Contains(o.Host.Assume, UnitColours) {
		return programs
	}
	return []*d3d9.Program{pair.WithinUnit(programs[0]), programs[1]}
}
