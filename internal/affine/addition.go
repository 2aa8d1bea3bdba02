package affine

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// Addend describes a value as another value plus a number.
type Addend struct {
	From  *ir.Value
	By    ir.Lane // without a value for a plain move
	Float bool
	Minus bool // the integer is subtracted
}

// Addition reads v as the sum of a value and a number. It looks through moves of literals.
func Addition(v *ir.Value, number func(*ir.Value) bool) (a Addend, ok bool) {
	in := v.Def
	if in == nil || in.Mods != 0 || in.IsPredicated() {
		return a, false
	}
	switch in.Op {
	case ir.OpMov:
		l := in.Src[0][v.Lane]
		return Addend{From: l.V}, l.Mod == 0
	case ir.OpIAdd, ir.OpISub, ir.OpAdd:
		x, y := in.Src[0][v.Lane], in.Src[1][v.Lane]
		x.V, y.V = Origin(x.V), Origin(y.V)
		if in.Op != ir.OpISub && number(x.V) {
			x, y = y, x
		}
		a = Addend{x.V, y, in.Op == ir.OpAdd, in.Op == ir.OpISub}
		return a, number(y.V) && !number(x.V) && x.Mod == 0 && (a.Float || y.Mod == 0)
	}
	return a, false
}

// Origin returns the literal that v is a copy of, otherwise v.
func Origin(v *ir.Value) *ir.Value {
	if w := Moved(v); IsLiteral(w) {
		return w
	}
	return v
}

// Moved looks through moves without modifiers.
func Moved(v *ir.Value) *ir.Value {
	for from, ok := v.CopyOf(0); ok && from.Mod == 0; from, ok = v.CopyOf(0) {
		v = from.V
	}
	return v
}

// IsLiteral reports whether v is a literal.
func IsLiteral(v *ir.Value) bool { return v.Kind == ir.Literal }

// Amount returns the added literal.
func (a *Addend) Amount() float64 {
	bits := a.By.V.Bits
	switch {
	case a.Minus:
		return -float64(int32(bits))
	case !a.Float:
		return float64(int32(bits))
	}
	x := float64(math.Float32frombits(bits))
	if a.By.Mod&ir.Abs != 0 {
		x = math.Abs(x)
	}
	if a.By.Mod&ir.Neg != 0 {
		x = -x
	}
	return x
}

// Bits returns the bits of the added literal, including its sign.
func (a *Addend) Bits() uint32 {
	if x := a.Amount(); a.Float {
		return math.Float32bits(float32(x))
	} else {
		return uint32(int64(x))
	}
}
