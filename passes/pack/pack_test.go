package pack_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/dce"
	"github.com/shaderlift/shaderlift/passes/pack"
	"github.com/shaderlift/shaderlift/passes/passtest"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{dce.Pass, pack.Pass}, "../../testdata/passes/pack")
}

// Where slots are counted, a pack has to save some: fewer runs of texture reads, which come after
// them in a price, do not make up for what passes behind it could have joined otherwise.
func TestSlotsAlone(t *testing.T) {
	for _, slots := range []bool{true, false} {
		p, err := d3d9.Parse("test.psh", []byte("ps_2_0\ndcl t0\nmul r0.x, t0.x, c0.x\nmul r0.y, t0.z, c0.x\nmov r0.zw, t0\nmov oC0, r0\n"))
		if err != nil {
			t.Fatal(err)
		}
		s := &passtest.Source{Pixel: p}
		u, err := s.Lift()
		if err != nil {
			t.Fatal(err)
		}
		// Prices in which a pack saves runs.
		measure := func(u *passes.Unit) (c passes.Cost, _ error) {
			u.Pixel.Walk(func(*ir.Instr) { c[2]++ })
			return c, nil
		}
		report, err := passes.Run(u, passes.Pipeline{{Pass: pack.Pass}}, passes.Config{Measure: measure, Static: slots})
		if err != nil {
			t.Fatal(err)
		}
		if packed := report.Steps > 0; packed == slots {
			t.Errorf("slots counted: %v, packed: %v", slots, packed)
		}
	}
}
