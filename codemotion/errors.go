package codemotion

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify/rounding"
	"github.com/shaderlift/shaderlift/vsps"
)

// A value that is interpolated is off by a part of its largest value in the triangle, one
// that a fragment computes from exact ones by a rounding. Where what is off goes into a
// coordinate of a fetch, a reciprocal, a comparison or the like, that can show.

// maxGrowth is how many times the error of such an operand may be what it was.
const maxGrowth = 4

// tolerable is what remains of a selection when the motions are given up that let errors
// grow too much; trial is the unit with all of them made.
func (m *mover) tolerable(pick []*candidate, trial *passes.Unit) []*candidate {
	grown := m.grown(trial)
	if len(grown) == 0 {
		return pick
	}
	var rest []*candidate
	for _, c := range pick {
		if alone := m.alone(c); len(alone) > 0 {
			m.remark(c, alone[0])
		} else {
			rest = append(rest, c)
		}
	}
	if len(rest) == len(pick) { // only together are they too much
		last := len(rest) - 1
		m.remark(rest[last], grown[0])
		rest = rest[:last]
	}
	return rest
}

func (m *mover) remark(c *candidate, s rounding.Sink) {
	m.ctx.Remarkf(position([]*candidate{c}), "rounding", "an operand stays: interpolated, it would be off so far that the error of what %s reads grows %.3g times", s.Op, s.Growth)
}

// alone is where errors grow too much if c alone moves.
func (m *mover) alone(c *candidate) []rounding.Sink {
	one := []*candidate{c}
	fills, bins, ok := m.pack(one)
	if !ok {
		return nil
	}
	trial, ok := m.apply(one, fills, bins)
	if !ok {
		return nil
	}
	return m.grown(trial)
}

// grown lists where errors grow too much from the unit to trial.
func (m *mover) grown(trial *passes.Unit) []rounding.Sink {
	sinks, err := rounding.New(rounding.ByName(""), nil).Growth(analysed(m.unit), analysed(trial), maxGrowth)
	if err != nil { // they cannot be linked, which a trial shows elsewhere
		return nil
	}
	return sinks
}

// analysed is u as the analysis of roundings takes it.
func analysed(u *passes.Unit) *rounding.Pair {
	program := func(f *ir.Func) *rounding.Program {
		p := &rounding.Program{Func: f, Source: f.Dialect.(*vsps.Dialect).Program, Shared: map[uint16]uint16{}}
		for _, up := range u.Uploads {
			if p.Source.Model.Stage == d3d9.Vertex {
				p.Shared[up.To] = up.From
			}
		}
		return p
	}
	return &rounding.Pair{Vertex: program(u.Vertex), Pixel: program(u.Pixel), Varyings: u.Varyings}
}
