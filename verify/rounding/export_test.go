package rounding

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Exports for tests of whole pairs, which import packages that depend on this one.

// Waves are textures with the steepest slope that the analysis assumes.
var Waves interp.Textures = waves{}

// Precise is an arithmetic as precise as the interpreter.
var Precise = &precise

// Numerics are those of the interpreter.
var Numerics = numerics[:]

// Scramble is a hash.
var Scramble = scramble

// Inside returns a number in the default box of an input or float constant of p.
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
