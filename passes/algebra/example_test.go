package algebra_test

import (
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/algebra"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// The product of the literals is 1, so the multiplication is unnecessary.
func ExampleFold() {
	passtest.PrintResult(`ps_2_0
def c2, 2, 0.5, 1, 0
dcl v0
mul r0.x, c2.x, c2.y
mad r1, v0, r0.x, c0
mul r1, r1, c2.z
mov oC0, r1
`, passes.Bits, algebra.Fold, cleanup.DCE)
	// Output:
	// ps_2_0
	// dcl v0
	// add r1, v0, c0
	// mov oC0, r1
}

// Three colours are multiplied by the same two constants.
func ExampleFactor() {
	passtest.PrintResult(`ps_2_0
def c1, 0.5, 0.25, 0.125, 1
dcl t0
dcl t1
dcl t2
mul r0, t0, c0
mul r0, r0, c1
mul r1, t1, c0
mul r1, r1, c1
mul r2, t2, c1
mul r2, r2, c0
max r0, r0, r1
max r0, r0, r2
mov oC0, r0
`, passes.Real, algebra.Factor)
	// Output:
	// ps_2_0
	// def c1, 0.5, 0.25, 0.125, 1
	// dcl t0
	// dcl t1
	// dcl t2
	// mov r0, c1
	// mul r0, c0, r0
	// mul r1, t0, r0
	// mul r2, t1, r0
	// mul r0, t2, r0
	// max r1, r1, r2
	// max r0, r1, r0
	// mov oC0, r0
}
