package lower

import (
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/mir"
)

const low24 = 1<<24 - 1

// shift takes counts modulo 32, the usual reading of AMD IL (drivers mask them). The hardware's
// shifts return zero for larger counts, so the count is masked unless it is known to be small.
func shift(op r600.Op) func(l *lowerer, s [4]mir.Arg) mir.Arg {
	return func(l *lowerer, s [4]mir.Arg) mir.Arg { return l.op(op, s[0], l.modulo32(s[1])) }
}

// modulo32 masks a count unless it is known to be small.
func (l *lowerer) modulo32(count mir.Arg) mir.Arg {
	if count.Kind == mir.ValArg && !count.Neg && !count.Abs {
		if u := l.definingUnit(count.Val); u != nil && u.Slots[0].Op == r600.OpAndInt {
			if m := u.Slots[0].Args[1]; m.Kind == mir.LiteralArg && m.Bits < 32 {
				return count
			}
		}
	}
	return l.op(r600.OpAndInt, count, mir.L(31))
}

// definingUnit returns the operation of this block that computed v, if it is among the last few. More are
// not worth a search: compilers put the mask directly before the shift.
func (l *lowerer) definingUnit(v mir.Val) *mir.ALU {
	const few = 16
	for i := len(*l.out) - 1; i >= max(0, len(*l.out)-few); i-- {
		if u, ok := (*l.out)[i].(*mir.ALU); ok && u.Slots[0].Dst == v {
			return u
		}
	}
	return nil
}

// unsigned24 clears the upper byte of a.
func (l *lowerer) unsigned24(a mir.Arg) mir.Arg { return l.op(r600.OpAndInt, a, mir.L(low24)) }

// signed24 extends the sign of the lower three bytes.
func (l *lowerer) signed24(a mir.Arg) mir.Arg {
	return l.op(r600.OpAShrInt, l.op(r600.OpLShlInt, a, mir.L(8)), mir.L(8))
}

func signedMul24(l *lowerer, s [4]mir.Arg) mir.Arg {
	return l.op(r600.OpMulLoInt, l.signed24(s[0]), l.signed24(s[1]))
}

func unsignedMul24(l *lowerer, s [4]mir.Arg) mir.Arg {
	if l.t.Family == r600.Evergreen {
		return l.op(r600.OpMulUint24, s[0], s[1])
	}
	return l.op(r600.OpMulLoUint, l.unsigned24(s[0]), l.unsigned24(s[1]))
}

func unsignedMad24(l *lowerer, s [4]mir.Arg) mir.Arg {
	if l.t.Family == r600.Evergreen {
		return l.op(r600.OpMulAddUint24, s[0], s[1], s[2])
	}
	return l.op(r600.OpAddInt, unsignedMul24(l, s), s[2])
}

func carry(l *lowerer, s [4]mir.Arg) mir.Arg {
	if l.t.Family == r600.Evergreen {
		return l.op(r600.OpAddcUint, s[0], s[1])
	}
	wraps := l.op(r600.OpSetGTUint, s[0], l.op(r600.OpAddInt, s[0], s[1]))
	return l.op(r600.OpAndInt, wraps, mir.L(1))
}

func borrow(l *lowerer, s [4]mir.Arg) mir.Arg {
	if l.t.Family == r600.Evergreen {
		return l.op(r600.OpSubbUint, s[0], s[1])
	}
	return l.op(r600.OpAndInt, l.op(r600.OpSetGTUint, s[1], s[0]), mir.L(1))
}

// division estimates the quotient of unsigned integers and its remainder. It starts from RECIP_UINT
// (2^32/b with an error), refined by one step of Newton's iteration. The quotient is off by at most
// one: high means that the remainder contains another divisor, low that the quotient is not one too
// large. The sequence is that of the open drivers for these chips.
func (l *lowerer) division(a, b mir.Arg) (q, r, high, low mir.Arg) {
	recip := l.op(r600.OpRecipUint, b) // 2^32/b with an error
	lo := l.op(r600.OpMulLoUint, recip, b)
	hi := l.op(r600.OpMulHiUint, recip, b)
	off := l.op(r600.OpCndEInt, hi, l.op(r600.OpSubInt, mir.L(0), lo), lo) // the error times b
	e := l.op(r600.OpMulHiUint, off, recip)
	recip = l.op(r600.OpCndEInt, hi, l.op(r600.OpAddInt, recip, e), l.op(r600.OpSubInt, recip, e))
	q = l.op(r600.OpMulHiUint, recip, a)
	back := l.op(r600.OpMulLoUint, q, b)
	r = l.op(r600.OpSubInt, a, back)
	low = l.op(r600.OpSetGEUint, a, back)
	high = l.op(r600.OpAndInt, l.op(r600.OpSetGEUint, r, b), low)
	return q, r, high, low
}

// byZero returns x, or all ones if the divisor is zero, the rule of Direct3D 10.
func (l *lowerer) byZero(b, x mir.Arg) mir.Arg { return l.op(r600.OpCndEInt, b, mir.L(0xFFFFFFFF), x) }

func unsignedQuotient(l *lowerer, s [4]mir.Arg) mir.Arg {
	q, _, high, low := l.division(s[0], s[1])
	x := l.op(r600.OpCndEInt, high, q, l.op(r600.OpAddInt, q, mir.L(1)))
	x = l.op(r600.OpCndEInt, low, l.op(r600.OpSubInt, q, mir.L(1)), x)
	return l.byZero(s[1], x)
}

func unsignedRemainder(l *lowerer, s [4]mir.Arg) mir.Arg {
	_, r, high, low := l.division(s[0], s[1])
	x := l.op(r600.OpCndEInt, high, r, l.op(r600.OpSubInt, r, s[1]))
	x = l.op(r600.OpCndEInt, low, l.op(r600.OpAddInt, r, s[1]), x)
	return l.byZero(s[1], x)
}
