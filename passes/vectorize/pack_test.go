package vectorize_test

import (
	"fmt"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/vectorize"
)

func TestPackFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{cleanup.DCE, vectorize.Pack}, "../../testdata/passes/pack")
}

// If slots are counted, a pack has to save some. Fewer texture read phases, which come later in a price, do
// not compensate for joins that later passes could have made.
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
		// Prices for which a pack saves runs.
		measure := func(u *passes.Unit) (c passes.Cost, _ error) {
			u.Pixel.Walk(func(*ir.Instr) { c[2]++ })
			return c, nil
		}
		report, err := passes.Run(u, passes.Pipeline{{Pass: vectorize.Pack}}, passes.Config{Measure: measure, Static: slots})
		if err != nil {
			t.Fatal(err)
		}
		if packed := report.Steps > 0; packed == slots {
			t.Errorf("slots counted: %v, packed: %v", slots, packed)
		}
	}
}

// In a kernel, at most four packs of one shape are priced without success.
func TestPatience(t *testing.T) {
	text := "il_ps_2_0\ndcl_input_generic_interp(linear) v0\ndcl_output_generic o0\ndcl_cb cb0[1]\n"
	for i := range 8 {
		text += fmt.Sprintf("mul r%d.x, v0.x, cb0[0].%c\n", i, "xyzw"[i%4])
	}
	for i := range 8 {
		text += fmt.Sprintf("mov r9.%c, r%d.x\n", "xyzw"[i%4], i)
		if i%4 == 3 {
			text += fmt.Sprintf("dp4 r8.%c, r9, r9\n", "xy"[i/4])
		}
	}
	k, err := il.Parse("alike", []byte(text+"mov o0, r8.xyxy\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	u, err := (&passtest.Source{Kernel: k}).Lift()
	if err != nil {
		t.Fatal(err)
	}
	joined := map[int]int{} // trials by the remaining products
	measure := func(u *passes.Unit) (passes.Cost, error) {
		n := 0
		u.Kernel.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpMul {
				n++
			}
		})
		joined[n]++
		return passes.Cost{1}, nil
	}
	if _, err := passes.Run(u, passes.Pipeline{{Pass: vectorize.Pack}}, passes.Config{Measure: measure}); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{5, 6, 7} { // four with the moves that read them, four without
		if joined[n] != 8 {
			t.Errorf("%d packs of %d products are priced, want 8", joined[n], 9-n)
		}
	}
}
