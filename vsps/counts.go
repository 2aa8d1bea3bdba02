package vsps

import (
	"errors"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// count returns the integer register with the trip count of loop or rep in. This is its home if the
// count still matches, else a register that the program defines with these words, else a new defi.
// Counts are literals here because unrolling folded them. defi costs no slot, but there are only 16
// registers, and those in the constant table belong to the host.
func (w *writer) count(in *ir.Instr) (d3d9.Reg, error) {
	var words [4]uint32
	home, settled := in.Src[0][0].V.Home, true
	in.Src[0].EachLane(func(i int, l *ir.Lane) {
		words[i] = l.V.Bits
		settled = settled && l.V.Home.File == home.File && l.V.Home.Index == home.Index
	})
	if settled && d3d9.File(home.File) == d3d9.ConstInt {
		return d3d9.Reg{File: d3d9.ConstInt, Index: home.Index}, nil
	}
	// A rep reads only the count (x); a loop also the start and the step of aL (y and z).
	n := 1
	if in.Sub[0].Index != nil {
		n = 3
	}
	// taken: registers that the input reads, or that the input or this emission defines.
	taken := map[d3d9.Reg]bool{}
	for _, list := range [][]d3d9.Inst{w.orig.Insts, w.ints} {
		for i := range list {
			x := &list[i]
			for _, s := range x.Sources() {
				taken[s.Reg] = true
			}
			if x.Op != d3d9.OpDefI {
				continue
			}
			taken[x.Dst.Reg] = true
			if slices.Equal(x.Imm[:n], words[:n]) {
				return x.Dst.Reg, nil
			}
		}
	}
	table, err := w.orig.ConstantTable()
	if err != nil {
		return d3d9.Reg{}, err
	}
	for i := range w.orig.Model.Limits().Regs[d3d9.ConstInt] {
		r := d3d9.Reg{File: d3d9.ConstInt, Index: uint16(i)}
		if !taken[r] && table.Lookup(r) == nil {
			w.ints = append(w.ints, d3d9.Inst{Op: d3d9.OpDefI, HasDst: true, Imm: words,
				Dst: d3d9.Dst{Reg: r, Mask: d3d9.MaskAll}})
			return r, nil
		}
	}
	return d3d9.Reg{}, errors.New("no free integer register for a trip count")
}
