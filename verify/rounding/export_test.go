package rounding

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// For tests of whole pairs, which import what imports this package.

// Waves are textures as steep as is assumed of them.
var Waves interp.Textures = waves{}

// Precise is an arithmetic as good as the interpreter's.
var Precise = &precise

// Numerics are those of the interpreter.
var Numerics = numerics[:]

// Scramble is a hash.
var Scramble = scramble

// Inside is a number in the default box: of an input of p, or of a float constant of it.
func (p *Program) Inside(kind ir.Kind, r ir.Reg, t float64) float32 {
	p.prepare()
	i := Box(nil).constant(p.Source.Model.Stage, r, p.table)
	if kind == ir.Input {
		s, _ := p.semantic(r)
		i = Box(nil).input(s.usage, s.index, r.Comp)
		if s.usage == d3d9.UsageBlendIndices {
			i.hi = 71 // in the parameter that it indexes
		}
	}
	x := i.lo + (i.hi-i.lo)*t
	if i.whole {
		x = math.Round(x)
	}
	return float32(x)
}
