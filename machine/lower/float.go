package lower

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// floatLiteral returns a float literal.
func floatLiteral(x float32) mir.Arg { return mir.L(math.Float32bits(x)) }

// zeroMode returns the mode of an op for a zero operand, from its last source. The mode selects the
// replacement for the reciprocal, or the logarithm, of zero (_zeroop of AMD IL).
func zeroMode(a mir.Arg) il.ZeroOp { return il.ZeroOp(a.Bits) % il.ZeroOp(len(recips)) }

// The operations by mode, in the order of il.ZeroOp. Clamped operations return the largest float,
// which is the default except for logarithms; FF ones return zero; IEEE ones infinity.
var (
	recips     = [...]r600.Op{r600.OpRecipClamped, r600.OpRecipClamped, r600.OpRecipFF, r600.OpRecipIEEE, r600.OpRecipIEEE}
	recipSqrts = [...]r600.Op{r600.OpRecipSqrtClamped, r600.OpRecipSqrtClamped, r600.OpRecipSqrtFF, r600.OpRecipSqrtIEEE,
		r600.OpRecipSqrtIEEE}
	logs = [...]r600.Op{r600.OpLogIEEE, r600.OpLogClamped, r600.OpLogIEEE, r600.OpLogIEEE, r600.OpLogIEEE}
)

// fusedMultiplyAdd rounds twice on families without FMA.
func fusedMultiplyAdd(l *lowerer, s [4]mir.Arg) mir.Arg {
	if l.t.Family == r600.Evergreen {
		return l.op(r600.OpFma, s[0], s[1], s[2])
	}
	return l.op(r600.OpMulAddIEEE, s[0], s[1], s[2])
}

// quotient multiplies by the reciprocal. If the reciprocal can be infinite, the product follows
// IEEE, so that 0/0 is NaN.
func quotient(l *lowerer, s [4]mir.Arg) mir.Arg {
	mode := zeroMode(s[2])
	mul := r600.OpMul
	if recips[mode] == r600.OpRecipIEEE {
		mul = r600.OpMulIEEE
	}
	return l.op(mul, s[0], l.op(recips[mode], s[1]))
}

// floatModulo computes a - b*trunc(a/b), the remainder with the sign of the dividend.
func floatModulo(l *lowerer, s [4]mir.Arg) mir.Arg {
	q := l.op(r600.OpTrunc, l.op(r600.OpMulIEEE, s[0], l.op(r600.OpRecipIEEE, s[1])))
	return l.op(r600.OpMulAddIEEE, q.Negated(), s[1], s[0])
}

func clamped(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.op(r600.OpMin, l.op(r600.OpMax, s[0], s[1]), s[2])
}

func lowerSign(l *lowerer, s [4]mir.Arg) mir.Arg {
	below := l.op(r600.OpCndGT, s[0].Negated(), floatLiteral(-1), mir.L(0))
	return l.op(r600.OpCndGT, s[0], floatLiteral(1), below)
}

func interpolated(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.op(r600.OpMulAdd, s[0], l.op(r600.OpAdd, s[1], s[2].Negated()), s[2])
}

// logarithm uses a select for the mode that returns 0 for 0: no operation does that.
func logarithm(l *lowerer, s [4]mir.Arg) mir.Arg {
	mode := zeroMode(s[1])
	log := l.op(logs[mode], s[0])
	if mode == il.ZeroZero {
		return l.op(r600.OpCndE, l.plain(s[0]), mir.L(0), log)
	}
	return log
}

func naturalLog(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.op(r600.OpMul, logarithm(l, s), floatLiteral(math.Ln2))
}

// power multiplies such that 0 times an infinite logarithm is 0.
func power(l *lowerer, s [4]mir.Arg) mir.Arg {
	log := l.op(r600.OpLogIEEE, withMods(s[0], ir.Abs))
	return l.op(r600.OpExpIEEE, l.op(r600.OpMul, log, s[1]))
}

