package iface

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/draws"
)

// linkage describes mismatches between the inputs of a ps_3_0 program and the outputs of a vertex program.
// The runtime draws a pair under two conditions. Every input has an output of its semantic that declares at
// least its components, in the same places. Semantics that share a register in one program share one in the
// other. Below 3_0 registers have fixed semantics, so that everything matches.
type linkage struct {
	open   map[uint64]string  // inputs without an output, by semantic and component
	packed map[[2]uint64]bool // pairs of semantics that share a register in one program alone
}

// linkageOf finds the mismatches of a pair. Both maps are empty if Direct3D draws it.
func linkageOf(p draws.Pair) linkage {
	l := linkage{open: map[uint64]string{}, packed: map[[2]uint64]bool{}}
	if p.Vertex == nil || p.Pixel == nil || p.Vertex.Model.Major < 3 || p.Pixel.Model.Major < 3 {
		return l
	}
	vs, ps := borderOf(p.Vertex), borderOf(p.Pixel)
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

// semantics lists the declared components of a file by semantic.
func (p *Signature) semantics(f d3d9.File) map[uint64]ir.Reg {
	list := map[uint64]ir.Reg{}
	for i := range p.Source.Insts {
		in := &p.Source.Insts[i]
		if in.Op != d3d9.OpDcl || in.Dst.File != f {
			continue
		}
		for c := range uint8(4) {
			if in.Dst.Mask.Has(int(c)) {
				r := ir.Reg{File: ir.File(f), Index: in.Dst.Index, Comp: c}
				list[p.SemanticKey(r)] = r
			}
		}
	}
	return list
}

// sameLinkage refuses a pair with a new mismatch: an input without an output that is new, or shared registers
// that do not match where before had no such mismatch.
func sameLinkage(before, after draws.Pair) error {
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
		return fmt.Errorf("varyings share a register in only one of the programs")
	}
	return nil
}
