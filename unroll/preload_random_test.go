package unroll_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/unroll"
)

// Random programs are valid after the pass, and a second run changes nothing.
func TestPreloadRandom(t *testing.T) {
	n := uint64(600)
	if testing.Short() {
		n = 100
	}
	changed := 0
	for seed := range n {
		for _, s := range []*passtest.Source{{Kernel: ilgen.Kernel(seed, ilgen.Options{})},
			{Pixel: gen.ProgramOf(d3d9.PS30, seed, 60)}} {
			u, err := s.Lift()
			if err != nil {
				continue
			}
			p := passes.Pipeline{{Pass: unroll.Preload}}
			report, err := passes.Run(u, p, passes.Config{}) // checks that definitions come before uses
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if report.Steps > 0 {
				changed++
			}
			if again, _ := passes.Run(u, p, passes.Config{}); again.Steps > 0 {
				t.Errorf("seed %d: %d steps the second time\n%v", seed, again.Steps, u.Funcs()[0])
			}
		}
	}
	if changed < int(n)/20 {
		t.Errorf("%d programs changed", changed)
	}
	t.Logf("%d programs changed", changed)
}
