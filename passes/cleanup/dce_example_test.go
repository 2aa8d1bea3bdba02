package cleanup_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/vsps"
)

// Only code that reaches the output stays, down to single lanes.
func ExampleDCE() {
	p, err := d3d9.Parse("unused.asm", []byte(`ps_2_0
dcl v0
mul r0, v0, c0
add r1, r0, c1
mov r0.w, c2.x
mov oC0, r0
`))
	if err != nil {
		panic(err)
	}
	f, err := vsps.Lift(p)
	if err != nil {
		panic(err)
	}
	pipeline := passes.Pipeline{{Pass: cleanup.DCE}}
	if _, err := passes.Run(&passes.Unit{Pixel: f}, pipeline, passes.Config{}); err != nil {
		panic(err)
	}
	q, err := vsps.Emit(p, f)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", d3d9.Print(q))
	// Output:
	// ps_2_0
	// dcl v0
	// mul r0.xyz, v0, c0
	// mov r0.w, c2.x
	// mov oC0, r0
}
