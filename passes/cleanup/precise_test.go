package cleanup_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// A value that replaces a precise one keeps its terms from then on, and so do its operands.
func TestPrecise(t *testing.T) {
	p, err := d3d9.Parse("test", []byte(`vs_2_0
dcl_position v0
dcl_texcoord v1
mul r0, v0, c0
add r1, r0, v1
mov oT0, r1
mul r2, v0, c0
add r3, r2, v1
mul oPos, r3, c1
`))
	if err != nil {
		t.Fatal(err)
	}
	u, err := (&passtest.Source{Vertex: p}).Lift()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := passes.Run(u, passes.Pipeline{{Pass: cleanup.GVN}}, passes.Config{}); err != nil {
		t.Fatal(err)
	}
	left := map[ir.Op]int{}
	u.Vertex.Walk(func(in *ir.Instr) {
		if left[in.Op]++; in.Op != ir.OpMov && !in.Precise {
			t.Errorf("%v feeds the position and may be rewritten", in.Op)
		}
	})
	if left[ir.OpMul] != 2 || left[ir.OpAdd] != 1 {
		t.Errorf("left are %v", left)
	}
}
