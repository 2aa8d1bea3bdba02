package shaderlift

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// Tools that edit programs of games copy whole registers of which a component is written
// later, over the copy. Microsoft's assembler refuses that, the runtime and drivers do not.
// Where nothing depends on what is read, the program says clearly what it computes.

// splitUnwritten takes the reads of components that nothing may have written out of what is wrong.
func splitUnwritten(wrong asm.Diags) (left, unwritten asm.Diags) {
	for _, d := range wrong {
		if d.Code == "uninitialized-register" {
			unwritten = append(unwritten, d)
		} else {
			left = append(left, d)
		}
	}
	return left, unwritten
}

// tolerable reports whether a diagnostic is of what Microsoft's assembler refuses, the runtime and
// drivers do not, and which says clearly what it computes: a read of vPos or vFace without a
// declaration, or of what some of the paths there have written, and not all. On the others the register
// holds what it held at first, whatever that is, and a result has to hold the same.
func tolerable(code asm.Code) bool {
	return code == d3d9.PartlyInitialized || code == d3d9.UndeclaredBuiltin
}

// tolerated are the diagnostics of that kind.
func tolerated(all asm.Diags) (some asm.Diags) {
	for _, d := range all {
		if tolerable(d.Code) {
			some = append(some, d)
		}
	}
	return some
}

// dependsOnUnwritten reports whether an output or an effect of f may depend on what no path to its
// read has written. Of a program that is not understood that cannot be told.
func dependsOnUnwritten(f *ir.Func) bool {
	if f == nil {
		return true
	}
	needs := f.Needs(true)
	// What a macro spoiled is like what comes from where control does not.
	found := f.HasLeaf(func(v *ir.Value) bool { return v.Kind == ir.Undef && v.Home == ir.Reg{} && needs.Live[v.ID] })
	written := writtenMerges(f)
	f.Walk(func(in *ir.Instr) { found = found || readsUnwritten(in, needs, written) })
	return found
}

// writtenMerges tells of the values that take over others where control flow meets whether some path
// there has written them: whether a value comes to them that is neither undefined nor made of nothing else.
func writtenMerges(f *ir.Func) map[*ir.Value]bool {
	written, takers := map[*ir.Value]bool{}, map[*ir.Value][]*ir.Value{}
	var work []*ir.Value
	for to, list := range f.Handed() { // a set comes of it
		if !isMerge(to) {
			continue
		}
		written[to] = false
		for _, from := range list {
			if isMerge(from) {
				takers[from] = append(takers[from], to)
			} else if from.Kind != ir.Undef && !written[to] {
				written[to] = true
				work = append(work, to)
			}
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, to := range takers[v] {
			if !written[to] {
				written[to] = true
				work = append(work, to)
			}
		}
	}
	return written
}

// isMerge reports whether v, which takes over others, is nothing else, unlike a predicated write.
func isMerge(v *ir.Value) bool {
	return v.Kind == ir.Param || v.Kind == ir.Result && len(v.Def.Sub) > 0
}

// readsUnwritten reports whether an operand of in that anything depends on is what no path there has
// written.
func readsUnwritten(in *ir.Instr, needs *ir.Needs, written map[*ir.Value]bool) bool {
	var mask uint8
	for i, v := range in.Out {
		if v != nil && needs.Live[v.ID] {
			mask |= 1 << i
		}
	}
	if mask == 0 && !needs.Reached[in] {
		return false
	}
	unwritten := func(l ir.Lane) bool {
		if l.V == nil {
			return false
		}
		some, merge := written[l.V]
		return l.V.Kind == ir.Undef || merge && !some
	}
	for k := range in.Src {
		reads := in.ReadsFor(k, mask)
		for i, l := range in.Src[k] {
			if (needs.Reached[in] || reads>>i&1 != 0) && unwritten(l) {
				return true
			}
		}
	}
	for i, l := range in.Pred {
		if (needs.Reached[in] || mask>>i&1 != 0) && unwritten(l) {
			return true
		}
	}
	return false
}
