package lower

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// double is a float64 in two operands: the low and the high word.
type double struct{ lo, hi mir.Arg }

// d64 is a double that is a literal.
func d64(x float64) double {
	bits := math.Float64bits(x)
	return double{mir.L(uint32(bits)), mir.L(uint32(bits >> 32))}
}

func (d double) negated() double { return double{d.lo, d.hi.Negated()} }

// wide computes an operation on doubles. As in open drivers the first slots read the
// upper words and the last one the lower, while the lower word of the result comes first.
// See the double-precision operations in the instruction set documents: they take two slots
// (ADD_64), or four (MUL_64).
func (l *lowerer) wide(op r600.Op, args ...double) double {
	lo, hi := [3]mir.Arg{}, [3]mir.Arg{}
	for i, d := range args {
		lo[i], hi[i] = d.lo, d.hi
	}
	var out [4]mir.Val
	if op.Slots(l.t.Family) == r600.Quad {
		out = l.slots(op, hi, hi, hi, lo)
	} else {
		out = l.slots(op, hi, lo)
	}
	return double{mir.V(out[0]), mir.V(out[1])}
}

// mad is a*b + c, rounded once on Evergreen (FMA_64); MULADD_64 of older chips is taken as what
// there is.
func (l *lowerer) mad(a, b, c double) double {
	if l.t.Family == r600.Evergreen {
		return l.wide(r600.OpFma64, a, b, c)
	}
	return l.wide(r600.OpMulAdd64, a, b, c)
}

// doubleAt is the double in lanes i and i+1 of source s. A sign or absolute value of the high word
// is that of the double; on the low word it is none of a double's, and is applied to the word.
func (l *lowerer) doubleAt(in *ir.Instr, s, i int) double {
	d := double{l.src(in, s, i), l.src(in, s, i+1)}
	if d.lo.Neg || d.lo.Abs {
		d.lo = l.op(r600.OpMov, d.lo)
	}
	return d
}

// eachPair computes the doubles that in defines: one in xy, one in zw, as far as either word is
// needed.
func (l *lowerer) eachPair(in *ir.Instr, f func(i int) double) {
	if in.Mods&ir.Sat != 0 {
		l.fail("not-supported", "%v cannot saturate", in.Op)
		return
	}
	for i := 0; i < 4; i += 2 {
		lo, hi := in.Out[i], in.Out[i+1]
		if (lo == nil || !l.need.Live[lo.ID]) && (hi == nil || !l.need.Live[hi.ID]) {
			continue
		}
		l.pair = i
		d := f(i)
		if lo != nil {
			l.define(lo, d.lo)
		}
		if hi != nil {
			l.define(hi, d.hi)
		}
	}
}

func doubles(op r600.Op) func(l *lowerer, in *ir.Instr) {
	return func(l *lowerer, in *ir.Instr) {
		l.eachPair(in, func(i int) double {
			var args []double
			for s := range op.Sources() {
				args = append(args, l.doubleAt(in, s, i))
			}
			return l.wide(op, args...)
		})
	}
}

func doubleMad(l *lowerer, in *ir.Instr) {
	l.eachPair(in, func(i int) double {
		return l.mad(l.doubleAt(in, 0, i), l.doubleAt(in, 1, i), l.doubleAt(in, 2, i))
	})
}

// ldexp scales by a power of two.
func (l *lowerer) ldexp(x double, e mir.Arg) double { return l.wide(r600.OpLdexp64, x, double{e, e}) }

func doubleScale(l *lowerer, in *ir.Instr) {
	l.eachPair(in, func(i int) double { return l.ldexp(l.doubleAt(in, 0, i), l.src(in, 1, i)) })
}

// doubleParts splits a double into its exponent and its fraction, in the slots that open drivers find
// them in.
func doubleParts(l *lowerer, in *ir.Instr) {
	d := l.doubleAt(in, 0, 0)
	hi, lo := [3]mir.Arg{d.hi}, [3]mir.Arg{d.lo}
	parts := l.slots(r600.OpFrexp64, hi, lo, hi, lo)
	for i, v := range in.Out {
		switch {
		case v == nil:
		case i == 0:
			l.define(v, mir.L(0))
		default:
			l.define(v, mir.V(parts[i]))
		}
	}
}

// doubleCompare yields one word, with the sources in this order or the other.
func doubleCompare(op r600.Op, swap bool) func(l *lowerer, in *ir.Instr) {
	return func(l *lowerer, in *ir.Instr) {
		l.share(in, func() mir.Arg {
			a, b := l.doubleAt(in, 0, 0), l.doubleAt(in, 1, 0)
			if swap {
				a, b = b, a
			}
			l.pair = 0
			return l.wide(op, a, b).lo
		})
	}
}

// widen and narrow convert between the two kinds of floats.
func (l *lowerer) widen(x mir.Arg) double { return l.wide(r600.OpFlt32ToFlt64, double{mir.L(0), x}) }

func (l *lowerer) narrow(x double) mir.Arg { return l.wide(r600.OpFlt64ToFlt32, x).lo }

func widened(l *lowerer, in *ir.Instr) {
	l.eachPair(in, func(i int) double { return l.widen(l.src(in, 0, i/2)) })
}

func narrowed(l *lowerer, in *ir.Instr) {
	l.share(in, func() mir.Arg {
		l.pair = 0
		return l.narrow(l.doubleAt(in, 0, 0))
	})
}

// Integers become doubles by the usual trick: 0x43300000 as the high word with x as the low word is
// 2^52 + x, from which 2^52 is subtracted. Signed ones are biased by 2^31 first.
const (
	onesHigh    = 0x43300000 // upper word of 2^52
	onesValue   = 1 << 52
	signedBound = 1 << 31
)

func fromInteger(signed bool) func(l *lowerer, in *ir.Instr) {
	return func(l *lowerer, in *ir.Instr) {
		l.eachPair(in, func(i int) double {
			x, base := l.src(in, 0, i/2), float64(onesValue)
			if signed {
				x, base = l.op(r600.OpXorInt, x, mir.L(signBit)), onesValue+signedBound
			}
			return l.wide(r600.OpAdd64, double{x, mir.L(onesHigh)}, d64(-base))
		})
	}
}

// toInteger clamps to the range, takes the fraction off the absolute value, adds 2^52 so that the
// integer is in the low word, and applies the sign in two's complement. NaN, which is not equal to
// itself, gives 0.
func toInteger(signed bool) func(l *lowerer, in *ir.Instr) {
	return func(l *lowerer, in *ir.Instr) {
		l.share(in, func() mir.Arg {
			l.pair = 0
			x := l.doubleAt(in, 0, 0)
			least, most := 0.0, float64(math.MaxUint32)
			if signed {
				least, most = math.MinInt32, math.MaxInt32
			}
			number := l.wide(r600.OpSetE64, x, x).lo
			x = l.wide(r600.OpMin64, l.wide(r600.OpMax64, x, d64(least)), d64(most))
			size := double{x.lo, l.op(r600.OpAndInt, x.hi, mir.L(signBit-1))}
			whole := l.wide(r600.OpAdd64, size, l.wide(r600.OpFract64, size).negated())
			bits := l.wide(r600.OpAdd64, whole, d64(onesValue)).lo
			if signed {
				s := l.op(r600.OpAShrInt, x.hi, mir.L(31))
				bits = l.op(r600.OpSubInt, l.op(r600.OpXorInt, bits, s), s)
			}
			return l.op(r600.OpAndInt, bits, number)
		})
	}
}
