package coarsen

import "github.com/shaderlift/shaderlift/ir"

// storeOutputs makes the kernel store its outputs to memory, in the order of the domain:
//
//	mov o0, r1      ftoi r2.xy, vWinCoord0.xy
//	                imad r2.x, r2.y, WIDTH, r2.x
//	                mov g[r2.x], r1
//
// A tile may then have more invocations than there are outputs.
func (k *copier) storeOutputs() {
	base, state, position := k.f.Dialect.Launch().Elements()
	k.code = &k.f.Body.Code
	across := k.scalar(ir.OpFToI, 0, k.f.Leaf(ir.Input, position))
	position.Comp = 1
	down := k.scalar(ir.OpFToI, 0, k.f.Leaf(ir.Input, position))
	at := k.scalar(ir.OpIMad, 0, down, k.f.Const(uint32(k.t.Width)), across)
	if k.outputs > 1 {
		at = k.scalar(ir.OpIMul, 0, at, k.f.Const(uint32(k.outputs)))
	}
	data := make([]ir.Operand, k.outputs)
	k.leaveOutputs()
	for _, o := range k.f.Outs {
		data[o.Reg.Index][o.Reg.Comp] = ir.Lane{V: o.V}
	}
	now := k.f.Leaf(ir.Input, state)
	for m, o := range data {
		if o == (ir.Operand{}) {
			continue
		}
		in := &ir.Instr{Op: ir.OpMemStore, Base: base, Imm: uint32(m), Src: []ir.Operand{ir.Splat(ir.Lane{V: at}), o},
			Args: []*ir.Value{now}, Orig: -1}
		now = k.f.NewValue(ir.Result, state)
		now.Def, in.Results = in, []*ir.Value{now}
		*k.code = append(*k.code, in)
	}
	k.f.Outs = []ir.Output{{Reg: state, V: now}}
	k.outputs, k.stores = 0, true
}

// leaveOutputs lets no value live in an output register.
func (k *copier) leaveOutputs() {
	leave := func(v *ir.Value) {
		if k.f.Dialect.FileRole(v.Home.File) == ir.RoleExport {
			v.Home = ir.Reg{Comp: v.Home.Comp}
		}
	}
	k.f.Walk(func(in *ir.Instr) {
		in.EachDef(leave)
		for _, sub := range in.Sub {
			for _, p := range sub.Params {
				leave(p)
			}
		}
	})
}
