package wine

import "github.com/shaderlift/shaderlift/asm/d3d9"

// fixedError is the absolute error of results of ps_1_x programs, which are numbers about 1.
const fixedError = 0x1p-22

// fixedPoint reports whether p is a ps_1_x program.
func fixedPoint(p *d3d9.Program) bool { return p.Model.Stage == d3d9.Pixel && p.Model.Major == 1 }

// fixed perturbs the statements of p, a ps_1_x program. It perturbs results after a co-issued pair, because a
// pair must stay adjacent. It does not perturb the coordinates of texture instructions directly, but all inputs
// depend on the pixel centres, which are perturbed.
func (l *loosener) fixed(p *d3d9.Program) {
	var off []d3d9.Dst
	for i, in := range p.Insts {
		l.redirect(&in)
		l.code = append(l.code, in)
		if computes(&in) {
			off = append(off, d3d9.Dst{Reg: in.Dst.Reg, Mask: in.Dst.Mask})
		}
		if next := i + 1; next < len(p.Insts) && p.Insts[next].CoIssue {
			continue
		}
		for _, dst := range off {
			l.apply(absolute(fixedError), dst, reads(dst.Reg), d3d9.Inst{})
		}
		off = off[:0]
	}
}

// computes reports whether a ps_1_x instruction writes a register. Rows of a matrix are kept elsewhere.
func computes(in *d3d9.Inst) bool {
	switch in.Op {
	case d3d9.OpTexKill, d3d9.OpTexDepth, d3d9.OpTexM3x2depth, d3d9.OpTexM3x2pad, d3d9.OpTexM3x3pad:
		return false
	}
	return in.HasDst && in.Op.Kind() != d3d9.Declaration
}
