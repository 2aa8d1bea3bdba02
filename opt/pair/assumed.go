package pair

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// ReadsColours reports whether p is a pixel program of 3.0 that reads colours. In older models the
// hardware clamps the colours anyway.
func ReadsColours(p *d3d9.Program) bool {
	return p.Model.Major >= 3 && slices.ContainsFunc(p.Insts, func(in d3d9.Inst) bool {
		return in.Op == d3d9.OpDcl && in.Dst.File == d3d9.Input && in.Decl.Usage == d3d9.UsageColor
	})
}

// WithinUnit returns the vertex program p with its colour outputs saturated, as all models below 3.0
// do. It skips an output register of 3.0 that carries another semantic besides a colour (several dcl of
// one register), and instructions without _sat.
func WithinUnit(p *d3d9.Program) *d3d9.Program {
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

// WithoutLevels returns p with texldl, texldb and texldd replaced by texld. It keeps those within
// branches, loops and subroutines: texld computes derivatives, which are undefined where neighbouring
// pixels take another path. It also keeps a texldd whose operands texld may not have in its model.
func WithoutLevels(p *d3d9.Program) *d3d9.Program {
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
