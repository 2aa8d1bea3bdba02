package wine

import "github.com/shaderlift/shaderlift/asm/d3d9"

// misreadings lists constructs that Wine 8.0 draws differently from the reference, without a report. The
// functions below describe the differences.
var misreadings = []struct {
	what string
	in   func(*d3d9.Program) bool
}{
	{"a subroutine", subroutine},
	{"a register of two usages", shared},
	{"a co-issued pair whose second instruction reads the result of the first", chained},
}

// Misread returns the name of a construct in the pair that Wine misreads, or "" if there is none. The picture
// of such a pair is no evidence.
func Misread(p Programs) string {
	for _, program := range []*d3d9.Program{p.Vertex, p.Pixel} {
		for _, m := range misreadings {
			if m.in(program) {
				return m.what
			}
		}
	}
	return ""
}

// subroutine reports whether p has a subroutine. Wine copies the outputs at the end of the code, which is the
// end of the last subroutine and not of the main program. The picture then shows old memory.
func subroutine(p *d3d9.Program) bool {
	return containsInst(p, func(in *d3d9.Inst, _ int) bool { return in.Op == d3d9.OpLabel })
}

// shared reports whether a register of version 3 has several usages. Wine uses only one of them.
func shared(p *d3d9.Program) bool {
	declared := map[d3d9.Reg]bool{}
	return containsInst(p, func(in *d3d9.Inst, _ int) bool {
		again := in.Op == d3d9.OpDcl && declared[in.Dst.Reg]
		if in.Op == d3d9.OpDcl {
			declared[in.Dst.Reg] = true
		}
		return again
	})
}

// chained reports whether the second instruction of a co-issued pair reads a result of the first. Wine executes
// one after the other. By the reference, both read the registers as they were before the pair.
func chained(p *d3d9.Program) bool {
	return containsInst(p, func(in *d3d9.Inst, i int) bool {
		for k, s := range in.Sources() {
			if in.CoIssue && s.Reg == p.Insts[i-1].Dst.Reg && in.Components(k, d3d9.TexUnknown)&p.Insts[i-1].Dst.Mask != 0 {
				return true
			}
		}
		return false
	})
}

// containsInst reports whether is returns true for an instruction of p.
func containsInst(p *d3d9.Program, is func(in *d3d9.Inst, i int) bool) bool {
	for i := range p.Insts {
		if is(&p.Insts[i], i) {
			return true
		}
	}
	return false
}
