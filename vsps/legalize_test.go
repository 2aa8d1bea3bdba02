package vsps_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// TestMovOfSeveral checks that a mov from two registers becomes one mov from each to the
// destination, without a temporary.
func TestMovOfSeveral(t *testing.T) {
	for rest, want := range map[string]int{"": 3, "add o2, v2.x, v2.x\n": 4} {
		p, err := d3d9.Parse("a", []byte("vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_texcoord1 v2\ndcl_position o0\ndcl_texcoord o1.xyz\ndcl_texcoord1 o2\n"+
			"mov o0, v0\nmov o1.xyz, -v1\n"+rest))
		if err != nil {
			t.Fatal(err)
		}
		f, err := vsps.Lift(p)
		if err != nil {
			t.Fatal(err)
		}
		f.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpMov && in.Out[0] != nil && in.Src[0][0].Mod == ir.Neg {
				in.Src[0][2] = ir.Lane{V: f.Leaf(ir.Input, ir.Reg{File: ir.File(d3d9.Input), Index: 2}), Mod: ir.Neg}
			}
		})
		e := vsps.NewEmitter(p)
		q, err := e.Emit(f)
		if err != nil {
			t.Fatal(err)
		}
		if got := d3d9.Measure(q).Slots; got != want {
			t.Errorf("%d slots, not %d:\n%s", got, want, d3d9.Print(q))
		}
		e.Close()
	}
}
