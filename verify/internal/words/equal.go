package words

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// missed reports whether c, the condition that a sum is 0, cannot hold because of an exit condition. The
// exit must exclude certain values of a sum that differs from c's sum (or its negation) by a literal. For
// example, i+1 == n cannot hold if the loop continues only while n-i is at least 4.
func (o *order) missed(c symbolic.Term) bool {
	x, isNot := o.t.OperandOf(c, symbolic.TagNot)
	if !isNot {
		return false
	}
	x, isTruth := o.t.OperandOf(x, symbolic.TagTruth)
	if !isTruth {
		return false
	}
	for _, e := range o.trip.Exits {
		p, a, b, holds, ok := o.comparison(e)
		if !ok || p != ir.PrimULt {
			continue
		}
		// If the exit is not taken, y lies between low and high.
		y, low, high := a, uint32(0), uint32(math.MaxUint32)
		if k, isBits := o.Bits(b); isBits {
			if holds {
				low = k
			} else {
				high = k - 1
			}
			if k == 0 {
				continue
			}
		} else if k, isBits := o.Bits(a); isBits {
			y = b
			if holds {
				high = k
			} else {
				low = k + 1
			}
			if k == math.MaxUint32 {
				continue
			}
		} else {
			continue
		}
		for _, sign := range [2]uint32{1, MinusOne} {
			// If x is 0 then y has this value.
			if k, isBits := o.Bits(o.Combine(y, 1, x, sign)); isBits && (k < low || k > high) {
				return true
			}
		}
	}
	return false
}
