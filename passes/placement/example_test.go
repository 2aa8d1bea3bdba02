package placement_test

import (
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/placement"
)

// Both coordinates need the same fourth component. Computed in turn they can share
// a register, and one move serves both fetches.
func ExampleSink() {
	passtest.PrintResult(`ps_3_0
def c2, 0, 1, 0, 0
dcl_texcoord0 v0.xy
dcl_2d s0
mul r0.xy, v0, c0
mul r1.xy, v0, c1
mov r0.zw, c2.x
mov r1.zw, c2.x
texldl r0, r0, s0
texldl r1, r1, s0
add oC0, r0, r1
`, passes.Terms, cleanup.Leaves, placement.Sink)
	// Output:
	// ps_3_0
	// def c2, 0, 1, 0, 0
	// dcl_texcoord0 v0.xy
	// dcl_2d s0
	// mul r0.xy, v0, c0
	// mov r0.w, c2.x
	// texldl r1, r0, s0
	// mul r0.xy, v0, c1
	// texldl r0, r0, s0
	// add oC0, r1, r0
}

// The second fetch finds its row in the register of the first. The fourth is on the way to the third, so it
// is made before it.
func ExampleRemat() {
	passtest.PrintResult(`ps_2_0
dcl t0.xy
dcl_2d s0
add r0.x, t0.x, c0.x
add r0.y, t0.y, c2.x
texld r1, r0, s0
add r0.x, t0.x, c1.x
add r0.y, t0.y, c2.x
texld r2, r0, s0
add r0.x, t0.x, c0.x
add r0.y, t0.y, c3.x
texld r3, r0, s0
add r0.x, t0.x, c1.x
add r0.y, t0.y, c3.x
texld r4, r0, s0
add r1, r1, r2
add r1, r1, r3
add r1, r1, r4
mov oC0, r1
`, passes.Terms, placement.Remat)
	// Output:
	// ps_2_0
	// dcl t0.xy
	// dcl_2d s0
	// add r0.x, t0.x, c0.x
	// add r0.y, t0.y, c2.x
	// texld r1, r0, s0
	// add r0.x, t0.x, c1.x
	// texld r2, r0, s0
	// add r0.y, t0.y, c3.x
	// texld r4, r0, s0
	// add r0.x, t0.x, c0.x
	// texld r3, r0, s0
	// add r1, r1, r2
	// add r1, r1, r3
	// add r1, r1, r4
	// mov oC0, r1
}
