package reals

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// split returns the term of a fused multiply-add whose product rounds nothing. It is the term of the two
// separate instructions, which is equal whether or not the hardware rounds in between.
func (b *Bitwise) split(in *ir.Instr, lane int, src *symbolic.Sources[Element]) (t symbolic.Term, ok bool) {
	if op := in.Op.Legacy(); op != ir.OpMad && op != ir.OpFma || in.Mods&ir.Half != 0 {
		return 0, false
	}
	x, y := src[0][lane], src[1][lane]
	if x.isBits {
		x, y = y, x
	}
	product := b.algebra.Mul(x, y)
	switch r := (arithmetic{}).Mul(b.reading(x), b.reading(y)); {
	case r.exact:
		product = b.noted(product, r)
	case b.reading(y).scales():
		b.src[0][lane], b.src[1][lane] = b.termOf(x), b.termOf(y)
		product = b.withTerm(product, b.terms.Apply(mulInstr, lane, &b.src))
	default:
		return 0, false
	}
	b.src[0][lane], b.src[1][lane] = b.termOf(product), b.termOf(src[2][lane])
	t = b.terms.Apply(addInstr, lane, &b.src)
	if in.Mods&ir.Sat != 0 {
		t = b.terms.Saturate(t)
	}
	return t, true
}

// mulInstr and addInstr are instructions of two operands.
var (
	mulInstr = &ir.Instr{Op: ir.OpMul, Src: make([]ir.Operand, 2)}
	addInstr = &ir.Instr{Op: ir.OpAdd, Src: make([]ir.Operand, 2)}
)
