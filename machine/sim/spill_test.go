package sim

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/internal/test/machinetest"
)

// TestSpill checks that registers beyond those that an instruction can name are written to memory
// and read back, and that a note reports it.
func TestSpill(t *testing.T) {
	m := machinetest.Target(t, "rv670")
	launch := func(gprs int) (Timing, map[StepKind]int) {
		p := &r600.Program{Family: r600.R600, GPRs: gprs, CF: []r600.CF{
			{Op: r600.CFExportDone, Export: &r600.Export{Reg: 1, Count: 1}},
		}}
		l := &Launch{Width: 256, Height: 256, Inputs: pixelInputs}
		r, err := Simulate(p, l, m)
		machinetest.Must(t, err)
		tr, err := NewTracer(p, l, m)
		machinetest.Must(t, err)
		steps := map[StepKind]int{}
		w := tr.Start(3)
		for s := (Step{}); w.Next(&s); {
			steps[s.Kind]++
			if s.Kind == StepWrite && s.Lines.Touched()*m.L1Line != 16*m.Wave {
				t.Errorf("a register of a wavefront is %d lines", s.Lines.Touched())
			}
		}
		return r, steps
	}
	fits, steps := launch(m.Usable())
	if steps[StepWrite] != 0 || steps[StepFetch] != 0 || len(fits.Notes) != 0 {
		t.Errorf("registers that there are: %v, notes %q", steps, fits.Notes)
	}
	r, steps := launch(m.Usable() + 5)
	if steps[StepWrite] != 5 || steps[StepFetch] != 5 {
		t.Errorf("5 registers too many: %v", steps)
	}
	if len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "5 registers") {
		t.Errorf("5 registers too many: notes %q", r.Notes)
	}
	bytes := float64(5 * 2 * 16 * 256 * 256)
	if r.Cycles < fits.Cycles || r.Cycles < bytes*m.PerByte() {
		t.Errorf("%v bytes more take %.0f cycles, not %.0f", bytes, r.Cycles, fits.Cycles)
	}
}
