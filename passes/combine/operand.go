package combine

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes/internal/rules"
)

// literal returns the value of a literal lane, with its modifiers applied.
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
	return rules.LanesOf(o) > 0
}

// isLeaf reports whether v is read from an input or constant register.
func isLeaf(v *ir.Value) bool {
	return v.IsLeaf() || v.IsLoaded()
}

// spread returns an operand that reads l in every lane that in writes.
func spread(in *ir.Instr, l ir.Lane) (o ir.Operand) {
	for i, v := range in.Out {
		if v != nil {
			o[i] = l
		}
	}
	return o
}

// constant returns a lane that reads the literal x.
func (c *combiner) constant(x float32) ir.Lane {
	return ir.Lane{V: c.f.Const(math.Float32bits(x))}
}

// isPlain reports whether o reads all lanes without modifiers.
func isPlain(o *ir.Operand) bool {
	for _, l := range o {
		if l.Mod != 0 {
			return false
		}
	}
	return true
}
