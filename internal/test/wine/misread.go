package wine

import "github.com/shaderlift/shaderlift/asm/d3d9"

// misreadings are what Wine, as of 8.0, does not draw as the reference has it, and does not complain of
// either. The functions below say what happens instead.
var misreadings = []struct {
	what string
	in   func(*d3d9.Program) bool
}{
	{"a subroutine", subroutine},
	{"a register of two usages", shared},
	{"a pair of instructions, the second of which reads what the first writes", chained},
}

// Misread names what it is that Wine misreads in a pair, whose picture then says nothing. It
// is empty if there is no such thing.
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

// subroutine: Wine hands the outputs on where the code ends, which is the end of the last
// subroutine and not that of the program. What is drawn is what memory held.
func subroutine(p *d3d9.Program) bool {
	return containsInst(p, func(in *d3d9.Inst, _ int) bool { return in.Op == d3d9.OpLabel })
}

// shared: of the usages that a register of version 3 has, Wine knows one.
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

// chained: where two instructions are issued together, Wine executes one after the other,
// and by the reference both read what was there before.
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

// containsInst reports whether there is such an instruction.
func containsInst(p *d3d9.Program, is func(in *d3d9.Inst, i int) bool) bool {
	for i := range p.Insts {
		if is(&p.Insts[i], i) {
			return true
		}
	}
	return false
}
