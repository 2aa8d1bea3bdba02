package rounding

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// Stages is a pair of programs as passes see it. It implements ir.Stages: to what package
// vsps knows of a pair it adds how errors grow.
type Stages struct{ vsps.Pair }

// Growth implements ir.Stages, for the default arithmetic and box.
func (s Stages) Growth(before *ir.Draw) ir.Growth {
	return versions{s, New(ByName(""), nil).Growth(s.analysed(before))}
}

// versions is Growth of lifted programs.
type versions struct {
	of Stages
	*Growth
}

// To implements ir.Growth. Programs that cannot be linked have no errors that grow, which shows
// elsewhere.
func (v versions) To(after *ir.Draw, limit float64) (op ir.Op, growth float64) {
	sinks, err := v.Growth.To(v.of.analysed(after), limit)
	if err != nil || len(sinks) == 0 {
		return ir.OpInvalid, 0
	}
	return sinks[0].Op, sinks[0].Growth
}

func (s Stages) analysed(d *ir.Draw) *Pair {
	return &Pair{Vertex: &Program{Func: d.Vertex, Source: s.Vertex, Shared: d.Shared},
		Pixel: &Program{Func: d.Pixel, Source: s.Pixel, Shared: d.Lowered}, Varyings: d.Varyings}
}
