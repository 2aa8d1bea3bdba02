package unroll_test

import (
	"fmt"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
)

// wholeSums adds up whole numbers that float32 holds exactly, so every order gives the same result.
// It sums in a loop and after it, with the sum as either operand of the additions, and of products
// alone.
const wholeSums = `il_cs_2_0
dcl_num_thread_per_group 64
dcl_cb cb0[1]
dcl_literal l0, 0, 1, 7, 15
dcl_literal l1, 3.0, 5.0, 2.0, 1.0
iand r5, vaTid.x, l0.yzwz
itof r5, r5
mov r0, r5
mov r3, r5.wzyx
mov r4.x, l0.x
whileloop
    ige r4.y, r4.x, l0.w
    break_logicalnz r4.y
    itof r6.x, r4.x
    mad r0, r5, r6.x, r0
    add r3.xy, r3.xy, r6.xx
    add r3.zw, r6.x, r3.wz
    mad_ieee r0, r5.yzwx, l1, r0
    add r3.xy, r3.xy, r5.zw
    iadd r4.x, r4.x, l0.y
endloop
mul r1, r0, l1.w
add r1, r1, r3
mad r1, r5, l1, r1
mad r1, r5.w, l1.wzyx, r1
add r1, r5.zzzz, r1
add r1, r1, r5_neg(xyzw)
mad r1, r5.y, l1.xxyy, r1
mul r7, r5, l1.x
mul r8, r5.yzwx, l1.y
add r7, r7, r8
mul r8, r5.zwxy, l1.z
add r7, r7, r8
mul r8, r5.wxyz, l1
add r7, r7, r8
mul r8, r5, l1.wzyx
add r7, r7, r8
mad r1, r7, l1.xyzw, r1
mov g[vaTid.x], r1
end
`

// TestSums splits sums into any number of parts, in loops and behind them.
func TestSums(t *testing.T) {
	k, err := il.Parse("sums", []byte(wholeSums))
	if err != nil {
		t.Fatal(err)
	}
	for _, pipeline := range []string{"", "unroll{factor=4},", "unroll{factor=full},"} {
		for parts := 2; parts <= 5; parts++ {
			p := fmt.Sprintf("%sbreak-deps{sums=%d}", pipeline, parts)
			out, report := apply(t, k, p, passes.Real)
			if out == nil {
				if pipeline != "" || parts == 2 {
					t.Errorf("%s does nothing", p)
				}
				continue
			}
			t.Logf("%s: %d steps", p, report.Steps)
			if !passtest.SameRuns(t, k, out, 3) {
				t.Errorf("%s: it was not run", p)
			}
		}
	}
}
