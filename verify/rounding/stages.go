package rounding

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// Stages is a pair of programs as passes see it. It implements ir.Stages, and adds the growth of errors to
// the facts of package vsps.
type Stages struct{ vsps.Pair }

// Growth implements ir.Stages, for the default arithmetic and box.
func (s Stages) Growth(before *ir.Draw) ir.Growth {
	return versions{s, New(ByName(""), nil).compareGrowth(s.analysed(before))}
}

// versions implements ir.Growth for lifted programs.
type versions struct {
	of Stages
	*growth
}

// WorstGrowth implements ir.Growth. It reports no growth for programs that cannot be linked; linking reports those.
func (v versions) WorstGrowth(after *ir.Draw, limit float64) (op ir.Op, growth float64) {
	sinks, err := v.growth.growingSinks(v.of.analysed(after), limit)
	if err != nil || len(sinks) == 0 {
		return ir.OpInvalid, 0
	}
	return sinks[0].Op, sinks[0].Growth
}

func (s Stages) analysed(d *ir.Draw) *Pair {
	return &Pair{Vertex: &Program{Func: d.Vertex, Source: s.Vertex, Shared: d.Shared},
		Pixel: &Program{Func: d.Pixel, Source: s.Pixel, Shared: d.Lowered}, varyings: d.Varyings}
}
