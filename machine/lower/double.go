package lower

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// double is a float64 in two operands: the low and the high word.
type double struct{ lo, hi mir.Arg }

// doubleLiteral returns a literal double.
func doubleLiteral(x float64) double {
	bits := math.Float64bits(x)
	return double{mir.L(uint32(bits)), mir.L(uint32(bits >> 32))}
}

func (d double) negated() double { return double{d.lo, d.hi.Negated()} }

// emitDouble computes an operation on doubles. As in open drivers, the first slots read the upper words
// and the last one the lower, while the lower word of the result comes first. Double-precision
// operations in the instruction set documents take two slots (ADD_64) or four (MUL_64).
func (l *lowerer) emitDouble(op r600.Op, args ...double) double {
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

// mad computes a*b + c, rounded once on Evergreen (FMA_64). Older chips use MULADD_64.
func (l *lowerer) mad(a, b, c double) double {
	if l.t.Family == r600.Evergreen {
		return l.emitDouble(r600.OpFma64, a, b, c)
	}
	return l.emitDouble(r600.OpMulAdd64, a, b, c)
}

// doubleAt returns the double in lanes i and i+1 of source s. A sign or absolute value of the high
// word applies to the double. On the low word it does not, so a move applies it to the word.
func (l *lowerer) doubleAt(in *ir.Instr, s, i int) double {
	d := double{l.src(in, s, i), l.src(in, s, i+1)}
	if d.lo.Neg || d.lo.Abs {
		d.lo = l.op(r600.OpMov, d.lo)
	}
	return d
}

// eachPair computes the doubles that in defines: one in xy and one in zw, each if one of its words
// is needed.
func (l *lowerer) eachPair(in *ir.Instr, f func(i int) double) {
	if in.Mods&ir.Sat != 0 {
		l.recordFailure("not-supported", "%v cannot saturate", in.Op)
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
			return l.emitDouble(op, args...)
		})
	}
}

func doubleMad(l *lowerer, in *ir.Instr) {
	l.eachPair(in, func(i int) double {
		return l.mad(l.doubleAt(in, 0, i), l.doubleAt(in, 1, i), l.doubleAt(in, 2, i))
	})
}

// ldexp scales by a power of two.
func (l *lowerer) ldexp(x double, e mir.Arg) double {
	return l.emitDouble(r600.OpLdexp64, x, double{e, e})
}

func doubleScale(l *lowerer, in *ir.Instr) {
	l.eachPair(in, func(i int) double { return l.ldexp(l.doubleAt(in, 0, i), l.src(in, 1, i)) })
}

// doubleParts splits a double into its exponent and its fraction, in the slots that open drivers
// use.
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

// doubleCompare returns a lowering to one word, with the sources in this order or swapped.
func doubleCompare(op r600.Op, swap bool) func(l *lowerer, in *ir.Instr) {
	return func(l *lowerer, in *ir.Instr) {
		l.share(in, func() mir.Arg {
			a, b := l.doubleAt(in, 0, 0), l.doubleAt(in, 1, 0)
			if swap {
				a, b = b, a
			}
			l.pair = 0
			return l.emitDouble(op, a, b).lo
		})
	}
}

// widen and narrow convert between float32 and float64.
func (l *lowerer) widen(x mir.Arg) double {
	return l.emitDouble(r600.OpFlt32ToFlt64, double{mir.L(0), x})
}

func (l *lowerer) narrow(x double) mir.Arg { return l.emitDouble(r600.OpFlt64ToFlt32, x).lo }

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
// 2^52 + x, and 2^52 is subtracted. Signed integers are biased by 2^31 first.
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
			return l.emitDouble(r600.OpAdd64, double{x, mir.L(onesHigh)}, doubleLiteral(-base))
		})
	}
}

// toInteger clamps to the range, truncates the absolute value, and adds 2^52 so that the integer is
// in the low word. Then it applies the sign in two's complement. NaN, which does not equal itself,
// gives 0.
func toInteger(signed bool) func(l *lowerer, in *ir.Instr) {
	return func(l *lowerer, in *ir.Instr) {
		l.share(in, func() mir.Arg {
			l.pair = 0
			x := l.doubleAt(in, 0, 0)
			least, most := 0.0, float64(math.MaxUint32)
			if signed {
				least, most = math.MinInt32, math.MaxInt32
			}
			number := l.emitDouble(r600.OpSetE64, x, x).lo
			x = l.emitDouble(r600.OpMin64, l.emitDouble(r600.OpMax64, x, doubleLiteral(least)), doubleLiteral(most))
			size := double{x.lo, l.op(r600.OpAndInt, x.hi, mir.L(signBit-1))}
			whole := l.emitDouble(r600.OpAdd64, size, l.emitDouble(r600.OpFract64, size).negated())
			bits := l.emitDouble(r600.OpAdd64, whole, doubleLiteral(onesValue)).lo
			if signed {
				s := l.op(r600.OpAShrInt, x.hi, mir.L(31))
				bits = l.op(r600.OpSubInt, l.op(r600.OpXorInt, bits, s), s)
			}
			return l.op(r600.OpAndInt, bits, number)
		})
	}
}
