package rules

import (
	"go/ast"
	"go/constant"
	"go/token"
	"math"
	"math/bits"

	"github.com/shaderlift/shaderlift/ir"
)

// lane is what a slot is bound to in lane i, or in all lanes: variables of replicated
// operations are bound in one.
func (m *Matcher) lane(name string, i int) ir.Lane {
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

// eval computes an expression of literals in lane i without any rounding, words as numbers
// from 0 on. It is unknown where a literal is no number that all hardware computes with, except
// behind || where what is before it holds, and behind && where that does not.
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
		if x.Kind() == constant.Bool && (e.Op == token.LOR && constant.BoolVal(x) || e.Op == token.LAND && !constant.BoolVal(x)) {
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
		return m.Host.Known(name, m.lane(e.Args[0].(*ast.Ident).Name, i))
	}
	panic("rules: no expression of literals")
}

// value is a sign, a literal, how many lanes are written, or whether the reals are enough.
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
	w, ok := m.literal(m.lane(name, i))
	if m.rule.onWords && ok {
		return constant.MakeUint64(uint64(w))
	}
	if f := float(w); ok && isNormal(f) {
		return constant.MakeFloat64(float64(f))
	}
	return constant.MakeUnknown()
}

// isNormal reports whether hardware computes with x as arithmetic says.
func isNormal(x float32) bool {
	a := math.Abs(float64(x))
	return a == 0 || a >= 0x1p-126 && a <= math.MaxFloat32
}

// binary computes x op y exactly; what is unknown makes all of it so.
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

// functions are those that expressions of literals may call. They get words or numbers
// as the rule has them.
var functions = map[string]func(x []constant.Value) constant.Value{
	"pow2": func(x []constant.Value) constant.Value { return constant.MakeBool(bits.OnesCount32(word(x[0])) == 1) },
	"log2": func(x []constant.Value) constant.Value {
		return constant.MakeInt64(int64(bits.TrailingZeros32(word(x[0]))))
	},
	"u32": func(x []constant.Value) constant.Value { return constant.MakeUint64(uint64(word(x[0]))) },
	"ones": func(x []constant.Value) constant.Value {
		return constant.MakeInt64(int64(bits.OnesCount32(word(x[0]))))
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

// word is x modulo 2^32.
func word(x constant.Value) uint32 {
	w, _ := constant.Uint64Val(constant.BinaryOp(constant.ToInt(x), token.AND, constant.MakeUint64(math.MaxUint32)))
	return uint32(w)
}

// bits is x as a literal. A number that is none of float32, or one that not all hardware
// computes with, is refused: no literal is rounded, so that over the reals nothing changes.
func (m *Matcher) bits(x constant.Value) (uint32, bool) {
	switch {
	case x.Kind() == constant.Unknown:
		return 0, false
	case m.rule.onWords:
		return word(x), true
	}
	f, exact := constant.Float32Val(x)
	return math.Float32bits(f), exact && isNormal(f)
}

// holds reports whether a condition does, in each lane that the root reads.
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
