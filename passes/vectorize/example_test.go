package vectorize_test

import (
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/vectorize"
)

func Example() {
	passtest.PrintResult(`ps_3_0
dcl_texcoord0 v0
mul r0.x, v0.x, c0.x
mul r1.x, v0.y, c0.y
add r0.x, r0.x, c1.x
add r1.x, r1.x, c1.y
mul oC0, r0.x, r1.x
`, passes.Terms, vectorize.Pass)
	// Output:
	// ps_3_0
	// dcl_texcoord0 v0
	// mul r0.xy, v0, c0
	// add r0.xy, r0, c1
	// mul oC0, r0.x, r0.y
}
