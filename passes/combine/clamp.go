package combine

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// maxDepth bounds the recursion of bounds: each level may look at two operands, so 2^6 at most.
const maxDepth = 6

// bounds returns a range that contains the value of l, unless it is a NaN. It is conservative interval
// arithmetic over the reals, for rules about clamps: -inf to +inf if nothing is known.
func bounds(l ir.Lane, depth int) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if f, ok := literal(l); ok {
		if f == f {
			return float64(f), float64(f)
		}
		return low, high
	}
	// A lane that an instruction computes, and not a result of a construct.
	if in := l.V.Def; in != nil && depth < maxDepth && in.Out[l.V.Lane] == l.V && !in.IsPredicated() {
		low, high = boundsOf(in, int(l.V.Lane), depth+1)
	}
	if l.Mod&ir.Abs != 0 {
		low, high = max(low, -high, 0), max(-low, high)
	}
	if l.Mod&ir.Neg != 0 {
		low, high = -high, -low
	}
	return low, high
}

// boundsOf returns the range of lane i of in. Squares and dot products of a vector with itself are not
// negative. Other operations than the listed ones have no bounds.
func boundsOf(in *ir.Instr, i, depth int) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	src := func(s int) (float64, float64) { return bounds(in.Src[s][i], depth) }
	switch in.Op.Legacy() {
	case ir.OpMov:
		low, high = src(0)
	case ir.OpFrc, ir.OpSlt, ir.OpSge:
		low, high = 0, 1
	case ir.OpSgn:
		low, high = -1, 1
	// Powers and exponentials are at least 0, as pow takes the absolute value.
	case ir.OpExp, ir.OpPow, ir.OpRsq:
		low = 0
	case ir.OpAbs:
		low, high = src(0)
		low, high = max(low, -high, 0), max(-low, high)
	case ir.OpDp2, ir.OpDp3, ir.OpDp4:
		if in.Src[0] == in.Src[1] {
			low = 0
		}
	case ir.OpMul:
		l0, _ := src(0)
		l1, _ := src(1)
		if in.Src[0] == in.Src[1] || l0 >= 0 && l1 >= 0 {
			low = 0
		}
	case ir.OpRcp:
		if l0, _ := bounds(in.Src[0][0], depth); l0 >= 0 {
			low = 0
		}
	case ir.OpAdd:
		l0, h0 := src(0)
		l1, h1 := src(1)
		low, high = l0+l1, h0+h1
	case ir.OpMin:
		l0, h0 := src(0)
		l1, h1 := src(1)
		low, high = min(l0, l1), min(h0, h1)
	case ir.OpMax:
		l0, h0 := src(0)
		l1, h1 := src(1)
		low, high = max(l0, l1), max(h0, h1)
	case ir.OpCmp:
		l1, h1 := src(1)
		l2, h2 := src(2)
		low, high = min(l1, l2), max(h1, h2)
	}
	if in.Mods&ir.Sat != 0 {
		low, high = min(max(low, 0), 1), max(min(high, 1), 0)
	}
	return low, high
}
