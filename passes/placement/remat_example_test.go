package placement_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/placement"
)

// The second fetch finds its row in the register of the first. The fourth is on the way to the third, so it
// is made before it.
func ExampleRemat() {
	p, err := d3d9.Parse("square.asm", []byte(`ps_2_0
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
`))
	if err != nil {
		panic(err)
	}
	source := &passtest.Source{Pixel: p}
	u, err := source.Lift()
	if err != nil {
		panic(err)
	}
	if _, err := passes.Run(u, passes.Pipeline{{Pass: placement.Remat}}, passes.Config{Measure: source.Measure}); err != nil {
		panic(err)
	}
	q, err := source.Emit(u)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", d3d9.Print(q.Pixel))
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
