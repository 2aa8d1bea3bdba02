package vsps

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// settle orders the nodes, and tells what each waits for and in which phase it is.
// Order is that of the function, so that the first leaf of the search is the order of
// the input.
func (x *fixedEmitter) settle() error {
	// The sets of nodes are words of 32 bits (fixedNode.deps, machineState.done). The models have
	// 16 slots at most, and a pair holds two nodes, so a program that fits needs no more.
	if len(x.nodes) > 32 {
		return errFixed
	}
	place := map[*ir.Instr]int{}
	for i, in := range x.f.Body.Code {
		place[in] = i + 1
	}
	late := len(x.f.Body.Code) + 1
	// Nodes that no instruction of the function stands for (movs that emission added) come last.
	at := func(n *fixedNode) int { return cmp.Or(place[n.in], late) }
	slices.SortStableFunc(x.nodes, func(a, b *fixedNode) int { return cmp.Compare(at(a), at(b)) })
	for i, n := range x.nodes {
		n.index, n.deps, n.phase = i, 0, 1
	}
	border := slices.IndexFunc(x.orig.Insts, func(in d3d9.Inst) bool { return in.Op == d3d9.OpPhase })
	for _, n := range x.nodes {
		if n.in.Orig >= 0 && int(n.in.Orig) < border {
			n.phase = 0
		}
		for k := range n.src {
			// A node depends on the nodes whose results it reads from temporaries. What a texture
			// instruction left is there when the phase begins.
			for _, v := range n.src[k].lane {
				if m := x.nodeOf(v); !n.src[k].fixed && v != nil && m != nil && x.anchorOf(v) < 0 {
					n.deps |= 1 << m.index
				}
			}
		}
	}
	// What an early statement or the texture instructions of the second phase read is early.
	var early func(v *ir.Value)
	early = func(v *ir.Value) {
		n := x.nodeOf(v)
		if v == nil || n == nil || x.anchorOf(v) >= 0 {
			return
		}
		n.phase = 0
		for k := range n.src {
			for _, w := range n.src[k].lane {
				if w != nil && !n.src[k].fixed {
					early(w)
				}
			}
		}
	}
	for i := range x.alive {
		for _, o := range x.reads(i) {
			for _, v := range o.lane {
				if x.orig.Insts[i].Op != d3d9.OpTexDepth && v != nil {
					early(v)
				}
			}
		}
	}
	for _, n := range x.nodes {
		if n.phase == 0 {
			for k := range n.src {
				for _, v := range n.src[k].lane {
					if v != nil && !n.src[k].fixed {
						early(v)
					}
				}
			}
		}
	}
	return nil
}
