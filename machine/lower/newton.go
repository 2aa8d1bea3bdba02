package lower

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// Division and roots of doubles refine the float32 approximation by Newton's iteration. The
// exponent is handled separately, so that nothing overflows. Numbers that are not finite are
// ignored. Each step of the iteration doubles the number of right bits: 23 bits of the float32
// approximation, 46, and more than 53 after the second.
const (
	exponentMask  = 0x7FF
	mantissaMask  = 0x800FFFFF // with the sign
	exponentOfOne = 1023
	highOfOne     = exponentOfOne << 20
)

// parts returns the biased exponent of x, and x scaled to the binade of one.
func (l *lowerer) parts(x double) (exponent mir.Arg, m double) {
	if x.hi.Neg || x.hi.Abs {
		x.hi = l.op(r600.OpMov, x.hi)
	}
	exponent = l.op(r600.OpAndInt, l.op(r600.OpLShrInt, x.hi, mir.L(20)), mir.L(exponentMask))
	return exponent, double{x.lo, l.op(r600.OpOrInt, l.op(r600.OpAndInt, x.hi, mir.L(mantissaMask)), mir.L(highOfOne))}
}

// reciprocal computes 1/m for m near one: r' = r + r(1 - mr).
func (l *lowerer) reciprocal(m double) double {
	r := l.widen(l.op(r600.OpRecipIEEE, l.narrow(m)))
	for range 2 {
		e := l.mad(m.negated(), r, doubleLiteral(1))
		r = l.mad(r, e, r)
	}
	return r
}

// recipSqrt computes 1/sqrt(m) for m near one: r' = r + r(1/2 - (mr)(r/2)).
func (l *lowerer) recipSqrt(m double) double {
	r := l.widen(l.op(r600.OpRecipSqrtIEEE, l.narrow(m)))
	for range 2 {
		half := l.emitDouble(r600.OpMul64, r, doubleLiteral(0.5))
		e := l.mad(half.negated(), l.emitDouble(r600.OpMul64, m, r), doubleLiteral(0.5))
		r = l.mad(r, e, r)
	}
	return r
}

// ofZero returns the replacement for the reciprocal of a zero with the sign of hi: infinity, unless
// mode selects another.
func (l *lowerer) ofZero(mode il.ZeroOp, hi mir.Arg) double {
	d := doubleLiteral(math.Inf(1))
	switch mode {
	case il.ZeroZero:
		d = doubleLiteral(0)
	case il.ZeroFltMax:
		d = doubleLiteral(math.MaxFloat64)
	}
	d.hi = l.op(r600.OpOrInt, l.op(r600.OpAndInt, hi, mir.L(signBit)), d.hi)
	return d
}

// choose returns a if c is zero and b otherwise.
func (l *lowerer) choose(c mir.Arg, a, b double) double {
	return double{l.op(r600.OpCndEInt, c, a.lo, b.lo), l.op(r600.OpCndEInt, c, a.hi, b.hi)}
}

func doubleReciprocal(l *lowerer, in *ir.Instr) {
	l.eachPair(in, func(i int) double {
		x := l.doubleAt(in, 0, i)
		e, m := l.parts(x)
		r := l.ldexp(l.reciprocal(m), l.op(r600.OpSubInt, mir.L(exponentOfOne), e))
		return l.choose(e, l.ofZero(zeroMode(l.src(in, 1, i)), x.hi), r)
	})
}

func doubleQuotient(l *lowerer, in *ir.Instr) {
	l.eachPair(in, func(i int) double {
		a, b := l.doubleAt(in, 0, i), l.doubleAt(in, 1, i)
		e, m := l.parts(b)
		r := l.reciprocal(m)
		q := l.emitDouble(r600.OpMul64, a, r)
		// A last correction of the quotient itself: q' = q + r(a - mq).
		q = l.mad(l.mad(m.negated(), q, a), r, q)
		q = l.ldexp(q, l.op(r600.OpSubInt, mir.L(exponentOfOne), e))
		z := l.emitDouble(r600.OpMul64, a, l.ofZero(zeroMode(l.src(in, 2, i)), b.hi))
		return l.choose(e, z, q)
	})
}

// evenParts splits x into m times 4^half, with m from 1 to 4: the square root of 4^half is exact.
func (l *lowerer) evenParts(x double) (exponent, half mir.Arg, m double) {
	exponent, m = l.parts(x)
	odd := l.op(r600.OpAndInt, l.op(r600.OpAddInt, exponent, mir.L(1)), mir.L(1))
	fraction := l.op(r600.OpAndInt, m.hi, mir.L(1<<20-1))
	m.hi = l.op(r600.OpOrInt, fraction, l.op(r600.OpAddInt, l.op(r600.OpLShlInt, odd, mir.L(20)), mir.L(highOfOne)))
	half = l.op(r600.OpAShrInt, l.op(r600.OpSubInt, exponent, mir.L(exponentOfOne)), mir.L(1))
	return exponent, half, m
}

func doubleRecipSqrt(l *lowerer, in *ir.Instr) {
	l.eachPair(in, func(i int) double {
		x := l.doubleAt(in, 0, i)
		e, half, m := l.evenParts(x)
		r := l.ldexp(l.recipSqrt(m), l.op(r600.OpSubInt, mir.L(0), half))
		return l.choose(e, l.ofZero(zeroMode(l.src(in, 1, i)), x.hi), r)
	})
}

func doubleSqrt(l *lowerer, in *ir.Instr) {
	l.eachPair(in, func(i int) double {
		e, half, m := l.evenParts(l.doubleAt(in, 0, i))
		r := l.recipSqrt(m)
		s := l.emitDouble(r600.OpMul64, m, r)
		s = l.mad(l.mad(s.negated(), s, m), l.emitDouble(r600.OpMul64, r, doubleLiteral(0.5)), s)
		return l.choose(e, doubleLiteral(0), l.ldexp(s, half))
	})
}
