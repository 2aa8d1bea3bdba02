package placement_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/placement"
)

// Both coordinates need the same fourth component. Computed in turn they can share
// a register, and one move serves both fetches.
func ExampleSink() {
	p, err := d3d9.Parse("fetches.asm", []byte(`ps_3_0
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
`))
	if err != nil {
		panic(err)
	}
	source := &passtest.Source{Pixel: p}
	u, err := source.Lift()
	if err != nil {
		panic(err)
	}
	pipeline := passes.Pipeline{{Pass: cleanup.Leaves}, {Pass: placement.Sink}}
	if _, err := passes.Run(u, pipeline, passes.Config{Measure: source.Measure}); err != nil {
		panic(err)
	}
	q, err := source.Emit(u)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", d3d9.Print(q.Pixel))
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
