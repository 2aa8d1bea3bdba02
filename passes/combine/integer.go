package combine

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes/internal/rules"
)

// words returns the literals that o reads.
func words(o *ir.Operand) (w [4]uint32, ok bool) {
	for i, l := range o {
		if l.V == nil {
			continue
		}
		if l.V.Kind != ir.Literal || l.Mod != 0 {
			return w, false
		}
		w[i] = l.V.Bits
	}
	return w, rules.LanesOf(o) > 0
}

func isWords(o *ir.Operand) bool {
	_, ok := words(o)
	return ok
}

// literalLane returns a lane that reads the literal w.
func (c *combiner) literalLane(w uint32) ir.Lane { return ir.Lane{V: c.f.Const(w)} }

// literals returns an operand with the literals w in the lanes of o.
func (c *combiner) literals(o *ir.Operand, w [4]uint32) (out ir.Operand) {
	for i, l := range o {
		if l.V != nil {
			out[i] = c.literalLane(w[i])
		}
	}
	return out
}
