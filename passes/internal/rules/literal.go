package rules

import (
	"go/ast"
	"go/constant"
	"go/token"
	"math"
	"math/bits"

	"github.com/shaderlift/shaderlift/ir"
)

// boundLane returns the operand that a slot is bound to in lane i, or in any lane: variables of replicated
// operations are bound in one.
func (m *Matcher) boundLane(name string, i int) ir.Lane {
	o := &m.bound[m.rule.slots[name]]
	if o[i].V != nil {
		return o[i]
	}
	for _, l := range o {
		if l.V != nil {
			return l
		}
	}
	return ir.Lane{}
}

// eval computes an expression of literals in lane i exactly, with words as unsigned numbers. The result is
// unknown if a literal is a number that some hardware treats differently. Exceptions: the right side of || if
// the left side holds, and of && if it does not.
func (m *Matcher) eval(e ast.Expr, i int) constant.Value {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return m.eval(e.X, i)
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.Ident:
		return m.value(e.Name, i)
	case *ast.UnaryExpr:
		return constant.UnaryOp(e.Op, m.eval(e.X, i), 32)
	case *ast.BinaryExpr:
		x := m.eval(e.X, i)
		if x.Kind() == constant.Bool && (e.Op == token.LOR && constant.BoolVal(x) ||
			e.Op == token.LAND && !constant.BoolVal(x)) {
			return x
		}
		return binary(x, e.Op, m.eval(e.Y, i))
	case *ast.CallExpr:
		name := e.Fun.(*ast.Ident).Name
		if f := functions[name]; f != nil {
			var args []constant.Value
			for _, a := range e.Args {
				x := m.eval(a, i)
				if x.Kind() == constant.Unknown {
					return x
				}
				args = append(args, x)
			}
			return f(args)
		}
		return m.Host.Known(name, m.boundLane(e.Args[0].(*ast.Ident).Name, i))
	}
	panic("rules: no expression of literals")
}

// value returns a sign, a literal, the number of lanes written, or whether the reals are enough.
func (m *Matcher) value(name string, i int) constant.Value {
	if sign, ok := m.rule.signs[name]; ok {
		if m.signs&sign != 0 {
			return constant.MakeInt64(-1)
		}
		return constant.MakeInt64(1)
	}
	switch name {
	case "lanes":
		return constant.MakeInt64(int64(bits.OnesCount8(m.in.Mask())))
	case "reals":
		return constant.MakeBool(m.Reals)
	}
	w, ok := m.literal(m.boundLane(name, i))
	if m.rule.onWords && ok {
		return constant.MakeUint64(uint64(w))
	}
	if f := float(w); ok && isNormal(f) {
		return constant.MakeFloat64(float64(f))
	}
	return constant.MakeUnknown()
}

// isNormal reports whether all hardware computes with x as in IEEE arithmetic.
func isNormal(x float32) bool {
	a := math.Abs(float64(x))
	return a == 0 || a >= 0x1p-126 && a <= math.MaxFloat32
}

// binary computes x op y exactly; an unknown operand makes the result unknown.
func binary(x constant.Value, op token.Token, y constant.Value) constant.Value {
	if x.Kind() == constant.Unknown || y.Kind() == constant.Unknown {
		return constant.MakeUnknown()
	}
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return constant.MakeBool(constant.Compare(x, op, y))
	case token.SHL, token.SHR:
		n, _ := constant.Uint64Val(y)
		if n > 64 {
			return constant.MakeUnknown()
		}
		return constant.Shift(x, op, uint(n))
	}
	return constant.BinaryOp(x, op, y)
}

// functions are the functions of literals. Their arguments are words or numbers, depending on the rule.
var functions = map[string]func(x []constant.Value) constant.Value{
	"pow2": func(x []constant.Value) constant.Value { return constant.MakeBool(bits.OnesCount32(toWord(x[0])) == 1) },
	"log2": func(x []constant.Value) constant.Value {
		return constant.MakeInt64(int64(bits.TrailingZeros32(toWord(x[0]))))
	},
	"u32": func(x []constant.Value) constant.Value { return constant.MakeUint64(uint64(toWord(x[0]))) },
	"ones": func(x []constant.Value) constant.Value {
		return constant.MakeInt64(int64(bits.OnesCount32(toWord(x[0]))))
	},
	"min": func(x []constant.Value) constant.Value {
		if constant.Compare(x[0], token.LSS, x[1]) {
			return x[0]
		}
		return x[1]
	},
	"max": func(x []constant.Value) constant.Value {
		if constant.Compare(x[0], token.GTR, x[1]) {
			return x[0]
		}
		return x[1]
	},
}

// toWord returns x modulo 2^32.
func toWord(x constant.Value) uint32 {
	w, _ := constant.Uint64Val(constant.BinaryOp(constant.ToInt(x), token.AND, constant.MakeUint64(math.MaxUint32)))
	return uint32(w)
}

// literalBits returns x as a literal. It rejects numbers that are not float32, and numbers that some hardware treats
// differently. No literal is rounded, so over the reals nothing changes.
func (m *Matcher) literalBits(x constant.Value) (uint32, bool) {
	switch {
	case x.Kind() == constant.Unknown:
		return 0, false
	case m.rule.onWords:
		return toWord(x), true
	}
	f, exact := constant.Float32Val(x)
	return math.Float32bits(f), exact && isNormal(f)
}

// holds reports whether a condition holds in each lane that the root reads.
func (m *Matcher) holds(where ast.Expr) bool {
	if where == nil {
		return true
	}
	lanes := m.in.Reads(0)
	for i := range 4 {
		if lanes>>i&1 == 0 {
			continue
		}
		if x := m.eval(where, i); x.Kind() != constant.Bool || !constant.BoolVal(x) {
			return false
		}
	}
	return true
}
