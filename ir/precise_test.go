package ir_test

import (
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/ir"
)

// Everything that decides a value is precise: operands, the conditions around its definition, and the carried
// values and breaks of a loop.
func TestMarkPrecise(t *testing.T) {
	f := passtest.Lift(t, `ps_3_0
dcl_texcoord v0
mov r0.x, v0.x
mov r1.x, v0.y
mov r2.x, v0.z
mov r3.x, v0.w
rep i0
add r4.x, r2.x, c3.x
break_gt r4.x, c3.y
add r0.x, r0.x, c4.x
endrep
if_gt r1.x, c5.x
mul r0.x, r0.x, c5.x
endif
add r3.x, r3.x, c6.x
setp_gt p0, r1.x, c6.x
mov r5.x, r3.x
(p0) mov r5.x, r2.x
mov oC0, r0.x
mov oC1, r3.x
mov oC2, r5.x
`)
	for _, test := range []struct {
		out  uint16
		want []int
	}{
		{0, []int{3, 4, 5, 7, 8, 9, 10, 12, 13, 19}}, // through the loop, up to its break, and the branch
		{1, []int{6, 15, 20}},                        // neither
		{2, []int{4, 5, 6, 15, 16, 17, 18, 21}},      // the pass-through value and the predicate
	} {
		g := f.Clone()
		for _, o := range g.Outs {
			if o.Reg.Index == test.out {
				ir.MarkPrecise(g, []*ir.Value{o.V})
			}
		}
		var got []int
		g.Walk(func(in *ir.Instr) {
			if in.Precise {
				got = append(got, in.Pos.Line)
			}
		})
		if !slices.Equal(got, test.want) {
			t.Errorf("oC%d: lines %v are precise, want %v\n%v", test.out, got, test.want, f)
		}
	}
}
