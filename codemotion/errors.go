package codemotion

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// A value that is interpolated is off by a part of its largest value in the triangle,
// one that a fragment computes from exact ones by a rounding. Where what is off goes
// into a coordinate of a fetch, a reciprocal, a comparison or the like, that can show:
//
//	ps: mul r0, t0, 1024;  frc r0, r0       a coordinate in texels: exact from t0, and off by a part of
//	                                        1024 if r0 before frc is interpolated

// sink is what reads an operand whose error grows too much, and how many times.
type sink struct {
	op     ir.Op
	growth float64
}

func (s sink) found() bool { return s.growth > 0 }

// maxGrowth is how many times the error of such an operand may be what it was (assumed:
// two bits).
const maxGrowth = 4

// tolerable is what remains of a selection when the motions are given up that let errors
// grow too much; trial is the unit with all of them made.
func (m *mover) tolerable(pick []*candidate, trial *passes.Unit) []*candidate {
	grown := m.grown(trial)
	if !grown.found() {
		return pick
	}
	var rest []*candidate
	for _, c := range pick {
		if alone := m.alone(c); alone.found() {
			m.remark(c, alone)
			m.worse = append(m.worse, c)
		} else {
			rest = append(rest, c)
		}
	}
	if len(rest) == len(pick) { // only together are they too much
		last := len(rest) - 1
		m.remark(rest[last], grown)
		rest = rest[:last]
	}
	return rest
}

func (m *mover) remark(c *candidate, s sink) {
	m.stay = append(m.stay, c)
	m.ctx.Remarkf(position([]*candidate{c}), "rounding", "an operand stays: interpolated, it would be off so far that the error of what %s reads grows %.3g times", s.op, s.growth)
}

// alone is where errors grow too much if c alone moves.
func (m *mover) alone(c *candidate) (none sink) {
	one := []*candidate{c}
	fills, bins, ok := m.pack(one)
	if !ok {
		return none
	}
	trial, ok := m.apply(one, fills, bins)
	if !ok {
		return none
	}
	return m.grown(trial)
}

// grown tells where errors grow too much from the unit to trial, and how many times. Until settle
// the unit stays as it is.
func (m *mover) grown(trial *passes.Unit) (s sink) {
	if m.growth == nil {
		m.growth = m.unit.Stages.Growth(draw(m.unit))
	}
	s.op, s.growth = m.growth.To(draw(trial), maxGrowth)
	return s
}

// settle ends comparisons with the unit, which may change now.
func (m *mover) settle() {
	if m.growth != nil {
		m.growth.Close()
		m.growth = nil
	}
}

// draw is u as the analysis of errors takes it.
func draw(u *passes.Unit) *ir.Draw {
	d := &ir.Draw{Vertex: u.Vertex, Pixel: u.Pixel, Varyings: u.Varyings, Shared: map[uint16]uint16{}, Lowered: map[uint16]uint16{}}
	for _, up := range u.Uploads {
		if up.Lowered {
			d.Lowered[up.To] = up.From
		} else {
			d.Shared[up.To] = up.From
		}
	}
	return d
}
