package opt

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/naming"
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
	for _, a := range o.Assume {
		matters := false
		switch {
		case list[pixel].Model.Stage != d3d9.Pixel:
		case a == OneLevel:
			list[pixel] = withoutLevels(list[pixel])
			matters = list[pixel] != programs[pixel]
		case a == UnitColours && readsColours(list[pixel]):
			if list[0].Model.Major >= 3 { // an older one has no _sat, see asDrawn
				list[0] = withinUnit(list[0])
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
	if len(programs) != 2 || programs[0].Model.Major >= 3 || !readsColours(programs[1]) ||
		!slices.Contains(o.Assume, UnitColours) {
		return programs
	}
	return []*d3d9.Program{withinUnit(programs[0]), programs[1]}
}

// readsColours reports whether p is a pixel program of 3.0 that reads colours. In older models the
// hardware clamps the colours anyway.
func readsColours(p *d3d9.Program) bool {
	return p.Model.Major >= 3 && slices.ContainsFunc(p.Insts, func(in d3d9.Inst) bool {
		return in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Input && in.Decl.Usage == d3d9.UsageColor
	})
}

// withinUnit returns the vertex program p with its colour outputs saturated, as all models below 3.0
// do. It skips an output register of 3.0 that carries another semantic besides a colour (several dcl of
// one register), and instructions without _sat.
func withinUnit(p *d3d9.Program) *d3d9.Program {
	colour, other := map[d3d9.Reg]bool{}, map[d3d9.Reg]bool{}
	q := *p
	q.Insts = slices.Clone(p.Insts)
	for i := range q.Insts {
		in := &q.Insts[i]
		switch {
		case in.Op == d3d9.OpDcl && in.Decl.Usage == d3d9.UsageColor:
			colour[in.Dst.Reg] = in.Dst.File == d3d9.Output
		case in.Op == d3d9.OpDcl:
			other[in.Dst.Reg] = true
		case !d3d9.SatAllowed(d3d9.VS30, in.Op):
		case in.HasDst && (in.Dst.File == d3d9.AttrOut || colour[in.Dst.Reg] && !other[in.Dst.Reg]):
			in.Dst.Mods |= d3d9.Saturate
			in.Text, in.Raw = "", nil
		}
	}
	return &q
}

// withoutLevels returns p with texldl, texldb and texldd replaced by texld. It keeps those within
// branches, loops and subroutines: texld computes derivatives, which are undefined where neighbouring
// pixels take another path. It also keeps a texldd whose operands texld may not have in its model.
func withoutLevels(p *d3d9.Program) *d3d9.Program {
	q := p
	open := 0
	for i := range p.Insts {
		switch op := p.Insts[i].Op; op {
		case d3d9.OpIf, d3d9.OpIfc, d3d9.OpLoop, d3d9.OpRep:
			open++
		case d3d9.OpEndIf, d3d9.OpEndLoop, d3d9.OpEndRep:
			open--
		case d3d9.OpLabel:
			// The body of a label runs at each of its calls, up to the end of the program.
			open++
		}
		if open > 0 {
			continue
		}
		switch p.Insts[i].Op {
		case d3d9.OpTexldl, d3d9.OpTexldb, d3d9.OpTexldd:
			if !asTexld(&p.Insts[i], p.Model) {
				continue
			}
			if q == p {
				c := *p
				c.Insts = append([]d3d9.Inst{}, p.Insts...)
				q = &c
			}
			in := &q.Insts[i]
			in.Op, in.NSrc, in.Text, in.Raw = d3d9.OpTexld, 2, "", nil
			in.Src[2], in.Src[3] = d3d9.Src{}, d3d9.Src{}
		}
	}
	return q
}

// asTexld reports whether texld may have the operands of in in model m. Before 3.0, texld takes a
// coordinate register and writes its whole destination; texldd need not.
func asTexld(in *d3d9.Inst, m d3d9.Model) bool {
	return d3d9.CanRead(m, d3d9.OpTexld, 0, in.Src[0].File) && d3d9.MaskFits(m, d3d9.OpTexld, &in.Dst)
}
