package combine

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// clamp merges nested minima and maxima: max(min(x, 1), 0) is a saturated move,
// max(max(x, c), d) is max(x, e). A NaN may come out differently.
func (c *combiner) clamp(in *ir.Instr) bool {
	k, lit, ok := either(in, isLiteral)
	if !ok {
		return false
	}
	o := &in.Src[k]
	def := c.plain(o, in)
	if def == nil || !isMin(def.Op) && !isMax(def.Op) {
		return false
	}
	x, inner, ok := either(def, isLiteral)
	if !ok {
		return false
	}
	if isMin(in.Op) != isMin(def.Op) {
		low, high := &in.Src[lit], &def.Src[inner]
		if isMin(in.Op) {
			low, high = high, low
		}
		if !isAll(low, 0) || !isAll(high, 1) {
			return false
		}
		return c.become(in, with(in, ir.OpMov, mods(in, def)|ir.Sat, through(o, def, x)))
	}
	var bound ir.Operand
	for i, l := range o {
		if l.V == nil {
			continue
		}
		a, _ := literal(in.Src[lit][i])
		b, _ := literal(def.Src[inner][l.V.Lane])
		if isMin(in.Op) {
			a = min(a, b)
		} else {
			a = max(a, b)
		}
		if a != a {
			return false
		}
		bound[i] = c.constant(a)
	}
	return c.become(in, with(in, in.Op, mods(in, def), through(o, def, x), bound))
}

// idle replaces a clamp or an absolute value that cannot change anything, since
// the operand is known to lie within the bound, by a move.
func (c *combiner) idle(in *ir.Instr) bool {
	o, low, high := &in.Src[0], math.Inf(-1), math.Inf(1)
	w := in.Mods
	switch in.Op {
	case ir.OpAbs:
		low = 0
	case ir.OpMov:
		if in.Mods&ir.Sat == 0 {
			return false
		}
		low, high = 0, 1
		w &^= ir.Sat
	default:
		k, lit, ok := either(in, isLiteral)
		if !ok {
			return false
		}
		o = &in.Src[k]
		for _, l := range in.Src[lit] {
			if f, ok := literal(l); ok && isMin(in.Op) {
				high = min(high, float64(f))
			} else if ok {
				low = max(low, float64(f))
			}
		}
	}
	for _, l := range o {
		if l.V == nil {
			continue
		}
		if from, to := bounds(l, 0); !(from >= low && to <= high) {
			return false
		}
	}
	return c.become(in, with(in, ir.OpMov, w, *o))
}

// maxDepth bounds how far bounds looks.
const maxDepth = 4

// bounds is a range that the value of l lies in, unless it is a NaN.
func bounds(l ir.Lane, depth int) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if f, ok := literal(l); ok {
		if f == f {
			return float64(f), float64(f)
		}
		return low, high
	}
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
	case ir.OpExp, ir.OpPow, ir.OpRsq:
		low = 0
	case ir.OpAbs:
		low, high = src(0)
		low, high = max(low, -high, 0), max(-low, high)
	case ir.OpMul, ir.OpDp2, ir.OpDp3, ir.OpDp4:
		if in.Src[0] == in.Src[1] {
			low = 0
		}
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

// isMin and isMax report whether op is of that kind, whichever way it takes a NaN.
func isMin(op ir.Op) bool { return op.Legacy() == ir.OpMin }
func isMax(op ir.Op) bool { return op.Legacy() == ir.OpMax }
