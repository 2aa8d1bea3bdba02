package verify

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// linkage is how the inputs of a pixel program of 3_0 hang on the outputs of a vertex program. The
// runtime draws with a pair if every input has an output of its semantic that declares at least its
// components, in the same places, and if semantics that share a register on one side share one on the
// other. Below 3_0 registers have fixed semantics, and nothing can fail to fit.
type linkage struct {
	open   map[uint64]string  // inputs without an output, by semantic and component
	packed map[[2]uint64]bool // pairs of semantics that share a register on one side alone
}

// linkageOf finds what does not fit in a pair; both maps are empty if it is drawn.
func linkageOf(p Pair) linkage {
	l := linkage{open: map[uint64]string{}, packed: map[[2]uint64]bool{}}
	if p.Vertex == nil || p.Pixel == nil || p.Vertex.Model.Major < 3 || p.Pixel.Model.Major < 3 {
		return l
	}
	vs, ps := declarationsOf(p.Vertex), declarationsOf(p.Pixel)
	outs, ins := vs.semantics(d3d9.Output), ps.semantics(d3d9.Input)
	for key, in := range ins {
		if _, ok := outs[key]; !ok {
			l.open[key] = ps.spell(in)
		}
	}
	for x, in := range ins {
		for y, other := range ins {
			out, ok := outs[x]
			out2, ok2 := outs[y]
			if ok && ok2 && (in.Index == other.Index) != (out.Index == out2.Index) {
				l.packed[[2]uint64{x, y}] = true
			}
		}
	}
	return l
}

// semantics lists the declared components of a file by what they are matched by.
func (p *program) semantics(f d3d9.File) map[uint64]ir.Reg {
	list := map[uint64]ir.Reg{}
	for i := range p.src.Insts {
		in := &p.src.Insts[i]
		if in.Op != d3d9.OpDcl || in.Dst.File != f {
			continue
		}
		for c := range uint8(4) {
			if in.Dst.Mask.Has(int(c)) {
				r := ir.Reg{File: ir.File(f), Index: in.Dst.Index, Comp: c}
				list[p.semanticKey(r)] = r
			}
		}
	}
	return list
}

// sameLinkage refuses a pair that is not drawn because its ends do not fit, where those of the
// original do: an input without an output is new, or there is packing that does not fit at all where
// before had none.
func sameLinkage(before, after Pair) error {
	old, now := linkageOf(before), linkageOf(after)
	first := ^uint64(0)
	for key := range now.open { // the least
		if old.open[key] == "" && key < first {
			first = key
		}
	}
	switch {
	case first != ^uint64(0):
		return fmt.Errorf("the vertex program declares no output for %s", now.open[first])
	case len(now.packed) > 0 && len(old.packed) == 0:
		return fmt.Errorf("varyings share a register in one program and not in the other")
	}
	return nil
}
