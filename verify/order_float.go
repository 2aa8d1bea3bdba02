package verify

import (
	"math"
	"math/big"

	"github.com/shaderlift/shaderlift/ir"
)

// notBeyond reports whether the float a is at most b, or if down at least, or neither is
// a number.
func (o *order) notBeyond(a, b term, down bool) bool {
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
func (o *order) addition(x term) (y term, by float64, ok bool) {
	args := o.t.operands(x)
	if o.t.tag(x) != tagOp || o.t.aux(x) != uint64(ir.OpAdd) || len(args) != 2 {
		return 0, 0, false
	}
	for i, a := range args {
		if bits, isBits := o.bits(a); isBits && !math.IsInf(double(bits), 0) && !math.IsNaN(double(bits)) {
			return args[1-i], double(bits), true
		}
	}
	return 0, 0, false
}

// offset is the real number that is added to a value to make x.
func (o *order) offset(x term) (base term, sum *big.Rat) {
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
