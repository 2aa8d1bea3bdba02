package sched

import (
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/machinetest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/lower"
)

// TestScheduleCorpus runs every kernel of the corpus for every target: the program obeys the
// hardware and computes the same as the code.
func TestScheduleCorpus(t *testing.T) {
	t.Parallel()
	for i, file := range append(machinetest.Kernels(t, "corpus/il"), machinetest.Kernels(t, "reference/matmul")...) {
		f := machinetest.Lifted(t, file)
		if f == nil {
			continue
		}
		for j, name := range chip.Names() {
			if !testcorpus.Whole && (i+j)%2 > 0 {
				continue // the next run takes it for the other half of the chips
			}
			target, _ := chip.ByName(name)
			c, err := lower.Kernel(f, target)
			if err != nil {
				continue // the target has no such operation
			}
			s, err := newSchedule(c, target, Options{})
			if err != nil {
				t.Errorf("%s for %s: %v", filepath.Base(file), name, err)
				continue
			}
			if err := machinetest.Obeys(s.Program, target); err != nil {
				t.Errorf("%s for %s: %v", filepath.Base(file), name, err)
			}
			same(t, s)
			if name == "rv670" || name == "cypress" {
				t.Logf("%-8s %-44s %5d groups %5.1f%% %4d fetches %4d gprs %3d clauses", name, filepath.Base(file),
					s.Stats.Groups, 100*s.Stats.Utilization(), s.Stats.Fetches, s.Stats.GPRs, s.Stats.ALUClauses+s.Stats.FetchClauses)
			}
		}
	}
}
