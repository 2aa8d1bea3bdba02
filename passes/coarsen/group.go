package coarsen

import "github.com/shaderlift/shaderlift/ir"

// phase is the code up to a barrier, or up to the end.
type phase struct {
	code  []*ir.Instr
	fence *ir.Instr // nil at the end
}

// phasesOf divides code at its barriers.
func phasesOf(code []*ir.Instr) (list []phase) {
	list = []phase{{}}
	for _, in := range code {
		p := &list[len(list)-1]
		if in.Op != ir.OpFence {
			p.code = append(p.code, in)
			continue
		}
		p.fence = in
		list = append(list, phase{})
	}
	return list
}

// findOwn records the loads from memory that the same phase stores to.
func (k *copier) findOwn() {
	k.own = map[*ir.Instr]bool{}
	for _, p := range phasesOf(k.f.Body.Code) {
		stored := map[ir.Reg]bool{}
		whole := &ir.Region{Code: p.code}
		whole.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpMemStore {
				stored[in.Results[0].Home] = true
			}
		})
		whole.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpMemLoad && stored[in.Args[0].Home] {
				k.own[in] = true
			}
		})
	}
}

// barrier copies a barrier. It leaves one state of each memory for all invocations.
func (k *copier) barrier(in *ir.Instr, all invocations) {
	out := k.cloneHeader(in, len(all)-1)
	for _, v := range in.Results {
		w := k.f.NewValue(ir.Result, v.Home)
		w.Def = out
		out.Results = append(out.Results, w)
		k.setCopies(all, v, w)
	}
	*k.code = append(*k.code, out)
}

// member computes the input v of invocation n, a number in the group or in the whole launch. The groups of the new
// launch are X times smaller. So a number in the whole launch is X times the new one for neighbours. Else it is
// the new one plus the number of the group times the difference of the sizes.
func (k *copier) member(v *ir.Value, n int) *ir.Value {
	scale, offset := k.t.Member(n, k.size)
	if n > 0 {
		return k.scalar(ir.OpIAdd, v.Home.Comp, k.value(0, v), k.f.Const(uint32(offset)))
	}
	of, added, _ := k.f.Dialect.Launch().Member(v.Home)
	switch {
	case scale != 1:
		return k.scalar(ir.OpIMul, v.Home.Comp, v, k.f.Const(uint32(scale)))
	case added:
		less := k.f.Const(uint32(k.size - k.size/k.t.X))
		return k.scalar(ir.OpIMad, v.Home.Comp, k.f.Leaf(ir.Input, of), less, v)
	}
	return v
}
