package combine_test

import (
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/combine"
)

func Example() {
	passtest.PrintResult(`ps_3_0
def c8, 0, 1, 0, 0
dcl_texcoord0 v0
mul r0.xyz, v0, c0
add r0.x, r0.x, r0.y
add r0.x, r0.x, r0.z
max r0.x, r0.x, c8.x
min r0.x, r0.x, c8.y
mov oC0, r0.x
`, passes.Real, combine.Pass)
	// Output:
	// ps_3_0
	// dcl_texcoord0 v0
	// dp3_sat oC0, v0, c0
}
