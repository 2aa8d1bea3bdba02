package merge_test

import (
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/regalloc/merge"
)

// Two pairs of coordinates become one register, and the additions to them become one addition.
func Example() {
	passtest.PrintResult(`ps_3_0
dcl_texcoord0 v0
dcl_2d s0
mul r0.xy, v0, c0.x
mul r1.xy, v0, c0.y
add r0.xy, r0, c1
add r1.xy, r1, c1.zwzw
texld r0, r0, s0
texld r1, r1, s0
mul oC0, r0, r1
`, passes.Terms, merge.Pass)
	// Output:
	// ps_3_0
	// dcl_texcoord0 v0
	// dcl_2d s0
	// mul r1, v0.xyxy, c0.xxyy
	// add r1, r1, c1
	// texld r0, r1, s0
	// texld r1, r1.zwww, s0
	// mul oC0, r0, r1
}
