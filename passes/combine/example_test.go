package combine_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/combine"
	"github.com/shaderlift/shaderlift/vsps"
)

func Example() {
	p, err := d3d9.Parse("light.asm", []byte(`ps_3_0
def c8, 0, 1, 0, 0
dcl_texcoord0 v0
mul r0.xyz, v0, c0
add r0.x, r0.x, r0.y
add r0.x, r0.x, r0.z
max r0.x, r0.x, c8.x
min r0.x, r0.x, c8.y
mov oC0, r0.x
`))
	if err != nil {
		panic(err)
	}
	f, err := vsps.Lift(p)
	if err != nil {
		panic(err)
	}
	pipeline, err := passes.Parse("combine-alu", []*passes.Pass{combine.Pass})
	if err != nil {
		panic(err)
	}
	if _, err := passes.Run(&passes.Unit{Pixel: f}, pipeline, passes.Config{Numerics: passes.Real}); err != nil {
		panic(err)
	}
	q, err := vsps.Emit(p, f)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", d3d9.Print(q))
	// Output:
	// ps_3_0
	// dcl_texcoord0 v0
	// dp3_sat oC0, v0, c0
}
