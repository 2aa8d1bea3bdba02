package ifconvert_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/coarsen"
	"github.com/shaderlift/shaderlift/passes/ifconvert"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{cleanup.DCE, ifconvert.Pass}, "../../testdata/passes/if-convert")
}

// Equal branches are tried together: of two interleaved kinds, the profitable one is converted, with one or
// two prices per kind.
func TestKinds(t *testing.T) {
	const pairs = 50
	src := "il_ps_2_0\ndcl_input_generic_interp(linear) v0\ndcl_output_generic o0\nmov r0, v0\n"
	for range pairs {
		src += "if_logicalnz v0.x\nmul r0, r0, v0\nendif\nif_logicalnz v0.y\nadd r0, r0, v0\nendif\n"
	}
	k, err := il.Parse("pairs.il", []byte(src+"mov o0, r0\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	u, err := (&passtest.Source{Kernel: k}).Lift()
	if err != nil {
		t.Fatal(err)
	}
	prices := 0
	count := func(u *passes.Unit) (mul, add int) { // that are in a branch
		u.Kernel.EachRegion(func(r *ir.Region) {
			for _, in := range r.Code {
				switch {
				case r != u.Kernel.Body && in.Op == ir.OpMul:
					mul++
				case r != u.Kernel.Body && in.Op == ir.OpAdd:
					add++
				}
			}
		})
		return mul, add
	}
	measure := func(u *passes.Unit) (passes.Cost, error) {
		prices++
		mul, add := count(u)
		return passes.Cost{1000 + mul - 2*add}, nil // so converting all of them together does not pay
	}
	if _, err := passes.Run(u, passes.Pipeline{{Pass: ifconvert.Pass}}, passes.Config{Measure: measure}); err != nil {
		t.Fatal(err)
	}
	if mul, add := count(u); mul != 0 || add != pairs {
		t.Errorf("%d products and %d sums are left in branches, want 0 and %d", mul, add, pairs)
	}
	if prices > 20 {
		t.Errorf("%d prices for two kinds", prices)
	}
}

// Copies of an invocation have results with the same home; each gets a separate selection.
func TestCopies(t *testing.T) {
	k, err := il.Parse("copies.il", []byte(`il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_cb cb0[2]
mov r0, vWinCoord0.xyxy
if_logicalz cb0[0].x
mul r0, r0, r0
endif
mov o0, r0
end
`))
	if err != nil {
		t.Fatal(err)
	}
	u, err := (&passtest.Source{Kernel: k}).Lift()
	if err != nil {
		t.Fatal(err)
	}
	branches := func(u *passes.Unit) (passes.Cost, error) {
		n := 0
		u.Kernel.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpIf {
				n++
			}
		})
		return passes.Cost{n}, nil
	}
	tile := passes.Stage{Pass: coarsen.Pass, Settings: []passes.Setting{{Name: "x", Value: "3"}}}
	if _, err := passes.Run(u, passes.Pipeline{tile, {Pass: ifconvert.Pass}},
		passes.Config{Measure: branches}); err != nil {
		t.Fatal(err)
	}
	chosen := 0
	u.Kernel.Walk(func(in *ir.Instr) {
		for _, v := range in.Out {
			if in.Op == ir.OpSel && v != nil {
				chosen++
			}
		}
	})
	if chosen != 8 { // y and w are equal in a row
		t.Errorf("%d components are chosen, not x and z of each of 3, y and w:\n%s", chosen, u.Kernel)
	}
}
