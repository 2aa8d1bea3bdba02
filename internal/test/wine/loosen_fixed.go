package wine

import "github.com/shaderlift/shaderlift/asm/d3d9"

// fixedError is absolute, of whatever programs of ps_1_x compute: numbers about 1.
const fixedError = 0x1p-22

// fixedPoint reports whether p is of ps_1_x.
func fixedPoint(p *d3d9.Program) bool { return p.Model.Stage == d3d9.Pixel && p.Model.Major == 1 }

// fixed rewrites the statements of p, which is of ps_1_x. Results are put off, behind what is issued
// together, since a pair must stay adjacent. Where texture instructions look up is not put off, but all
// inputs follow the pixel centres, which are.
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

// computes reports whether an instruction of ps_1_x leaves something in a register: rows of a matrix
// are kept elsewhere.
func computes(in *d3d9.Inst) bool {
	switch in.Op {
	case d3d9.OpTexKill, d3d9.OpTexDepth, d3d9.OpTexM3x2depth, d3d9.OpTexM3x2pad, d3d9.OpTexM3x3pad:
		return false
	}
	return in.HasDst && in.Op.Kind() != d3d9.Declaration
}
