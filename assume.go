package shaderlift

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/enum"
)

// Assumption is something about the state of a draw that programs do not tell, and that the
// application promises.
type Assumption uint8

const (
	// OneLevel is that the textures of the pixel program have one level each, and are
	// filtered alike where they are magnified and where they are not: then it does not matter
	// how the level is chosen, and texldl, texldb and texldd read what texld does.
	OneLevel Assumption = iota + 1
	// UnitColours is that vertex programs hand over colours between 0 and 1: then it does not
	// matter that models below 3.0 clamp them.
	UnitColours
)

var assumptionNames = []string{"", "one-level", "unit-colours"}

// String is the name that --assume has for a.
func (a Assumption) String() string { return enum.String(assumptionNames, a) }

// MarshalText is the name of a.
func (a Assumption) MarshalText() ([]byte, error) { return enum.Marshal(assumptionNames, a) }

// UnmarshalText reads the name of an assumption.
func (a *Assumption) UnmarshalText(text []byte) error {
	return enum.Unmarshal(assumptionNames, a, text, "assumption")
}

// meant returns the programs as they may be read under the assumptions of o. Both the input and
// what takes its place are read so before they are compared. Assumptions that make a difference are
// noted in res.
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

// asDrawn is a pair as draws of it are compared under the assumptions of o: a vertex program below 3.0 that is drawn with
// a pixel program of 3.0, by MojoShader if not by Direct3D, hands over colours within 0..1 if that is promised.
func (o *Options) asDrawn(programs []*d3d9.Program) []*d3d9.Program {
	if len(programs) != 2 || programs[0].Model.Major >= 3 || !readsColours(programs[1]) || !slices.Contains(o.Assume, UnitColours) {
		return programs
	}
	return []*d3d9.Program{withinUnit(programs[0]), programs[1]}
}

// readsColours reports whether p is a pixel program of 3.0 that reads colours: those below get them
// clamped by the hardware anyway.
func readsColours(p *d3d9.Program) bool {
	return p.Model.Major >= 3 && slices.ContainsFunc(p.Insts, func(in d3d9.Inst) bool {
		return in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Input && in.Decl.Usage == d3d9.UsageColor
	})
}

// withinUnit is p, a vertex program, with the colours that it hands over saturated, as models below
// 3.0 have all of them. An output register of 3.0 that carries something else besides a colour
// (several dcl of one register) is left alone, and so is what an instruction without _sat writes.
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

// withoutLevels is p with texldl, texldb and texldd replaced by texld. Those within branches, loops
// or subroutines stay: texld computes derivatives, which are undefined where neighbours take
// another path. So does a texldd that takes or writes what texld may not in its model.
func withoutLevels(p *d3d9.Program) *d3d9.Program {
	q := p
	open := 0
	for i := range p.Insts {
		switch op := p.Insts[i].Op; op {
		case d3d9.OpIf, d3d9.OpIfc, d3d9.OpLoop, d3d9.OpRep:
			open++
		case d3d9.OpEndIf, d3d9.OpEndLoop, d3d9.OpEndRep:
			open--
		case d3d9.OpLabel: // of what is called from anywhere
			// The body of a label runs wherever it is called from, to the end of the program.
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

// asTexld reports whether texld may have the operands of in in m, perhaps in another order: before
// 3.0 it takes a register of coordinates and writes all of its destination, and texldd need not.
func asTexld(in *d3d9.Inst, m d3d9.Model) bool {
	return d3d9.CanRead(m, d3d9.OpTexld, 0, in.Src[0].File) && d3d9.MaskFits(m, d3d9.OpTexld, &in.Dst)
}
