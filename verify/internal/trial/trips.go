package trial

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
)

// Trips returns assignments of trip counts to the integer registers that the host sets and loops count by
// (rep i#, loop aL, i#). It varies one register at a time, within budget instructions. It tries notable
// counts, and literal counts of the program with their neighbours.
func Trips(before, after draws.Pair, budget int) (list []explore.Assignment) {
	var regs []explore.Leaf
	var literals []uint32
	size := 1
	for _, p := range []*d3d9.Program{before.Vertex, before.Pixel, after.Vertex, after.Pixel} {
		if p == nil {
			continue
		}
		size = max(size, len(p.Insts))
		own := map[uint16]bool{}
		for i := range p.Insts {
			switch in := &p.Insts[i]; in.Op {
			case d3d9.OpDefI:
				own[in.Dst.Index] = true
				literals = append(literals, in.Imm[0])
			case d3d9.OpRep, d3d9.OpLoop:
				s := &in.Src[0]
				if in.Op == d3d9.OpLoop {
					s = &in.Src[1]
				}
				l := explore.Leaf{Space: uint64(p.Model.Stage), Kind: ir.Uniform,
					Reg: ir.Reg{File: ir.File(d3d9.ConstInt), Index: s.Index}}
				if s.File == d3d9.ConstInt && !own[s.Index] && !slices.Contains(regs, l) {
					regs = append(regs, l)
				}
			}
		}
	}
	for _, n := range slices.Concat(explore.NotableTrips, explore.NextTo(literals, explore.NotableTrips)) {
		for _, r := range regs {
			if n <= 255 && budget > 0 {
				list = append(list, explore.Assignment{{Leaf: r, Bits: n}})
				budget -= int(n+1) * size
			}
		}
	}
	return list
}
