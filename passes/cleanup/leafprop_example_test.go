package cleanup_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/vsps"
)

// Emission places the constant once for both fetches, and the second coordinate is a
// swizzle of the first.
func ExampleLeaves() {
	p, err := d3d9.Parse("coordinates.asm", []byte(`ps_3_0
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
`))
	if err != nil {
		panic(err)
	}
	f, err := vsps.Lift(p)
	if err != nil {
		panic(err)
	}
	pipeline := passes.Pipeline{{Pass: cleanup.Leaves}}
	if _, err := passes.Run(&passes.Unit{Pixel: f}, pipeline, passes.Config{}); err != nil {
		panic(err)
	}
	q, err := vsps.Emit(p, f)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", d3d9.Print(q))
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
