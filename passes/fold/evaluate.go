package fold

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// evaluate notes the lanes of in whose values are known, and makes in a move of
// literals where all of them are.
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
		bits, ok := x.lane(in, i)
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

// become makes in say what to says, if the dialect can and a step is granted.
func (x *folder) become(in, to *ir.Instr) bool {
	if d := x.f.Dialect; !d.Has(to.Op) || !d.Encodable(to) || !x.c.Step(in, "evaluated", "made "+to.Op.String()) {
		return false
	}
	*in = *to
	return true
}

// lane computes lane i of in, if it may be computed at compile time: the bits of a sum
// of rounded products are up to the hardware, which may fuse the two; over the reals
// either will do.
func (x *folder) lane(in *ir.Instr, i int) (bits uint32, ok bool) {
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
