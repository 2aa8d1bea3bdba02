package machine

import (
	"path/filepath"
	"testing"
)

// TestScheduleCorpus runs every kernel of the corpus for every target: the program obeys
// the hardware and computes what the code does.
func TestScheduleCorpus(t *testing.T) {
	t.Parallel()
	for _, file := range append(kernelFiles(t, "corpus/il"), kernelFiles(t, "reference/matmul")...) {
		f := lifted(t, file)
		if f == nil {
			continue
		}
		for _, name := range Targets() {
			target, _ := ByName(name)
			c, err := Lower(f, target)
			if err != nil {
				continue // the target has no such operation
			}
			s, err := Schedule(c, target, Options{})
			if err != nil {
				t.Errorf("%s for %s: %v", filepath.Base(file), name, err)
				continue
			}
			if err := obeys(s.Program, target); err != nil {
				t.Errorf("%s for %s: %v", filepath.Base(file), name, err)
			}
			same(t, s)
			if name == "rv670" || name == "cypress" {
				t.Logf("%-8s %-44s %5d groups %5.1f%% %4d fetches %4d gprs %3d clauses", name, filepath.Base(file), s.Stats.Groups, 100*s.Stats.Utilization(), s.Stats.Fetches, s.Stats.GPRs, s.Stats.ALUClauses+s.Stats.FetchClauses)
			}
		}
	}
}
