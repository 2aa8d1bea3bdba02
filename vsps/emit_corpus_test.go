package vsps_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/vsps"
)

// TestEmitCorpus checks that lifting and emitting without passes yields a program that costs no
// more than the input and is within all limits.
func TestEmitCorpus(t *testing.T) {
	same, worse := 0, 0
	n := 0
	corpusPrograms(t, func(path string, p *d3d9.Program) {
		f, err := vsps.Lift(p)
		if err != nil {
			t.Fatal(err)
		}
		n++
		q, err := vsps.Emit(p, f)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		before, after := d3d9.Measure(p), d3d9.Measure(q)
		if after.Slots > before.Slots || after.Slots == before.Slots && after.Temps > before.Temps {
			worse++
			t.Errorf("%s: slots %d -> %d, temps %d -> %d", path, before.Slots, after.Slots, before.Temps, after.Temps)
		}
		for _, d := range d3d9.Faults(q) {
			t.Errorf("%s: %v\n", path, d)
			break
		}
		equal := len(p.Insts) == len(q.Insts)
		for i := 0; equal && i < len(p.Insts); i++ {
			equal = p.Insts[i].Same(&q.Insts[i])
		}
		if equal {
			same++
		}
	})
	t.Logf("%d of %d programs are unchanged, %d cost more", same, n, worse)
}