// truncated returns a lowering to an integer conversion; the conversion alone would round.
func truncated(op r600.Op) func(l *lowerer, s [4]mir.Arg) mir.Arg {
	return func(l *lowerer, s [4]mir.Arg) mir.Arg { return l.op(op, l.op(r600.OpTrunc, s[0])) }
}

// padding holds the operands of unused lanes of a short dot product: -0 and 0, whose product
// changes no sum. AMD's compiler uses the same.
var padding = [3]mir.Arg{mir.L(1 << 31), mir.L(0)}

// product returns the sum of products of up to four lanes, by a reduction over the four vector
// slots.
func (l *lowerer) product(op r600.Op, lanes ...[3]mir.Arg) mir.Arg {
	for len(lanes) < 4 {
		lanes = append(lanes, padding)
	}
	return mir.V(l.slots(op, lanes...)[0])
}

// pairs returns, lane by lane, the first n lanes of sources a and b.
func (l *lowerer) pairs(in *ir.Instr, a, b, n int) (lanes [][3]mir.Arg) {
	for i := range n {
		lanes = append(lanes, [3]mir.Arg{l.src(in, a, i), l.src(in, b, i)})
	}
	return lanes
}

// share defines all results of in as the single value that f computes.
func (l *lowerer) share(in *ir.Instr, f func() mir.Arg) {
	if !l.wanted(in) {
		return
	}
	mark := mir.Val(len(l.vals))
	a := l.saturated(in, f(), mark)
	for _, v := range in.Out {
		if v != nil && l.need.Live[v.ID] {
			l.define(v, a)
		}
	}
}

// perLane computes each needed result of in.
func (l *lowerer) perLane(in *ir.Instr, f func(i int) mir.Arg) {
	for i, v := range in.Out {
		if v != nil && l.need.Live[v.ID] {
			mark := mir.Val(len(l.vals))
			l.define(v, l.saturated(in, f(i), mark))
		}
	}
}

func dot(op r600.Op, n int) func(l *lowerer, in *ir.Instr) {
	return func(l *lowerer, in *ir.Instr) {
		l.share(in, func() mir.Arg { return l.product(op, l.pairs(in, 0, 1, n)...) })
	}
}

// dotAdd adds in a lane of its own, times one.
func dotAdd(op r600.Op) func(l *lowerer, in *ir.Instr) {
	return func(l *lowerer, in *ir.Instr) {
		l.share(in, func() mir.Arg {
			return l.product(op, append(l.pairs(in, 0, 1, 2), [3]mir.Arg{l.src(in, 2, 0), floatLiteral(1)})...)
		})
	}
}

func length(l *lowerer, in *ir.Instr) {
	l.share(in, func() mir.Arg { return l.op(r600.OpSqrtIEEE, l.product(r600.OpDot4, l.pairs(in, 0, 0, 3)...)) })
}

func distance(l *lowerer, in *ir.Instr) {
	l.share(in, func() mir.Arg {
		var lanes [][3]mir.Arg
		for i := range 3 {
			d := l.op(r600.OpAdd, l.src(in, 0, i), l.src(in, 1, i).Negated())
			lanes = append(lanes, [3]mir.Arg{d, d})
		}
		return l.op(r600.OpSqrtIEEE, l.product(r600.OpDot4, lanes...))
	})
}

// normal scales by the reciprocal of the length.
func normal(l *lowerer, in *ir.Instr) {
	if !l.wanted(in) {
		return
	}
	scale := l.op(recipSqrts[zeroMode(l.src(in, 1, 0))], l.product(r600.OpDot4, l.pairs(in, 0, 0, 3)...))
	l.perLane(in, func(i int) mir.Arg { return l.op(r600.OpMul, l.src(in, 0, i), scale) })
}

func reflection(l *lowerer, in *ir.Instr) {
	if !l.wanted(in) {
		return
	}
	d := l.product(r600.OpDot4, l.pairs(in, 0, 1, 3)...)
	twice := l.op(r600.OpAdd, d, d)
	l.perLane(in, func(i int) mir.Arg { return l.op(r600.OpMulAdd, twice.Negated(), l.src(in, 1, i), l.src(in, 0, i)) })
}
