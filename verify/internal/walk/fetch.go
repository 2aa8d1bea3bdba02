package walk

import "github.com/shaderlift/shaderlift/ir"

// coordinates returns the op that fetches the texels of the fetch in, whose operands are in w.src. It
// rewrites two fetches as plain ones:
//
//   - A bias of 0 does not change the level of detail, whatever its sign.
//   - A projective fetch divides its coordinates by w. Over the reals it fetches at their products with the
//     reciprocal of w.
func (w *walker[T]) coordinates(in *ir.Instr) ir.Op {
	last := &w.src[0][3]
	switch in.Op {
	case ir.OpFetchBias:
		if bits, ok := w.dom.Bits(*last); ok && bits<<1 == 0 {
			return ir.OpFetch
		}
	case ir.OpFetchProj:
		if !w.opt.Reals {
			break
		}
		at := w.src[0]
		w.src[0] = [4]T{at[3], at[3], at[3], at[3]}
		by := w.dom.Apply(&reciprocalInstr, 0, &w.src)
		for i := range in.Res.Dim.Coords() {
			w.src[0][i], w.src[1][i] = at[i], by
			at[i] = w.dom.Apply(&productInstr, int(i), &w.src)
		}
		w.src[0] = at
		return ir.OpFetch
	}
	return in.Op
}

// The instructions that coordinates executes.
var (
	reciprocalInstr = ir.Instr{Op: ir.OpRcp, Src: make([]ir.Operand, 1)}
	productInstr    = ir.Instr{Op: ir.OpMul, Src: make([]ir.Operand, 2)}
)
