package lower

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// turned reduces an angle to the range of SIN and COS: one turn around zero, in radians on R600 and
// in revolutions on later families. It is the range reduction of the open drivers: fract(x/2pi +
// 1/2) - 1/2.
func (l *lowerer) turned(x mir.Arg) mir.Arg {
	x = l.plain(x)
	part := l.op(r600.OpFract, l.op(r600.OpMulAdd, x, floatLiteral(1/(2*math.Pi)), floatLiteral(0.5)))
	if l.t.Family == r600.R600 {
		return l.op(r600.OpMulAdd, part, floatLiteral(2*math.Pi), floatLiteral(-math.Pi))
	}
	return l.op(r600.OpAdd, part, floatLiteral(-0.5))
}

func tangent(l *lowerer, s [4]mir.Arg) mir.Arg {
	x := l.turned(s[0])
	return l.op(r600.OpMul, l.op(r600.OpSin, x), l.op(r600.OpRecipIEEE, l.op(r600.OpCos, x)))
}

// polynomial computes c[0] + c[1]*x + c[2]*x*x and so on.
func (l *lowerer) polynomial(x mir.Arg, c []float32) mir.Arg {
	sum := floatLiteral(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		sum = l.op(r600.OpMulAdd, sum, x, floatLiteral(c[i]))
	}
	return sum
}

// Polynomials of Abramowitz and Stegun, Handbook of Mathematical Functions. 4.4.46: arccos x =
// sqrt(1-x) p(x) on 0..1, error below 2e-8. 4.4.49: arctan x = x p(x^2) on -1..1, error below 2e-8.
var (
	arccosineSeries = []float32{1.5707963050, -0.2145988016, 0.0889789874, -0.0501743046, 0.0308918810, -0.0170881256,
		0.0066700901, -0.0012624911}
	arctangentSeries = []float32{1, -0.3333314528, 0.1999355085, -0.1420889944, 0.1065626393, -0.0752896400,
		0.0429096138, -0.0161657367, 0.0028662257}
)

// fromOne computes the arc cosine of the absolute value of x.
func (l *lowerer) fromOne(x mir.Arg) mir.Arg {
	x = l.op(r600.OpMov, withMods(x, ir.Abs))
	root := l.op(r600.OpSqrtIEEE, l.op(r600.OpAdd, floatLiteral(1), x.Negated()))
	return l.op(r600.OpMul, root, l.polynomial(x, arccosineSeries))
}

func arccosine(l *lowerer, s [4]mir.Arg) mir.Arg {
	a := l.fromOne(s[0])
	return l.op(r600.OpCndGE, l.plain(s[0]), a, l.op(r600.OpAdd, floatLiteral(math.Pi), a.Negated()))
}

func arcsine(l *lowerer, s [4]mir.Arg) mir.Arg {
	a := l.op(r600.OpAdd, floatLiteral(math.Pi/2), l.fromOne(s[0]).Negated())
	return l.op(r600.OpCndGE, l.plain(s[0]), a, a.Negated())
}

// arctangent evaluates the polynomial for the smaller of |x| and 1/|x|: arctan x = pi/2 - arctan
// 1/x.
func arctangent(l *lowerer, s [4]mir.Arg) mir.Arg {
	x := l.plain(s[0])
	size := withMods(x, ir.Abs)
	least := l.op(r600.OpMin, size, floatLiteral(1))
	most := l.op(r600.OpMax, size, floatLiteral(1))
	r := l.op(r600.OpMul, least, l.op(r600.OpRecipIEEE, most))
	a := l.op(r600.OpMul, r, l.polynomial(l.op(r600.OpMul, r, r), arctangentSeries))
	a = l.op(r600.OpCndGE, l.op(r600.OpAdd, floatLiteral(1), size.Negated()), a,
		l.op(r600.OpAdd, floatLiteral(math.Pi/2), a.Negated()))
	return l.op(r600.OpCndGE, x, a, a.Negated())
}

// plain returns a without an absolute value, for operations that do not support one.
func (l *lowerer) plain(a mir.Arg) mir.Arg {
	if a.Abs {
		return l.op(r600.OpMov, a)
	}
	return a
}
