package lower

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// Division and roots of doubles start from the approximation of float32 and refine it by
// Newton's iteration, with the exponent set aside so that nothing overflows. Numbers
// that are not finite are not cared for.
// Each step of the iteration doubles the number of right bits: 23 bits of the float32
// approximation, 46, and more than 53 after the second.
const (
	exponentMask  = 0x7FF
	mantissaMask  = 0x800FFFFF // with the sign
	exponentOfOne = 1023
	highOfOne     = exponentOfOne << 20
)

// parts are the biased exponent of x and x scaled to the binade of one.
func (l *lowerer) parts(x double) (exponent mir.Arg, m double) {
	if x.hi.Neg || x.hi.Abs {
		x.hi = l.op(r600.OpMov, x.hi)
	}
	exponent = l.op(r600.OpAndInt, l.op(r600.OpLShrInt, x.hi, mir.L(20)), mir.L(exponentMask))
	return exponent, double{x.lo, l.op(r600.OpOrInt, l.op(r600.OpAndInt, x.hi, mir.L(mantissaMask)), mir.L(highOfOne))}
}

// reciprocal is 1/m for m near one: r' = r + r(1 - mr).
func (l *lowerer) reciprocal(m double) double {
	r := l.widen(l.op(r600.OpRecipIEEE, l.narrow(m)))
	for range 2 {
		e := l.mad(m.negated(), r, d64(1))
		r = l.mad(r, e, r)
	}
	return r
}

// recipSqrt is 1/sqrt(m) for m near one: r' = r + r(1/2 - (mr)(r/2)).
func (l *lowerer) recipSqrt(m double) double {
	r := l.widen(l.op(r600.OpRecipSqrtIEEE, l.narrow(m)))
	for range 2 {
		half := l.wide(r600.OpMul64, r, d64(0.5))
		e := l.mad(half.negated(), l.wide(r600.OpMul64, m, r), d64(0.5))
		r = l.mad(r, e, r)
	}
	return r
}

// ofZero is what stands for the reciprocal of a zero with the sign of hi: infinity,
// unless the program says otherwise.
func (l *lowerer) ofZero(mode il.ZeroOp, hi mir.Arg) double {
	d := d64(math.Inf(1))
	switch mode {
	case il.ZeroZero:
		d = d64(0)
	case il.ZeroFltMax:
		d = d64(math.MaxFloat64)
	}
	d.hi = l.op(r600.OpOrInt, l.op(r600.OpAndInt, hi, mir.L(signBit)), d.hi)
	return d
}

// choose is a where c is zero and b elsewhere.
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
		q := l.wide(r600.OpMul64, a, r)
		// A last correction of the quotient itself: q' = q + r(a - mq).
		q = l.mad(l.mad(m.negated(), q, a), r, q)
		q = l.ldexp(q, l.op(r600.OpSubInt, mir.L(exponentOfOne), e))
		z := l.wide(r600.OpMul64, a, l.ofZero(zeroMode(l.src(in, 2, i)), b.hi))
		return l.choose(e, z, q)
	})
}

// evenParts is x as m times 4^half, with m from 1 to 4: the square root of 4^half is exact.
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
		s := l.wide(r600.OpMul64, m, r)
		s = l.mad(l.mad(s.negated(), s, m), l.wide(r600.OpMul64, r, d64(0.5)), s)
		return l.choose(e, d64(0), l.ldexp(s, half))
	})
}
