package codemotion

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// An interpolated value is off by a fraction of its largest value in the triangle. A value that a fragment
// computes from exact ones is off by a rounding. The difference can show if the value feeds a coordinate of a
// fetch, a reciprocal, a comparison or the like:
//
//	ps: mul r0, t0, 1024;  frc r0, r0       a coordinate in texels: exact from t0, and off by a part of
//	                                        1024 if r0 before frc is interpolated

// sink is the reader of an operand whose error grows too much, with the growth factor.
type sink struct {
	op     ir.Op
	growth float64
}

func (s sink) found() bool { return s.growth > 0 }

// maxGrowth is the largest accepted growth of such an error, as a factor (assumed: two bits).
const maxGrowth = 4

// tolerable returns the selection without the motions that let errors grow too much. trial is the unit with
// all motions made.
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
	if len(rest) == len(pick) { // only all together grow errors too much
		last := len(rest) - 1
		m.remark(rest[last], grown)
		rest = rest[:last]
	}
	return rest
}

func (m *mover) remark(c *candidate, s sink) {
	m.stay = append(m.stay, c)
	m.ctx.Remarkf(position([]*candidate{c}), "rounding",
		"an operand stays: interpolation would increase the error of the operand of %s %.3g times", s.op, s.growth)
}

// alone returns the sink whose error grows too much if only c moves.
func (m *mover) alone(c *candidate) (none sink) {
	one := []*candidate{c}
	fills, bins, ok := m.packCandidates(one)
	if !ok {
		return none
	}
	trial, ok := m.apply(one, fills, bins)
	if !ok {
		return none
	}
	return m.grown(trial)
}

// grown returns the sink whose error grows too much from the unit to trial. The unit must not change before
// settle.
func (m *mover) grown(trial *passes.Unit) (s sink) {
	if m.growth == nil {
		m.growth = m.unit.Stages.Growth(drawOf(m.unit))
	}
	s.op, s.growth = m.growth.WorstGrowth(drawOf(trial), maxGrowth)
	return s
}

// settle ends comparisons with the unit, which may change now.
func (m *mover) settle() {
	if m.growth != nil {
		m.growth.Close()
		m.growth = nil
	}
}

// drawOf returns u in the form that the analysis of errors takes.
func drawOf(u *passes.Unit) *ir.Draw {
	d := &ir.Draw{Vertex: u.Vertex, Pixel: u.Pixel, Varyings: u.Varyings, Shared: map[uint16]uint16{},
		Lowered: map[uint16]uint16{}}
	for _, up := range u.Uploads {
		if up.Lowered {
			d.Lowered[up.To] = up.From
		} else {
			d.Shared[up.To] = up.From
		}
	}
	return d
}
