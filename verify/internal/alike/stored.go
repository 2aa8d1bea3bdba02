package alike

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// A kernel of a tile may store its outputs to g[], where there is room for more than eight. It is compared with an
// original that stores them too: outputs become registers, which the end of the program stores in the order of the
// domain.
//
//	mov o0, r1      mov r9, r1
//	end             ftoi r8.x, vWinCoord0.x
//	                ftoi r8.y, vWinCoord0.y
//	                imad r8.x, r8.y, l9.x, r8.x
//	                mov g[r8.x+0], r9
//	                end
//
// This code shares nothing with the pass that coarsens.

// storesOutputs returns k with its outputs in g[], for a domain of this width. It refuses kernels that access memory
// or have several ends.
func storesOutputs(k *il.Kernel, width int) (*il.Kernel, error) {
	out := &il.Kernel{Stage: k.Stage, MultiPass: k.MultiPass, RealTime: k.RealTime, Client: k.Client}
	temps, literals, end, placed := uint16(0), uint16(0), -1, false
	var written [8]il.Lanes
	each := func(k *il.Kernel, f func(in *il.Inst, r *il.Reg)) {
		for i := range k.Insts {
			in := &k.Insts[i]
			f(in, &in.Dst.Reg)
			for s := range in.Sources() {
				f(in, &in.Src[s].Reg)
			}
			indexedBy(in, func(r il.Reg) bool { f(in, &r); return false })
		}
	}
	each(k, func(in *il.Inst, r *il.Reg) {
		switch r.File {
		case il.Temp:
			temps = max(temps, r.Num+1)
		case il.Literal:
			literals = max(literals, r.Num+1)
		}
	})
	reads := false
	each(k, func(_ *il.Inst, r *il.Reg) { reads = reads || r.File == il.Global })
	if reads {
		return nil, errors.New("a kernel that accesses memory cannot store its outputs there")
	}
	outputs := int(amdil.Outputs(k))
	for i := range k.Insts {
		in := k.Insts[i]
		in.Lead, in.Text = "", ""
		switch {
		case in.Op == il.OpDclOutput && in.Dst.File == il.Output:
			continue
		case in.Op == il.OpDclInput && in.Dst.File == il.WinCoord:
			placed = in.Dst.Mask.Written()&0b11 == 0b11
		case in.Op.Kind() == il.MemoryOp:
			return nil, errors.New("a kernel that accesses memory cannot store its outputs there")
		case end < 0 && in.Op.Role() == il.Return:
			return nil, errors.New("a kernel with several ends cannot store its outputs")
		case end < 0 && (in.Op == il.OpEndMain || in.Op == il.OpEnd):
			end = len(out.Insts)
		}
		if in.HasDst && in.Dst.File == il.Output {
			written[in.Dst.Num] |= in.Dst.Mask.Written()
		}
		out.Insts = append(out.Insts, in)
	}
	if !placed || end < 0 || k.Stage != il.Pixel {
		return nil, errors.New("the position of the invocations is not declared")
	}
	each(out, func(_ *il.Inst, r *il.Reg) {
		if r.File == il.Output {
			*r = il.Reg{File: il.Temp, Num: temps + 1 + r.Num}
		}
	})
	numbers := il.Inst{Op: il.OpDclLiteral, HasDst: true, NImm: 4, Imm: [4]uint32{uint32(width), uint32(outputs)}}
	numbers.Dst.Reg, numbers.Dst.Mask = il.Reg{File: il.Literal, Num: literals}, il.MaskAll
	index := fmt.Sprintf("r%d.x", temps)
	text := fmt.Sprintf("ftoi %s, vWinCoord0.x\nftoi r%d.y, vWinCoord0.y\nimad %[1]s, r%[2]d.y, l%[3]d.x, %[1]s\n"+
		"imul %[1]s, %[1]s, l%[3]d.y\n", index, temps, literals)
	for m := range outputs {
		mask := []byte("xyzw")
		for c := range mask {
			if !written[m].Has(c) {
				mask[c] = '_'
			}
		}
		if written[m] != 0 {
			text += fmt.Sprintf("mov g[%s+%d].%s, r%d\n", index, m, mask, int(temps)+1+m)
		}
	}
	stores, err := il.Parse("stores", []byte("il_ps_2_0\n"+text+"end\n"))
	if err != nil {
		return nil, err
	}
	tail := stores.Insts[:len(stores.Insts)-1]
	out.Insts = slices.Concat([]il.Inst{numbers}, out.Insts[:end], tail, out.Insts[end:])
	return il.Parse("stored", il.Print(out))
}

// storesDiffer executes a kernel with outputs and one that stores them, and describes the first difference in any bit.
// It returns "" if nothing differs.
func (r *Runs) storesDiffer(before, after *il.Kernel, t ir.Tile) (why string) {
	var p [2]*kernel.Program
	for i, k := range []*il.Kernel{before, after} {
		var err error
		if p[i], err = kernel.Compile(k); err != nil {
			return "execution: " + err.Error()
		}
	}
	outputs := int(amdil.Outputs(before))
	why = "execution: a kernel that stores its outputs cannot be executed"
	for k := range uint64(2) {
		l := *r.Constants.InLaunch(kernel.DefaultCase(before, r.Seed+k))
		l.Width, l.Height = min(l.Width, t.Width, tiledEdge), min(l.Height, tiledEdge)
		l.Inputs = nil
		l.Global = &kernel.Buffer{Elements: outputs * t.Width * l.Height, Data: kernel.Data{Kind: kernel.Zero}}
		want, err := p[0].Run(&l, r.options())
		if err != nil {
			continue
		}
		got, err := p[1].Run(&l, r.options())
		if err != nil {
			continue
		}
		for m, words := range want.Out {
			for at := 0; at < len(words); at += 4 {
				x, y := at/4%l.Width, at/4/l.Width
				if e := 4 * (outputs*(t.Width*y+x) + m); !slices.Equal(words[at:at+4], got.Global[e:e+4]) {
					return fmt.Sprintf("execution: o%d differs if it is stored to g[]", m)
				}
			}
		}
		why = ""
	}
	return why
}
