package algebra

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// evaluate records the known lanes of in, and replaces in by a move of literals if all are known.
func (x *folder) evaluate(in *ir.Instr) {
	if !x.c.Allows(passes.Bits, in) {
		return
	}
	var result [4]uint32
	all := in.Mask() != 0
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		bits, ok := x.foldLane(in, i)
		if ok {
			x.bits[v.ID], x.known[v.ID] = bits, true
			result[i] = bits
		}
		all = all && ok
	}
	if !all || in.Op == ir.OpMov && in.Mods&ir.Sat == 0 {
		return
	}
	mov := *in
	mov.Op, mov.Mods = ir.OpMov, in.Mods&^ir.Sat
	mov.Src = []ir.Operand{{}}
	for i, v := range in.Out {
		if v != nil {
			mov.Src[0][i] = ir.Lane{V: x.f.Const(result[i])}
		}
	}
	x.become(in, &mov)
}

// become replaces in by to, if the dialect can express it and a step is granted.
func (x *folder) become(in, to *ir.Instr) bool {
	if d := x.f.Dialect; !d.Supports(to.Op) || !d.Encodable(to) ||
		!x.c.ShouldRewrite(in, "evaluated", "made "+to.Op.String()) {
		return false
	}
	*in = *to
	return true
}

// foldLane computes lane i of in, if that is allowed at compile time. The bits of a sum of rounded products
// depend on the hardware, which may fuse the two; over the reals both results are valid.
func (x *folder) foldLane(in *ir.Instr, i int) (bits uint32, ok bool) {
	alg := &x.words
	*alg = ir.Words{Fold: true}
	bits = ir.Eval(alg, in.Op, i, func(src, lane int) uint32 {
		bits, ok := x.literal(in.Src[src][lane])
		alg.Fold = alg.Fold && ok
		return bits
	})
	if in.Mods&ir.Sat != 0 {
		bits = alg.Call(ir.PrimSat, []uint32{bits})
	}
	return bits, alg.Fold && (!alg.Fusable || x.c.Allows(passes.Real, in))
}
