package words

import (
	"math"
	"math/big"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// notBeyond reports whether the float a is at most b (at least if down), or both are NaN. It strips literal
// summands with the sign of b, which never decrease the sum however it is rounded, until both sums are
// equal. Over the reals it compares the sums of all literals. It keeps summands below the smallest normal
// number, since hardware may flush them.
func (o *order) notBeyond(a, b symbolic.Term, down bool) bool {
	if o.reals {
		x, p := o.offset(a)
		y, q := o.offset(b)
		return x == y && (p.Cmp(q) == 0 || (p.Cmp(q) > 0) == down)
	}
	for a != b {
		x, p, okA := o.addition(a)
		y, q, okB := o.addition(b)
		switch {
		case !okB:
			return false
		case okA && p == q:
			a, b = x, y
		case (q < 0) == down && math.Abs(q) >= smallestNormal:
			b = y
		default:
			return false
		}
	}
	return true
}

const smallestNormal = 0x1p-126

// addition reads x as the sum of a float and a finite literal.
func (o *order) addition(x symbolic.Term) (y symbolic.Term, by float64, ok bool) {
	args := o.t.Operands(x)
	if o.t.Tag(x) != symbolic.TagOp || o.t.Aux(x) != uint64(ir.OpAdd) || len(args) != 2 {
		return 0, 0, false
	}
	for i, a := range args {
		if bits, isBits := o.Bits(a); isBits && !math.IsInf(symbolic.Double(bits), 0) && !math.IsNaN(symbolic.Double(bits)) {
			return args[1-i], symbolic.Double(bits), true
		}
	}
	return 0, 0, false
}

// offset decomposes x into a base and the real number added to it.
func (o *order) offset(x symbolic.Term) (base symbolic.Term, sum *big.Rat) {
	sum = new(big.Rat)
	for {
		y, by, ok := o.addition(x)
		if !ok {
			return x, sum
		}
		x = y
		sum.Add(sum, new(big.Rat).SetFloat64(by))
	}
}
