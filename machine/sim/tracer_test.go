package sim

import (
	"math"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
)

// TestRelease checks that reused memory does not affect later programs.
func TestRelease(t *testing.T) {
	of := func(k float32) *Launch {
		return &Launch{Width: 16, Height: 16, Inputs: pixelInputs, MaxTrips: 7,
			Constants: [][][4]uint32{{{math.Float32bits(k)}}},
			Resources: map[int]Surface{0: {Width: 8, Height: int(4 * k), Bytes: 16},
				1: {Width: int(8 * k), Height: 8, Bytes: 16}}}
	}
	runs := []struct {
		p *r600.Program
		l *Launch
	}{
		{dotLoop(hwReg(0, 0)), of(2)},
		{branchKernel(), of(1)},
		{dotLoop(hwReg(4, 0)), of(3)}, // depends on data
		{dotLoop(hwConst(0, 0)), of(5)},
	}
	var first [][]Step
	for round := range 3 {
		for i, run := range runs {
			if round == 0 {
				first = append(first, stepsOf(t, run.p, run.l, 1))
				continue
			}
			tr, err := NewTracer(run.p, run.l, machinetest.Target(t, "rv670"))
			machinetest.Must(t, err)
			var again []Step
			for s, w := new(Step), tr.Start(1); w.Next(s); {
				again = append(again, *s)
			}
			if !slices.Equal(again, first[i]) {
				t.Errorf("round %d: program %d takes other steps", round, i)
			}
			tr.Release()
		}
	}
}
