package combine

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// literal is the value of a lane that the program states, modifiers applied.
func literal(l ir.Lane) (float32, bool) {
	if l.V == nil || l.V.Kind != ir.Literal {
		return 0, false
	}
	return math.Float32frombits(l.Mod.Apply(l.V.Bits)), true
}

// isLiteral reports whether all lanes that o reads are literals.
func isLiteral(o *ir.Operand) bool {
	for _, l := range o {
		if l.V != nil && l.V.Kind != ir.Literal {
			return false
		}
	}
	return lanesOf(o) > 0
}

// isAll reports whether all lanes that o reads are the literal x.
func isAll(o *ir.Operand, x float32) bool {
	for _, l := range o {
		if l.V == nil {
			continue
		}
		if f, ok := literal(l); !ok || f != x {
			return false
		}
	}
	return lanesOf(o) > 0
}

// isLeaf reports whether v is read from an input or constant register.
func isLeaf(v *ir.Value) bool {
	return v.IsLeaf() || v.Def != nil && v.Def.Op == ir.OpLoad
}

// either finds which of the first two sources of in passes test, and returns the
// other one's number first.
func either(in *ir.Instr, test func(o *ir.Operand) bool) (other, k int, ok bool) {
	switch {
	case test(&in.Src[1]):
		return 0, 1, true
	case test(&in.Src[0]):
		return 1, 0, true
	}
	return 0, 0, false
}

// modOf is the modifier that all lanes of o have.
func modOf(o *ir.Operand) (m ir.LaneMod, ok bool) {
	first := true
	for _, l := range o {
		if l.V == nil {
			continue
		}
		if !first && l.Mod != m {
			return 0, false
		}
		m, first = l.Mod, false
	}
	return m, !first
}

// isPlain reports whether o reads what it reads as it is.
func isPlain(o *ir.Operand) bool {
	m, ok := modOf(o)
	return ok && m == 0
}

// apply applies a modifier to all lanes of o.
func apply(o ir.Operand, m ir.LaneMod) ir.Operand {
	for i := range o {
		if o[i].V != nil {
			o[i].Mod = o[i].Mod.Then(m)
		}
	}
	return o
}

// spread reads one lane in every lane that in writes.
func spread(in *ir.Instr, l ir.Lane) (o ir.Operand) {
	for i, v := range in.Out {
		if v != nil {
			o[i] = l
		}
	}
	return o
}

// constant is a lane that reads the literal x.
func (c *combiner) constant(x float32) ir.Lane {
	return ir.Lane{V: c.f.Const(math.Float32bits(x))}
}

// normal reports whether hardware computes with x as arithmetic says.
func normal(x float32) bool {
	a := math.Abs(float64(x))
	return a == 0 || a >= 0x1p-126 && a <= math.MaxFloat32
}
