package effect

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// componentsRead returns a function that reports which components of float constants p may read. It
// reports all if p cannot be lifted, or reads constants by an index.
func componentsRead(p *d3d9.Program) func(at uint32) bool {
	all := func(uint32) bool { return true }
	f, err := vsps.Lift(p)
	if err != nil {
		return all
	}
	read, indexed := map[uint32]bool{}, false
	see := func(v *ir.Value) {
		if v.Kind == ir.Uniform && v.Home.File == ir.File(d3d9.Const) {
			read[4*uint32(v.Home.Index)+uint32(v.Home.Comp)] = true
		}
	}
	f.Walk(func(in *ir.Instr) {
		in.EachUse(func(l *ir.Lane) { see(l.V) })
		indexed = indexed || in.Op == ir.OpLoad && in.Base.File == ir.File(d3d9.Const)
	})
	for _, o := range f.Outs {
		see(o.V)
	}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == d3d9.OpSinCos { // its constants are not operands in the IR
			for _, s := range in.Sources()[1:] {
				for c := range uint32(4) {
					read[4*uint32(s.Index)+c] = true
				}
			}
		}
	}
	if indexed {
		return all
	}
	return func(at uint32) bool { return read[at] }
}
