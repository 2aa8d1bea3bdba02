package lower

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// preload assigns registers to the inputs that the program reads, in the order of their files: the
// position first, then interpolants by number, then thread numbers. Components of one source
// register share one here.
func (l *lowerer) preload() {
	var regs []ir.Reg
	seen := map[ir.Reg]bool{}
	read := func(r ir.Reg) {
		if !seen[r] {
			seen[r] = true
			regs = append(regs, r)
		}
	}
	use := func(v *ir.Value) {
		if v.Kind == ir.Input && isPreloaded(v.Home.File) {
			read(v.Home)
		}
	}
	l.f.Walk(func(in *ir.Instr) {
		in.EachUse(func(lane *ir.Lane) { use(lane.V) })
		// The address in local memory is computed from it.
		if in.Op == ir.OpMemStore && in.Base.File == amdil.LocalPerThread && l.t.Family == r600.Evergreen {
			read(threadInGroup) // which selects the thread's part of local memory
		}
	})
	for _, o := range l.f.Outs {
		use(o.V)
	}
	order := func(f ir.File) int {
		if il.File(f) == il.WinCoord {
			return 0
		}
		return int(f)
	}
	slices.SortFunc(regs, func(a, b ir.Reg) int {
		return cmp.Or(order(a.File)-order(b.File), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Comp, b.Comp))
	})
	reg := int32(0)
	for i, r := range regs {
		if i == 0 || r.File != regs[i-1].File || r.Index != regs[i-1].Index {
			reg++
		}
		v := l.newVal()
		l.vals[v] = valueInfo{home: r, channel: int8(r.Comp), hint: int8(r.Comp), reg: reg}
		l.inputs[r] = v
	}
	l.fresh = mir.Val(len(l.vals))
}

// threadInGroup is the number of the thread within its group.
var threadInGroup = ir.Reg{File: ir.File(il.GroupThreadFlat)}

// isPreloaded reports whether registers of f are inputs, not the state of a memory.
func isPreloaded(f ir.File) bool {
	switch il.File(f) {
	case il.PrimitiveID, il.InstanceID:
		return true
	}
	_, ok := builtins[il.File(f)]
	return ok
}
