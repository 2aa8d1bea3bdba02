package vectorize_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/vectorize"
	"github.com/shaderlift/shaderlift/vsps"
)

func Example() {
	p, err := d3d9.Parse("scale.asm", []byte(`ps_3_0
dcl_texcoord0 v0
mul r0.x, v0.x, c0.x
mul r1.x, v0.y, c0.y
add r0.x, r0.x, c1.x
add r1.x, r1.x, c1.y
mul oC0, r0.x, r1.x
`))
	if err != nil {
		panic(err)
	}
	f, err := vsps.Lift(p)
	if err != nil {
		panic(err)
	}
	pipeline := passes.Pipeline{{Pass: vectorize.Pass}}
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
	// dcl_texcoord0 v0
	// mul r0.xy, v0, c0
	// add r0.xy, r0, c1
	// mul oC0, r0.x, r0.y
}
