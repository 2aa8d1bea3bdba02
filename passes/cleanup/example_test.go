package cleanup_test

import (
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// Only code that reaches the output stays, down to single lanes.
func ExampleDCE() {
	passtest.PrintResult(`ps_2_0
dcl v0
mul r0, v0, c0
add r1, r0, c1
mov r0.w, c2.x
mov oC0, r0
`, passes.Terms, cleanup.DCE)
	// Output:
	// ps_2_0
	// dcl v0
	// mul r0.xyz, v0, c0
	// mov r0.w, c2.x
	// mov oC0, r0
}

// Copies disappear, their modifiers move into the reader, and the saturation moves into the instruction that
// computes the clamped value.
func ExampleCopyprop() {
	passtest.PrintResult(`ps_3_0
dcl_color0 v0
mov r0, -v0
mov r1, c0
mad r2, r0, r1, r1
mov_sat r3, r2
mov oC0, r3
`, passes.Terms, cleanup.Copyprop)
	// Output:
	// ps_3_0
	// dcl_color0 v0
	// mad_sat oC0, -v0, c0, c0
}

// Emission places the constant once for both fetches, and the second coordinate is a
// swizzle of the first.
func ExampleLeaves() {
	passtest.PrintResult(`ps_3_0
def c0, 0, 1, 0, 0
dcl_texcoord0 v0.xy
dcl_2d s0
dcl_2d s1
mov r0.xy, v0
mov r0.zw, c0.x
texldl r1, r0, s0
mov r2.xy, v0.yxzw
mov r2.zw, c0.x
texldl r2, r2, s1
add oC0, r1, r2
`, passes.Terms, cleanup.Leaves)
	// Output:
	// ps_3_0
	// def c0, 0, 1, 0, 0
	// dcl_texcoord0 v0.xy
	// dcl_2d s0
	// dcl_2d s1
	// mov r0.xy, v0
	// mov r0.w, c0.x
	// texldl r1, r0, s0
	// texldl r2, r0.yxxw, s1
	// add oC0, r1, r2
}

// The second product is the first with its operands swapped.
func ExampleGVN() {
	passtest.PrintResult(`ps_2_0
dcl v0
mul r0, v0, c0
add r0, r0, c1
mul r1, c0, v0
mad r0, r0, r1, r1
mov oC0, r0
`, passes.Terms, cleanup.GVN)
	// Output:
	// ps_2_0
	// dcl v0
	// mul r0, v0, c0
	// add r1, r0, c1
	// mad r0, r1, r0, r0
	// mov oC0, r0
}
