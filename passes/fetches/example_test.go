package fetches_test

import (
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/fetches"
)

// Reads of one texture become adjacent.
func ExampleGroup() {
	passtest.PrintResult(`ps_2_0
dcl t0
dcl t1
dcl_2d s0
dcl_2d s1
texld r0, t0, s0
texld r1, t0, s1
mul r0, r0, r1
texld r1, t1, s0
mad r0, r1, r1, r0
mov oC0, r0
`, passes.Terms, fetches.Group)
	// Output:
	// ps_2_0
	// dcl t0
	// dcl t1
	// dcl_2d s0
	// dcl_2d s1
	// texld r0, t0, s0
	// texld r1, t1, s0
	// texld r2, t0, s1
	// mul r0, r0, r2
	// mad r0, r1, r1, r0
	// mov oC0, r0
}
