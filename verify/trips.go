package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
)

// notableTrips are numbers of trips at which programs may start to behave differently:
// none, few, around powers of two, and the most that a register counts.
var notableTrips = []uint32{0, 1, 6, 2, 5, 7, 255, 3, 4, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 254}

// nextTo are the numbers next to those in list, and these themselves, all new to seen. What
// begins at n shows if there are n+1 trips.
func nextTo(list, seen []uint32) (out []uint32) {
	for _, n := range list {
		for _, x := range []uint32{n + 1, n, n - 1} {
			if !slices.Contains(seen, x) && !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out
}

// trips assigns numbers of trips to the integer registers that the host sets and loops count by (rep
// i#, loop aL, i#): to one of them at a time, while budget instructions last. Literal counts of the
// program and their neighbours are tried as well as notable ones.
func (c *checker) trips(budget int) (list []explore.Assignment) {
	var regs []explore.Leaf
	var literals []uint32
	size := 1
	for _, p := range []*d3d9.Program{c.before.Vertex, c.before.Pixel, c.after.Vertex, c.after.Pixel} {
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
				l := explore.Leaf{Space: uint64(p.Model.Stage), Kind: ir.Uniform, Reg: ir.Reg{File: ir.File(d3d9.ConstInt), Index: s.Index}}
				if s.File == d3d9.ConstInt && !own[s.Index] && !slices.Contains(regs, l) {
					regs = append(regs, l)
				}
			}
		}
	}
	for _, n := range slices.Concat(notableTrips, nextTo(literals, notableTrips)) {
		for _, r := range regs {
			if n <= 255 && budget > 0 {
				list = append(list, explore.Assignment{{Leaf: r, Bits: n}})
				budget -= int(n+1) * size
			}
		}
	}
	return list
}
