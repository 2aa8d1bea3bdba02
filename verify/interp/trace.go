package interp

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/budget"
)

// Trace records the values that statements compute for one invocation, or for one pixel of a draw in the
// pixel program.
type Trace struct {
	At int // the invocation, or the pixel number row by row
	// Known lists the inputs and the constants, Steps the computed values in order. For a pixel with
	// several fragments they describe the last one.
	Known []float32
	Steps []Traced
}

// Traced is a component that a statement wrote.
type Traced struct {
	Pos   asm.Pos
	Value float32
}

// maxTrace bounds the recorded values.
const maxTrace = 1 << 16

// DrawTraced draws within a budget, and fills in t unless it is nil.
func DrawTraced(vs, ps *Shader, c *Case, n Numerics, b *budget.Budget, t *Trace) (*Image, error) {
	return drawWithin(vs, ps, c, n, bounds{steps: runSteps, budget: b, trace: t})
}

// begin starts tracing a lane of the loaded batch.
func (m *machine) begin(lane int) {
	t := m.trace
	m.lane = lane
	t.Known, t.Steps = nil, nil
	for _, p := range m.sh.inputs {
		for k := range 4 {
			if p.Mask.Has(k) {
				t.Known = append(t.Known, m.r[p.base+slot(k)][lane])
			}
		}
	}
	for _, v := range m.float {
		t.Known = append(t.Known, v[:]...)
	}
}

// recordTrace records the values that ops wrote to registers, without intermediate values in scratch.
func (m *machine) recordTrace(s *stmt, ops []uop) {
	for i := range ops {
		u := &ops[i]
		if u.dst < scratchSlots || u.code == uSetp || u.code == uKill || u.code == uFetch || len(m.trace.Steps) >= maxTrace {
			continue
		}
		m.trace.Steps = append(m.trace.Steps, Traced{s.pos, m.r[u.dst][m.lane]})
	}
}

// traces reports whether the traced lane is in on.
func (m *machine) traces(on uint64) bool { return m.lane >= 0 && on>>m.lane&1 != 0 }

// laneOf returns the lane of the last fragment of a pixel, or -1 if it is not in the batch.
func (f *fragments) laneOf(x, y int) int {
	for i := 4*f.quads - 1; i >= 0; i-- {
		if atX, atY := f.pixelOf(i); f.covered>>i&1 != 0 && atX == x && atY == y {
			return i
		}
	}
	return -1
}
